import { expect, test } from 'vitest'
import { endpoints } from '../../../api/endpoints/catalog.ts'
import { namedRecords } from '../../../api/engine/answers/named-records.ts'
import { listOfIds, requestOf } from '../../../api/engine/request/example-request.ts'
import { checkRepresentation, requestReader } from '../../../api/engine/request/request.ts'
import { DOWNLOAD_PATH } from '../../../api/features/exports/download.ts'
import { STREAM_PATH } from '../../../api/features/stream/routes.ts'
import { pathParams } from '../../../api/kernel/endpoint.ts'
import { exampleTexts, isListed } from '../../../api/kernel/example.ts'
import type { RecordShape } from '../../../api/kernel/fields.ts'
import { type Format, formatsOf } from '../../../api/kernel/formats.ts'
import { membersOf, recordSchema } from '../../../api/kernel/reads/shape.ts'
import { inLanguage } from '../../../api/main/describe/in-language.ts'
import { bilingual } from '../../../api/main/describe/openapi.ts'
import { onlyJson } from '../../../api/main/describe/openapi-media.ts'
import { openapi } from '../openapi.ts'
import type { Reply } from '../service.ts'
import { lint } from './lint-description.ts'

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly description?: string
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly description: string
    readonly schema: { readonly type?: string; readonly minItems?: number; readonly items?: { readonly type?: string } }
  }[]
  readonly security?: readonly object[]
  readonly responses: Readonly<Record<string, Response>>
  readonly 'x-example-request'?: string
}

interface Response {
  readonly $ref?: string
  readonly description: string
  readonly headers?: object
}

const description = openapi(endpoints, 'https://api.example.org')
const components = description['components'] as { readonly responses: Readonly<Record<string, Response>> }
const operations = Object.entries(description['paths'] as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
  Object.values(methods).map((operation) => ({ path, ...operation })),
)

test('the description is valid OpenAPI 3.1, without a word from the recommended rules', async () => {
  expect(await lint({ openapi: '3.1.1', info: {}, paths: {} }, 'recommended')).toContainEqual(expect.stringContaining('error struct'))
  expect(await lint(description, 'recommended')).toEqual([])
  expect(description['openapi']).toMatch(/^3\.1\./)
})

/** The schemas anywhere in a part of the description, with their places; examples are none. */
function* schemasIn(part: unknown, place = ''): Generator<readonly [place: string, schema: Record<string, unknown>]> {
  if (typeof part !== 'object' || part === null) return
  const { type, ...others } = part as Record<string, unknown>
  if (typeof type === 'string' || Array.isArray(type) || 'const' in part) yield [place, part as Record<string, unknown>]
  for (const [name, value] of Object.entries({ ...others, ...(typeof type === 'object' ? { type } : {}) }))
    if (!['example', 'examples', 'enum', 'const', 'default'].includes(name)) yield* schemasIn(value, `${place}/${name}`)
}

test('every number has a format, every constant a type, and no type is a union but with null', () => {
  const schemas = [...schemasIn(description)]
  const numbers = schemas.filter(([, { type }]) => [type].flat().some((one) => one === 'integer' || one === 'number'))
  expect(numbers.length).toBeGreaterThan(1000)
  const formatsOf = (type: unknown): string[] => ([type].flat().includes('integer') ? ['int32', 'int64'] : ['double'])
  expect(numbers.filter(([, { type, format }]) => !formatsOf(type).includes(format as string)).map(([place]) => place)).toEqual([])
  const unions = schemas.filter(([, { type }]) => Array.isArray(type) && (type.length !== 2 || type[1] !== 'null'))
  expect(unions.map(([place]) => place)).toEqual([])
  expect(schemas.filter(([, { type }]) => type === undefined).map(([place]) => place)).toEqual([])
  const anyOf = schemas.filter(([, schema]) => 'type' in schema && 'anyOf' in schema)
  expect(anyOf.map(([place]) => place)).toEqual([])
})

test('geometries are components, with positions that generators can read', () => {
  const text = JSON.stringify(description)
  expect(text).not.toContain('"coordinates":{"type":"array"}')
  const schemas = (description['components'] as { schemas: Record<string, unknown> }).schemas
  const geometries = Object.keys(schemas).filter((name) => name.endsWith('Geometry'))
  expect(geometries).toEqual(['PointGeometry', 'LineGeometry', 'PolygonGeometry', 'MultiPolygonGeometry'])
  // The schema that is an example of /schemas/{name} has none of the components.
  const drawn = [...schemasIn(description)].filter(([, { properties }]) => 'coordinates' in ((properties as object | undefined) ?? {}))
  expect(drawn).toHaveLength(geometries.length)
  for (const name of geometries) expect(text.split(`#/components/schemas/${name}"`).length, name).toBeGreaterThan(1)
})

test('with JSON only, it is the same description without the other media types of replies that have a JSON form', () => {
  const json = onlyJson(description) as { paths: Record<string, Record<string, Operation & { responses: Record<string, Reply> }>> }
  for (const { path, responses } of operations) {
    const of = Object.values(json.paths[path] ?? {}).flatMap((one) => Object.entries(one.responses))
    for (const [status, { content = {} }] of of) {
      const all = Object.keys((responses[status] as { content?: object })?.content ?? {})
      const readable = all.filter((type) => ['application/json', 'application/problem+json'].includes(type))
      if (Object.keys(json.paths[path] ?? {}).length === 1) expect(Object.keys(content), path).toEqual(readable.length > 0 ? readable : all)
    }
  }
  const names = endpoints.flatMap(({ path }) => json.paths[path]?.['get']?.parameters?.map(({ name }) => name) ?? [])
  expect([names.includes('fields'), names.includes('dialect'), names.includes('codec'), names.includes('decimals')]).toEqual([
    true,
    false,
    false,
    false,
  ])
})

test('the documented bounds and default of limit are those of every format', () => {
  const limitOf = (whole: object, path: string): Reply =>
    (whole as Reply).paths[path].get.parameters.find(({ name }: { name: string }) => name === 'limit').schema
  const json = onlyJson(description)
  const lists = endpoints.filter(({ returns }) => returns.kind === 'list')
  for (const endpoint of lists) {
    const inPath = Object.fromEntries(pathParams(endpoint.path).map((name) => [name, exampleTexts(endpoint.example, null)[name] as string]))
    const reader = requestReader(endpoint)
    const read = (format: string, limit: number | null): number | null => {
      const url = new URL(requestOf(endpoint, { format }), 'http://localhost')
      url.searchParams.delete('limit')
      if (limit !== null) url.searchParams.set('limit', String(limit))
      const { page } = reader(`${url.pathname}${url.search}`, inPath)
      checkRepresentation(endpoint, page, format as Format)
      return page.limit
    }
    const { minimum, maximum, default: usual = null, 'x-maximum-by-format': most } = limitOf(description, endpoint.path)
    expect(Object.keys(most)).toEqual(formatsOf(endpoint.returns))
    expect([maximum, minimum]).toEqual([Math.max(...(Object.values(most) as number[])), 1])
    expect(limitOf(json, endpoint.path)).toMatchObject({ minimum, maximum: most.json })
    for (const [format, max] of Object.entries<number>(most)) {
      for (const limit of [minimum, max]) expect(read(format, limit), endpoint.path).toBe(limit)
      for (const limit of [minimum - 1, max + 1]) expect(() => read(format, limit), endpoint.path).toThrow(/limit/)
      expect(read(format, null), endpoint.path).toBe(usual)
    }
  }
})

test('every record requires all its members but those that only some replies have', () => {
  const schemas = (description['components'] as { schemas: Record<string, { properties: object; required: string[] }> }).schemas
  for (const [name, { fields, sometimes = [], omitsNull = [] }] of namedRecords(endpoints)) {
    const { properties, required } = schemas[name] as { properties: object; required: string[] }
    expect(Object.keys(properties), name).toEqual(expect.arrayContaining(required))
    const left = membersOf(fields).filter((member) => !required.includes(member.name))
    expect([...new Set(left.map(({ field }) => field))].sort(), name).toEqual([...new Set([...sometimes, ...omitsNull])].sort())
  }
})

test('every record has one schema', () => {
  const schemas = (description['components'] as { schemas: Record<string, unknown> }).schemas
  const byShape = Map.groupBy(Object.entries(schemas), ([, schema]) => JSON.stringify(schema))
  const doubled = [...byShape.values()].filter((same) => same.length > 1).map((same) => same.map(([name]) => name))
  expect(doubled).toEqual([])
})

test('every operation of data names its domain first, and its plan', () => {
  const tags = (description['tags'] as { name: string }[]).map(({ name }) => name)
  for (const { path, domain, plan } of endpoints) {
    const operation = operations.find((one) => one.path === path) as Operation
    expect(operation.tags[0], path).toBe(domain)
    expect(operation.tags.filter((name) => !tags.includes(name))).toEqual([])
    expect(operation.description, path).toMatch(new RegExp(`^Plan: ${plan}\\.`))
    expect((operation as unknown as { 'x-plan': string })['x-plan']).toBe(plan)
  }
})

test('every summary is in Spanish, too, at most 80 characters', () => {
  const spanish = inLanguage(bilingual(endpoints, 'https://api.example.org'), 'es')
  const paths = spanish['paths'] as Record<string, Record<string, { summary: string; operationId: string }>>
  for (const { summary, operationId } of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    expect(summary, operationId).toMatch(/^.{2,80}$/)
    expect(summary, operationId).not.toBe(operations.find((one) => one.operationId === operationId)?.summary)
  }
  expect(paths['/api/incidents']?.['get']?.summary).toBe('Incidencias activas en las carreteras españolas')
  expect(Object.keys(spanish)).toEqual(Object.keys(description))
  expect(JSON.stringify([spanish, description])).not.toContain('summary_es')
})

test('every endpoint is described, once, as data', () => {
  const data = operations.filter((one) => one.tags.includes('data'))
  // The stream and the files of exports are data too, but no declared endpoints.
  expect(data.map((one) => one.path).toSorted()).toEqual([...endpoints.map(({ path }) => path), DOWNLOAD_PATH, STREAM_PATH].toSorted())
  const ids = operations.map((one) => one.operationId)
  expect(new Set(ids).size).toBe(ids.length)
})

test('every parameter is described, and path parameters are those of the path', () => {
  for (const { path, parameters = [] } of operations) {
    const names = parameters.map((one) => one.name)
    expect(new Set(names).size, path).toBe(names.length)
    for (const one of parameters) expect(one.description.length, `${path} ${one.name}`).toBeGreaterThan(5)
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
    expect(parameters.filter((one) => one.in === 'path').map((one) => one.name)).toEqual(inPath)
  }
})

test('a list that is given has at least one value, as an empty one is refused', () => {
  const lists = operations.flatMap(({ parameters = [] }) => parameters.filter(({ schema }) => schema.type === 'array'))
  expect(lists.length).toBeGreaterThan(50)
  for (const { name, schema } of lists) expect([name, schema.minItems]).toEqual([name, 1])
})

test('every requested number has a unit, is a count of records or a name', () => {
  const numbers = operations.flatMap(({ path, parameters = [] }) =>
    parameters
      .filter(({ schema }) => ['integer', 'number'].includes(schema.items?.type ?? schema.type ?? ''))
      .map((one) => ({ path, ...one })),
  )
  expect(numbers.length).toBeGreaterThan(50)
  const NAMES = ['district', 'direction', 'version', 'year', 'years']
  for (const { path, name, description: about } of numbers.filter((one) => !NAMES.includes(one.name)))
    expect(about, `${path} ${name}`).toMatch(name === 'limit' ? /^Records per reply/ : / Unit: \S+\.$/)
})

test('states who may call, and how other callers are refused', () => {
  for (const { path, plan } of endpoints) {
    const { security, responses } = operations.find((one) => one.path === path) as Operation
    expect(security, path).toEqual(plan === 'FREE' ? [{}, { ApiKey: [] }] : [{ ApiKey: [] }])
    const codes = (status: string): string[] => {
      const [, name = status] = /responses\/(.+)$/.exec(responses[status]?.$ref ?? '') ?? []
      return [...(components.responses[name]?.description.matchAll(/`([\w-]+)`:/g) ?? [])].map(([, code]) => code as string)
    }
    expect(codes('401'), path).toEqual(['key-required', 'invalid-key', 'revoked-key', 'expired-key'])
    expect(codes('403'), path).toEqual(['plan-required', 'https-required'])
    const { 503: away } = responses
    const isOfLake = away?.description?.includes('query-timeout') === true
    expect(codes('429'), path).toEqual(isOfLake ? ['quota-exceeded', 'concurrency'] : ['quota-exceeded'])
  }
  expect(operations.filter(({ tags }) => tags.includes('platform')).every(({ security }) => security === undefined)).toBe(true)
})

test('limits are documented with every reply that may have them', () => {
  const limits = ['RateLimit-Policy', 'RateLimit', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']
  for (const { path } of endpoints) {
    const { responses } = operations.find((one) => one.path === path) as Operation
    for (const status of ['200', '304']) expect(Object.keys(responses[status]?.headers ?? {}), path).toEqual(expect.arrayContaining(limits))
  }
  for (const name of ['429', '429Lake'])
    expect(Object.keys(components.responses[name]?.headers ?? {})).toEqual(expect.arrayContaining(['Retry-After', ...limits]))
})

test('every endpoint names a request that answers: its example', () => {
  for (const endpoint of endpoints) {
    const operation = operations.find(({ path }) => path === endpoint.path)
    expect(operation?.['x-example-request']).toBe(requestOf(endpoint))
  }
})

test('example requests name days by the document they are in, and ids that come and go the list that has those of now', () => {
  const paths = (now: number) =>
    (openapi(endpoints, 'https://api.example.org', undefined, now) as { paths: Record<string, { get: Operation }> }).paths
  // Two minutes before midnight in Madrid, and two after it.
  const [before, after] = [paths(Date.UTC(2026, 10, 22, 22, 58)), paths(Date.UTC(2026, 10, 22, 23, 2))]
  const moved = '/api/trenes/rutas/{id}/horarios'
  expect(before[moved]?.get['x-example-request']).toBe('/api/trenes/rutas/10T0001C1/horarios?date=2026-11-22')
  expect(after[moved]?.get['x-example-request']).toBe('/api/trenes/rutas/10T0001C1/horarios?date=2026-11-23')
  const listed = endpoints.filter(({ example }) => Object.values(example).some(isListed))
  expect(listed.length).toBeGreaterThan(2)
  for (const endpoint of listed) {
    const from = listOfIds(endpoint, endpoints)
    const request = from && requestOf(from.list, {}, Date.UTC(2026, 10, 22, 23, 2))
    const parameters = (after[endpoint.path]?.get as unknown as { parameters: Record<string, unknown>[] }).parameters
    expect(
      parameters.flatMap((one) => one['x-example-id-from'] ?? []),
      endpoint.path,
    ).toEqual([request])
  }
})

test('the parameters that have an example are those of the example request, as all of them may be sent at once', () => {
  for (const endpoint of endpoints) {
    const operation = operations.find(({ path }) => path === endpoint.path) as unknown as { parameters: Record<string, unknown>[] }
    const shown = operation.parameters.flatMap(({ name, example }) => (example === undefined ? [] : [name as string]))
    expect(shown.sort(), endpoint.path).toEqual(Object.keys(endpoint.example).sort())
  }
})

test('a record with two ends and no line documents that its GeoJSON is a point', () => {
  const paths = ['/api/incidents', '/api/incidents/{id}', '/api/incidents/{id}/history']
  for (const one of operations.filter(({ path }) => paths.includes(path))) {
    expect(one.description, one.path).toMatch(/without a line.*GeoJSON.*Point.*`to_lat`/s)
    const { properties } = recordSchema(endpoints.find(({ path }) => path === one.path)?.returns.record as RecordShape, { strict: false })
    expect(Object.keys(properties as object)).toEqual(expect.arrayContaining(['lat', 'lon', 'to_lat', 'to_lon']))
  }
})

test('counts, sums, and figures of weather, mobility and accidents state what each figure stands for, and its method', () => {
  const ofFigures = endpoints.filter(
    ({ path, params }) => 'group_by' in params || 'time' in params || /[/](stats$|weather|clima|movilidad|accidentes)/.test(path),
  )
  // A codebook has no figures.
  for (const { path, statistic: figure } of ofFigures) expect(figure !== undefined, path).toBe(!path.endsWith('/diccionario'))
})

test('documents the columns that an endpoint shows of a dataset of a higher plan', () => {
  const paths = description['paths'] as Record<string, { get?: Record<string, unknown> }>
  const shown = Object.entries(paths).flatMap(([path, { get }]) => (get?.['x-excerpts'] ? [[path, get['x-excerpts']]] : []))
  const declared = endpoints.flatMap(({ path, excerpts }) =>
    excerpts ? [[path, excerpts.map(({ of, columns }) => ({ dataset: of.id, plan: of.plan.live, columns }))]] : [],
  )
  expect(shown).toEqual(declared)
  expect(shown).toContainEqual(['/api/trenes/estaciones/{id}/salidas', [{ dataset: 'rail_positions', plan: 'PRO', columns: ['platform'] }]])
})
