import { expect, test } from 'vitest'
import { endpoints } from '../../../api/endpoints/catalog.ts'
import { onlyJson } from '../../../api/main/describe/openapi-media.ts'
import { openapi } from '../openapi.ts'
import { lint, lintBySpectral } from './lint-description.ts'

test('every example of a reply is valid by its schema', async () => {
  const reply = (example: unknown): object => ({
    description: 'a count',
    content: { 'application/json': { schema: { type: 'integer' }, example } },
  })
  const wrong = { openapi: '3.1.1', info: {}, paths: { '/count': { get: { responses: { 200: reply('ten') } } } } }
  expect(await lint(wrong, 'examples')).toContainEqual(expect.stringContaining('type must be integer'))
  expect(await lint(openapi(endpoints, 'https://api.example.org'), 'examples')).toEqual([])
})

test('the description with JSON only is valid, too, with no component that nothing refers to', async () => {
  expect(await lint(onlyJson(openapi(endpoints, 'https://api.example.org')), 'recommended')).toEqual([])
})

test("Spectral's rules for OpenAPI find nothing", async () => {
  const wrong = { openapi: '3.1.0', info: { title: '', version: '' }, paths: {} }
  expect((await lintBySpectral(wrong)).join()).toContain('oas3-api-servers')
  expect(await lintBySpectral(openapi(endpoints, 'https://api.example.com'))).toEqual([])
}, 120_000)
