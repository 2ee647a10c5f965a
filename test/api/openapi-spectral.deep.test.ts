import spectral from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'
import { expect, test } from 'vitest'
import { endpoints } from '../../api/endpoints/catalog.ts'
import { openapi } from '../../api/http/openapi.ts'

/** What Spectral's rules for OpenAPI find in a description, without the advice to name a person to write to. */
async function lint(description: object): Promise<string[]> {
  const linter = new spectral.Spectral()
  linter.setRuleset({ extends: [[rulesets.oas as never, 'recommended']], rules: { 'info-contact': 'off' } })
  const found = await linter.run(structuredClone(description) as Record<string, unknown>)
  return found.map(({ code, message, path }) => `${code} ${path.join('/')}: ${message}`)
}

test("Spectral's rules for OpenAPI find nothing", async () => {
  expect((await lint({ openapi: '3.1.0', info: { title: '', version: '' }, paths: {} })).join()).toContain('oas3-api-servers')
  expect(await lint(openapi(endpoints, 'https://api.example.com'))).toEqual([])
}, 120_000)
