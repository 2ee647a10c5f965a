import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openCachedViews } from '../../../api/engine/state/cached-views.ts'
import { defineEndpoint } from '../../../api/kernel/endpoint.ts'
import { record } from '../../../api/kernel/fields.ts'
import { textParam } from '../../../api/kernel/params/params.ts'
import { defineCachedQuery } from '../../../api/kernel/reads/cached-query.ts'
import { railAlerts } from '../../../lake/datasets/rail/alerts.ts'
import { railRoutes, railStations } from '../../../lake/datasets/rail/timetable.ts'
import { landedProperties } from '../../../lake/landed.ts'
import { scan } from '../../../lake/query/scan.ts'
import { col } from '../../../lake/schema/columns.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { until } from '../../helpers/until.ts'
import { landRows } from '../../lake/query/fixtures.ts'
import { stationNames } from '../endpoints/fuel/station-names.ts'
import { exampleRow, exampleTableRow, type Reply, startService, type TestService } from '../service.ts'

function headOf(service: TestService, path: string): Promise<Response> {
  return service.ask(path, { method: 'HEAD' })
}

const FIRST = Date.parse('2026-08-21T22:00:00Z')
const SECOND = Date.parse('2026-08-22T22:00:00Z')

/** The reads of each key, and an error to throw instead once. */
const reads = new Map<string, number>()
let failure: Error | null = null

/** Names of the stations of the newest version that stations and routes both have; of one letter where the key is one. */
const newestNames = defineCachedQuery({
  name: 'station names',
  from: [railStations, railRoutes],
  maxEntries: 2,
  async read(reader, key) {
    reads.set(key, (reads.get(key) ?? 0) + 1)
    if (failure) throw failure
    const [newest] = (await reader.versions(railStations, railRoutes)).sort((one, other) => other.from - one.from)
    const all = await stationNames(reader, scan(railStations, { timetable_version: { eq: newest?.name ?? '' } }))
    return all.filter(({ name }) => name.startsWith(key))
  },
})

const shape = record('Name', 'A name.', { id: railStations.columns.stop_id, name: railStations.columns.name })
const names = defineEndpoint({
  path: '/api/names',
  domain: 'rail',
  plan: 'FREE',
  summary: 'Names',
  summary_es: 'Names',
  params: { letter: textParam('First letter.', { max: 10 }) },
  returns: {
    kind: 'list',
    name: 'names',
    record: shape,
    key: ['id'],
    id: 'id',
    sorts: ['id'],
    order: 'id',
    limit: { default: 2, max: 10 },
  },
  read: {
    kind: 'memory',
    from: [railAlerts],
    lake: [railStations, railRoutes],
    answer: async ({ cached: slice, states }, { letter }) => {
      const all = await slice(newestNames, letter ?? '')
      return states[0].rows.length > 0 ? all.map(({ id, name }) => ({ id, name: `${name}!` })) : all
    },
  },
  example: {},
})
const long = defineEndpoint({
  path: '/api/long-names',
  domain: 'rail',
  plan: 'FREE',
  summary: 'Names of more than five letters',
  summary_es: 'Names of more than five letters',
  params: {},
  returns: {
    kind: 'list',
    name: 'names',
    record: record('LongName', 'A name.', shape.fields),
    key: ['id'],
    sorts: ['id'],
    order: 'id',
    limit: { default: 1, max: 10 },
    counts: { shorter: col.integer(0, 'Names that are shorter.', { unit: '1', example: 3 }) },
  },
  read: {
    kind: 'memory',
    from: [],
    lake: [railStations, railRoutes],
    answer: async ({ cached: slice }) => {
      const all = await slice(newestNames, '')
      const records = all.filter(({ name }) => name.length > 5)
      return { records, counts: { shorter: all.length - records.length } }
    },
  },
  example: {},
})
const one = defineEndpoint({
  path: '/api/names/{id}',
  domain: 'rail',
  plan: 'FREE',
  summary: 'One name',
  summary_es: 'One name',
  params: { id: textParam('Station.', { max: 10 }) },
  returns: { kind: 'one', record: record('OneName', 'A name.', shape.fields) },
  read: {
    kind: 'memory',
    from: [],
    lake: [railStations, railRoutes],
    answer: async ({ cached: slice }, { id }) => (await slice(newestNames, '')).find((station) => station.id === id) ?? null,
  },
  example: { id: '1' },
})

/** A view of the current state, which names are added to. */
const named = defineEndpoint({
  path: '/api/named-alerts',
  domain: 'rail',
  plan: 'FREE',
  summary: 'Alerts and names',
  summary_es: 'Alerts and names',
  params: {},
  returns: {
    kind: 'list',
    name: 'alerts',
    record: record('NamedAlert', 'An alert.', { id: railAlerts.columns.alert_id, name: railStations.columns.name }),
    key: ['id'],
    sorts: ['id'],
    order: 'id',
    limit: { default: 10, max: 10 },
  },
  read: {
    kind: 'memory',
    needs: [],
    from: [railAlerts],
    lake: [railStations, railRoutes],
    answer: async ({ optional: extra, states }) => {
      const [first] = (await extra(newestNames, '')) ?? [{ name: 'unread' }]
      return states[0].rows.map((row) => ({ id: row.alert_id, name: first?.name ?? 'none' }))
    },
  },
  example: {},
})

let service: TestService
beforeAll(async () => {
  service = await startService({ endpoints: [names, long, one, named] })
})
afterAll(() => service?.close())

function rowsOf(
  dataset: typeof railStations | typeof railRoutes,
  version: { name: string; from: number },
  rows: readonly AnyRow[],
): AnyRow[] {
  return rows.map((row) => exampleTableRow(dataset, { timetable_version: version.name, valid_from: version.from, ...row }))
}

test('nothing has landed: there is no data yet, and no record is looked up', async () => {
  for (const path of ['/api/names', '/api/names/1']) {
    const response = await service.get(path)
    expect([response.status, ((await response.json()) as Reply).code]).toEqual([404, 'no-data-yet'])
  }
})

test('is read once for each key and state of the tables, and has their time', async () => {
  const version = { name: 'a', from: FIRST }
  await service.land(
    railStations,
    rowsOf(
      railStations,
      version,
      ['Avila', 'Burgos', 'Cuenca'].map((name, at) => ({ stop_id: `${at + 1}`, name })),
    ),
    FIRST,
  )
  await service.land(railRoutes, rowsOf(railRoutes, version, [{}]), FIRST)
  await until('landed', async () => (await service.get('/api/names/1')).status === 200)
  reads.clear()
  const reply = await service.json('/api/names?letter=B')
  expect(reply).toMatchObject({
    total: 1,
    updated_at: '2026-08-21T22:00:00.000Z',
    names: [{ id: '2', name: 'Burgos' }],
    meta: { cadence_s: 20 },
  })
  for (const path of ['/api/names?letter=B&fields=id', '/api/names?letter=B&limit=1', '/api/names?letter=B&sort=-id'])
    expect((await service.json(path)).total).toBe(1)
  expect(reads.get('B')).toBe(1)
  expect(await service.json('/api/names/3')).toMatchObject({ id: '3', name: 'Cuenca' })
  expect((await service.get('/api/names/4')).status).toBe(404)
})

test('pages, chooses by ids and answers 304 as every list does', async () => {
  const first = await service.json('/api/names')
  expect(first).toMatchObject({ total: 3, names: [{ id: '1' }, { id: '2' }] })
  expect(await service.json(`/api/names?cursor=${encodeURIComponent(first.next_cursor)}`)).toMatchObject({ names: [{ id: '3' }] })
  expect(await service.json('/api/names?ids=3')).toMatchObject({ total: 1 })
  const etag = (await service.get('/api/names')).headers.get('etag') as string
  expect((await service.get('/api/names', { 'If-None-Match': etag })).status).toBe(304)
})

test('a list includes the counts beside its records on every page', async () => {
  expect(await service.json('/api/long-names')).toMatchObject({ total: 2, names: [{ id: '2' }], shorter: 1 })
  expect(Object.keys(await service.json('/api/long-names'))).toEqual(['total', 'updated_at', 'names', 'shorter', 'next_cursor', 'meta'])
  const { paths } = await service.json('/openapi.json')
  const { schema } = paths['/api/long-names'].get.responses[200].content['application/json']
  expect([schema.required, schema.properties.shorter.type]).toEqual([['total', 'updated_at', 'names', 'shorter', 'meta'], 'integer'])
  expect(() =>
    defineEndpoint({ ...long, read: { kind: 'memory', from: [railAlerts], records: () => [], pick: () => [] } } as never),
  ).toThrow('only lists that `answer` makes have counts')
})

test('the least recently used go first', async () => {
  await service.json('/api/names?letter=X')
  await service.json('/api/names?letter=Y')
  reads.clear()
  await service.json('/api/names?letter=Y&limit=1')
  await service.json('/api/names?letter=X&limit=1')
  expect(reads.size).toBe(0)
  await service.json('/api/names?letter=Z')
  await service.json('/api/names?letter=Y&sort=-id')
  expect([...reads]).toEqual([
    ['Z', 1],
    ['Y', 1],
  ])
})

test('a view of the current state is there once the state is, with or without tables', async () => {
  const failed = await service.get('/api/named-alerts')
  expect([failed.status, ((await failed.json()) as Reply).detail]).toEqual([
    404,
    'No data of Railway alerts has arrived yet: it waits for renfe_alerts, renfe_trip_updates, and renfe_trip_updates_ld.',
  ])
  const other = await startService({ endpoints: [named] })
  onTestFinished(() => other.close())
  await other.publish(railAlerts, [exampleRow(railAlerts)], { at: FIRST })
  const bare = await other.get('/api/named-alerts')
  expect(await bare.json()).toMatchObject({ updated_at: '2026-08-21T22:00:00.000Z', alerts: [{ name: 'none' }] })
  const version = { name: 'a', from: FIRST }
  await other.land(railStations, rowsOf(railStations, version, [{ stop_id: '1', name: 'Avila' }]), FIRST)
  await other.land(railRoutes, rowsOf(railRoutes, version, [{}]), FIRST)
  await until('added', async () => (await other.json('/api/named-alerts')).alerts[0].name === 'Avila')
  expect((await other.get('/api/named-alerts')).headers.get('etag')).not.toBe(bare.headers.get('etag'))
})

test('a failed read is a problem once, not for ever', async () => {
  failure = new Error('out of order')
  expect((await service.get('/api/names?letter=Q')).status).toBe(500)
  failure = null
  expect((await service.get('/api/names?letter=Q')).status).toBe(200)
})

test('a current state beside it makes another answer and its time', async () => {
  const before = (await service.get('/api/names')).headers.get('etag')
  await service.publish(railAlerts, [exampleRow(railAlerts)], { at: SECOND })
  const response = await service.get('/api/names')
  expect(response.headers.get('etag')).not.toBe(before)
  expect(await response.json()).toMatchObject({ updated_at: '2026-08-22T22:00:00.000Z', names: [{ name: 'Avila!' }, { name: 'Burgos!' }] })
})

test('an optional part that cannot be read is left out, under a tag of its own and for that reply alone', async () => {
  const other = await startService({ endpoints: [named] })
  onTestFinished(() => other.close())
  const version = { name: 'a', from: FIRST }
  await other.land(railStations, rowsOf(railStations, version, [{ stop_id: '1', name: 'Avila' }]), FIRST)
  await other.land(railRoutes, rowsOf(railRoutes, version, [{}]), FIRST)
  await other.publish(railAlerts, [exampleRow(railAlerts)])
  failure = new Error('out of order')
  const partial = await other.get('/api/named-alerts')
  const partialTable = await other.get('/api/named-alerts?format=csv')
  const partialHeads = await Promise.all(['', '?format=csv'].map((query) => headOf(other, `/api/named-alerts${query}`)))
  failure = null
  const whole = await other.get('/api/named-alerts')
  const wholeTable = await other.get('/api/named-alerts?format=csv')
  const nameIn = async (reply: Response): Promise<unknown> => ((await reply.json()) as Reply).alerts[0].name
  expect([partial.status, await nameIn(partial), await nameIn(whole)]).toEqual([200, 'unread', 'Avila'])
  expect(partial.headers.get('etag')).not.toBe(whole.headers.get('etag'))
  // The next request may get all of it.
  expect(partial.headers.get('cache-control')).toMatch(/max-age=1,/)
  const rowIn = async (reply: Response): Promise<string | undefined> => (await reply.text()).split('\r\n')[1]
  expect([await rowIn(partialTable), await rowIn(wholeTable)]).toEqual([
    expect.stringMatching(/,unread$/),
    expect.stringMatching(/,Avila$/),
  ])
  expect(partialTable.headers.get('etag')).not.toBe(wholeTable.headers.get('etag'))
  expect([partialTable.headers.get('last-modified'), wholeTable.headers.get('last-modified')]).toEqual([null, expect.any(String)])
  const tagsOf = (replies: readonly Response[]): (string | null)[] => replies.map(({ headers }) => headers.get('etag'))
  expect(tagsOf(partialHeads)).toEqual(tagsOf([partial, partialTable]))
  const wholeHeads = await Promise.all(['', '?format=csv'].map((query) => headOf(other, `/api/named-alerts${query}`)))
  expect(tagsOf(wholeHeads)).toEqual(tagsOf([whole, wholeTable]))
})

test('a client with the complete reply that gets a partial one pays for it as for any other', async () => {
  const other = await startService({ endpoints: [named] })
  onTestFinished(() => other.close())
  const version = { name: 'a', from: FIRST }
  await other.land(railStations, rowsOf(railStations, version, [{ stop_id: '1', name: 'Avila' }]), FIRST)
  await other.land(railRoutes, rowsOf(railRoutes, version, [{}]), FIRST)
  await other.publish(railAlerts, [exampleRow(railAlerts)])
  const ask = async (headers: Record<string, string> = {}): Promise<[status: number, left: number]> => {
    const response = await other.get('/api/named-alerts', headers)
    return [response.status, Number(/"day";r=(\d+)/.exec(response.headers.get('ratelimit') as string)?.[1])]
  }
  const since = { 'If-Modified-Since': new Date(Date.now() + 60_000).toUTCString() }
  failure = new Error('out of order')
  const [status, left] = await ask(since)
  expect([status, await ask()]).toEqual([200, [200, left - 1]])
  expect(await ask(since)).toEqual([200, left - 2])
  failure = null
  expect(await ask()).toEqual([200, left - 3])
  expect(await ask(since)).toEqual([304, left - 3])
})

test('a failure to read an optional part of a reply is logged', async () => {
  const logged: string[] = []
  const kept = openCachedViews({ lake: service.lake, poll_ms: 60_000, clock: () => FIRST, onError: ({ message }) => logged.push(message) })
  onTestFinished(() => kept.close())
  failure = new Error('out of order')
  const none = await kept.optional(newestNames, 'Z')
  failure = null
  expect([none, logged]).toEqual([null, ['out of order']])
  expect(await kept.optional(newestNames, 'Z')).toEqual([])
})

test('a version that is landing shows once all tables have it, and is read before anybody asks', async () => {
  const version = { name: 'b', from: SECOND }
  const path = '/api/names/7'
  expect((await service.get(path)).status).toBe(404)
  const etag = (await service.get('/api/names/1')).headers.get('etag')
  reads.clear()
  await service.land(railStations, rowsOf(railStations, version, [{ stop_id: '7', name: 'Granada' }]), SECOND)
  await until('looked', async () => (await service.get('/api/names/1')).headers.get('etag') !== etag)
  expect((await service.get(path)).status).toBe(404)
  await service.land(railRoutes, rowsOf(railRoutes, version, [{}]), SECOND)
  await until('shown', async () => (await service.get(path)).status === 200)
  expect(await service.json(path)).toMatchObject({ name: 'Granada' })
  expect((await service.get('/api/names/1')).status).toBe(404)
  // Once for each of the two landings.
  expect(reads.get('')).toBe(2)
})

test('a version that takes the place of its name shows once all tables hold its publication', async () => {
  const version = { name: 'b', from: SECOND }
  const properties = (seq: number): Record<string, string> =>
    Object.fromEntries(
      Object.entries(
        landedProperties('renfe_gtfs_cercanias', {
          seqs: [[1, seq]],
          lost: [],
          withdrawn: [],
          until: SECOND,
          rebuildFrom: null,
          rebuilds: 0,
          rebuilt: [],
          landedBy: null,
        }),
      ).filter((entry): entry is [string, string] => entry[1] !== null),
    )
  const land = (dataset: typeof railStations | typeof railRoutes, values: AnyRow, seq: number): Promise<unknown> =>
    landRows(service.lake, dataset, rowsOf(dataset, version, [values]), { properties: properties(seq) })
  await land(railRoutes, {}, 1)
  await land(railStations, { stop_id: '8', name: 'Huelva' }, 1)
  await until('shown', async () => (await service.get('/api/names/8')).status === 200)
  reads.clear()
  await land(railStations, { stop_id: '9', name: 'Irun' }, 2)
  // Looked at every 100 ms.
  await new Promise((resolve) => setTimeout(resolve, 600))
  expect([(await service.get('/api/names/9')).status, reads.size]).toEqual([404, 0])
  await land(railRoutes, {}, 2)
  await until('shown', async () => (await service.get('/api/names/9')).status === 200)
  expect(reads.get('')).toBe(1)
})

test('a cached query without requests is read again for two changes of its tables, and then dropped', async () => {
  await service.json('/api/names?letter=H')
  reads.clear()
  for (let n = 0; n < 4; n++) {
    const before = reads.get('') ?? 0
    await service.land(
      railStations,
      rowsOf(railStations, { name: `n${n}`, from: SECOND }, [{ stop_id: `${n}`, name: 'Huesca' }]),
      SECOND + n,
    )
    await until('read again', () => (reads.get('') ?? 0) > before)
    await service.json('/api/names?letter=')
    await until('reported', async () => ((await service.get('/api/names/1')).status, (reads.get('') ?? 0) > before))
  }
  expect(reads.get('H')).toBe(2)
})
