import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { PROJECT } from '../../../laws/sources.ts'

const read = (path: string): unknown => JSON.parse(readFileSync(join(PROJECT, path), 'utf8'))

const input = {
  description: z.string().optional(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
  placeholder: z.string().optional(),
}
const named = z.strictObject({ name: z.string().min(1), ...input })
/** Version of a package or server: one, not a range. */
const version = z.string().regex(/^\d+\.\d+\.\d+$/)

/** The rules of the registry's schema of 2025-12-11, for the members that we use. Others are refused, so typing errors show. */
const serverJson = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version,
  packages: z.array(
    z.strictObject({
      registryType: z.literal('npm'),
      registryBaseUrl: z.literal('https://registry.npmjs.org'),
      identifier: z.string().min(1),
      version,
      runtimeHint: z.literal('npx'),
      transport: z.strictObject({ type: z.literal('stdio') }),
      environmentVariables: z.array(named),
    }),
  ),
  remotes: z.array(
    z.strictObject({
      type: z.literal('streamable-http'),
      url: z.string().regex(/^https?:\/\/\S+$/),
      variables: z.record(z.string(), z.strictObject(input)),
      headers: z.array(named),
    }),
  ),
})

const server = serverJson.parse(read('api/features/mcp/server.json'))
const manifest = read('api/features/mcp/package/package.json') as Record<string, unknown>
const project = read('package.json') as Record<string, Record<string, string>>

test('the entry of the registry and the package name each other', () => {
  const [entry] = server.packages
  expect(manifest['mcpName']).toBe(server.name)
  expect([entry?.identifier, entry?.version]).toEqual([manifest['name'], manifest['version']])
  expect(server.version).toBe(manifest['version'])
  expect(manifest['private']).toBeUndefined()
})

test('variables of the address are declared, and a key is secret', () => {
  for (const { url, variables, headers } of server.remotes) {
    expect([...url.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)).toEqual(Object.keys(variables))
    expect(headers.map(({ name, isSecret }) => [name, isSecret])).toEqual([['X-API-Key', true]])
  }
  const text = readFileSync(join(PROJECT, 'api/features/mcp/package/main.js'), 'utf8')
  for (const { name } of server.packages[0]?.environmentVariables ?? []) expect(text).toContain(name)
})

test('the package depends on the versions that the project is tested with', () => {
  const own = { ...project['dependencies'], ...project['devDependencies'] }
  for (const [name, wanted] of Object.entries(manifest['dependencies'] as Record<string, string>))
    expect([name, own[name]]).toEqual([name, wanted])
})
