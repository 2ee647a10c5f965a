import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endpoints } from '../../../api/endpoints/catalog.ts'
import { PAGES } from '../features/site/page-paths.ts'
import { openapi } from '../openapi.ts'
import type { Reply } from '../service.ts'
import { type KeyChecks, startKeyChecks } from './key-checks.ts'

let checks: KeyChecks
beforeAll(async () => {
  checks = await startKeyChecks()
})
afterAll(() => checks?.service.close())

const description = openapi(endpoints, 'https://api.example.org') as Reply
const others = Object.entries<Reply>(description.paths).flatMap(([path, methods]) =>
  Object.entries<Reply>(methods).flatMap(([method, spec]) =>
    spec.tags.includes('data') ? [] : [{ name: `${method.toUpperCase()} ${path}`, method: method.toUpperCase(), path, spec }],
  ),
)
/** A path with the examples of its parameters, or with an id. */
const filled = ({ path, spec }: (typeof others)[number], id?: string): string =>
  path.replaceAll(/\{(\w+)\}/g, (_whole, name) =>
    encodeURIComponent(name === 'id' && id ? id : spec.parameters.find((one: Reply) => one.name === name).example),
  )

// Downloads need a plan, as data does; test/api/features/exports/export.test.ts has their refusals.
describe.each(others.filter(({ spec }) => spec.security?.length > 0 && !spec.tags.includes('export')))('$name', (operation) => {
  const { path, method, spec } = operation
  // An operation for keys alone, without sessions, states the plan that the key needs.
  const isOfPlan = spec['x-plan'] !== undefined && !spec.security.some((one: Reply) => 'Session' in one)
  const refusalOf = (headers: object) => {
    if (!isOfPlan) return { code: 'key-required' }
    return 'Authorization' in headers ? { code: 'invalid-key' } : { code: 'key-required', more: ['required_plan', 'upgrade_url'] }
  }
  const asked = (): string[] => (path.includes('{id}') ? checks.ids.map((id) => filled(operation, id)) : [path])

  test('does nothing for a key that does not work, nor for none, and says the same of every id', async () => {
    const { accounts } = checks.service.access
    const of = await accounts.nameOf('a@example.org')
    const before = await accounts.list(of)
    expect(before.map(({ status }) => status)).toEqual(['ACTIVE'])
    for (const { key, code } of checks.broken)
      await checks.refusedAlike(asked().map((one) => ({ path: one, method, headers: { 'X-API-Key': key }, status: 401, code })))
    for (const headers of [{}, { Cookie: 'session=made-up' }, { Authorization: `Bearer ${await checks.service.key('PRO')}` }])
      await checks.refusedAlike(asked().map((one) => ({ path: one, method, headers, status: 401, ...refusalOf(headers) })))
    expect(await accounts.list(of)).toEqual(before)
  })
})

const open = others.filter(({ spec, method }) => !spec.security && method === 'GET').map((operation) => filled(operation))
describe.each([...open, ...Object.values(PAGES), '/account'])('%s', (path) => {
  test('is the same for every caller, with a key or without', async () => {
    const plain = await checks.send(path)
    for (const { key } of [...checks.broken, { key: await checks.service.key('ENTERPRISE') }]) {
      const response = await checks.send(path, 'GET', { 'X-API-Key': key })
      expect(response.status).toBe(plain.status)
      for (const name of ['content-type', 'cache-control', 'vary']) expect(response.headers.get(name), name).toBe(plain.headers.get(name))
      // Only a problem has an id, each its own.
      expect(response.headers.has('x-request-id')).toBe(plain.headers.has('x-request-id'))
      const text = await response.text()
      if (key.length > 10) expect(text).not.toContain(key.slice(4, 24))
    }
  })
})
