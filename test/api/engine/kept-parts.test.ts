import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type CachedViews, openCachedViews } from '../../../api/engine/state/cached-views.ts'
import { defineEndpoint, type MemoryAsk } from '../../../api/kernel/endpoint.ts'
import { record } from '../../../api/kernel/fields.ts'
import { required, textParam } from '../../../api/kernel/params/params.ts'
import { defineCachedQuery } from '../../../api/kernel/reads/cached-query.ts'
import { railAlerts } from '../../../lake/datasets/rail/alerts.ts'
import { railStationRegister } from '../../../lake/datasets/rail/station-register.ts'
import { railRoutes, railStations } from '../../../lake/datasets/rail/timetable.ts'
import { railPositions } from '../../../lake/datasets/rail/trains.ts'
import { isQueryError } from '../../../lake/query/errors.ts'
import { col } from '../../../lake/schema/columns.ts'
import { until } from '../../helpers/until.ts'
import { stationNames } from '../endpoints/fuel/station-names.ts'
import { FEEDS } from '../main/feed-listings.ts'
import { exampleRow, exampleTableRow, type Reply, startService, type TestService } from '../service.ts'
import { rowsOfDuckdb } from './table-readers.ts'

const ONE = 'renfe_gtfs_cercanias'
const OTHER = 'renfe_gtfs_avldmd'
const BEGIN = Date.parse('2026-08-21T22:00:00Z')

const allNames = defineCachedQuery({
  name: 'names of stations',
  from: [railStations],
  maxEntries: 1,
  read: (reader) => stationNames(reader),
})

/** The number of records built. */
let finished = 0

const fields = { id: railStations.columns.stop_id, name: railStations.columns.name }
const LAKE = {
  from: [railAlerts, railPositions],
  lake: [railStations, railRoutes, railStationRegister],
  needs: [railStations, railRoutes],
} as const
const names = defineEndpoint({
  path: '/api/names',
  domain: 'rail',
  plan: 'FREE',
  summary: 'Names',
  summary_es: 'Names',
  params: { feed: textParam('Feed.', { max: 40 }) },
  returns: {
    kind: 'list',
    name: 'names',
    record: record('PartName', 'A name.', fields),
    key: ['id'],
    id: 'id',
    sorts: ['id', 'name'],
    order: 'id',
    limit: { default: 2, max: 10 },
    counts: {
      since: col.instant(0, 'Since when.', { example: '2026-08-21T22:00:00.000Z' }),
      trains: col.integer(0, 'Trains.', { unit: '1', example: 3 }),
    },
  },
  read: {
    ...LAKE,
    kind: 'memory',
    parts: ({ feed }) => (feed === null ? null : [feed]),
    answer: async ({ cached: slice, states }) => ({
      drafts: (await slice(allNames, '')).map((station) => ({ ...station, isDraft: true })),
      finish: ({ id, name }: { readonly id: string; readonly name: string }) => {
        finished++
        return { id, name: `${name}!` }
      },
      counts: { since: BEGIN, trains: states[1].rows.length },
    }),
  },
  example: {},
})
const one = defineEndpoint({
  path: '/api/names/{id}',
  domain: 'rail',
  plan: 'FREE',
  summary: 'One name',
  summary_es: 'One name',
  params: { id: required(textParam('Station.', { max: 10 })) },
  returns: { kind: 'one', record: record('OnePartName', 'A name.', fields) },
  read: {
    ...LAKE,
    kind: 'memory',
    parts: () => [],
    answer: async ({ cached: slice }, { id }) => (await slice(allNames, '')).find((station) => station.id === id) ?? null,
    suggestion: async ({ cached: slice }: Pick<MemoryAsk<readonly []>, 'cached'>) => (await slice(allNames, ''))[0]?.id ?? null,
  },
  example: { id: '1' },
})

/** A service where some feeds have landed their part. */
async function withParts(parts: { readonly stations: readonly string[]; readonly routes: readonly string[] }): Promise<TestService> {
  const begun = await startService({ endpoints: [names, one] })
  for (const feed of parts.stations) {
    const rows = (IDS[feed] ?? []).map((stop_id) =>
      exampleTableRow(railStations, { stop_id, name: `Name ${stop_id}`, timetable_version: feed, valid_from: BEGIN }),
    )
    await begun.land(railStations, rows, BEGIN, [feed])
  }
  for (const feed of parts.routes) await begun.land(railRoutes, [exampleTableRow(railRoutes)], BEGIN, [feed])
  // The last landing shows in the replies that it makes possible.
  const last = parts.routes.at(-1)
  const path = last ? `/api/names?feed=${last}` : '/api/names/1'
  await until('landed', async () => (await begun.get(path)).status === 200)
  return begun
}

/** The stations of each feed. */
const IDS: Readonly<Record<string, readonly string[]>> = { [ONE]: ['1', '2', '3'], [OTHER]: ['4'] }

let service: TestService
beforeAll(async () => {
  service = await withParts({ stations: [ONE, OTHER], routes: [ONE, OTHER] })
})
afterAll(() => service?.close())

const refusalOf = async (asked: TestService, path: string): Promise<unknown[]> => {
  const response = await asked.get(path)
  const { code, detail } = (await response.json()) as Reply
  return [response.status, code, detail, response.headers.get('retry-after')]
}
const lacking = (feeds: string): unknown[] => [
  404,
  'no-data-yet',
  `Some data that this answer needs has not arrived yet: it waits for ${feeds}.`,
  '30',
]

describe('of tables that several feeds fill', () => {
  test("nothing is answered before the replies' data of every feed is there", async () => {
    const begun = await withParts({ stations: [ONE], routes: [] })
    onTestFinished(() => begun.close())
    // Routes have none yet.
    expect(await refusalOf(begun, '/api/names')).toEqual(lacking(`${ONE} and ${OTHER}`))
    expect(await refusalOf(begun, `/api/names?feed=${ONE}`)).toEqual(lacking(ONE))
  })

  test('once one has landed in all of them, what it has is answered, and the other is named', async () => {
    const begun = await withParts({ stations: [ONE], routes: [ONE] })
    onTestFinished(() => begun.close())
    const { total, meta } = await begun.json('/api/names')
    expect([total, meta.missing]).toEqual([3, [{ dataset: expect.any(String), feed: OTHER, reason: 'NOT_ARRIVED' }]])
    expect((await begun.json(`/api/names?feed=${ONE}`)).meta.missing).toBeUndefined()
    expect(await refusalOf(begun, `/api/names?feed=${OTHER}`)).toEqual(lacking(OTHER))
    expect(await begun.json('/api/names/1')).toMatchObject({ name: 'Name 1' })
    // Nobody knows whether the other has it.
    expect((await refusalOf(begun, '/api/names/4')).slice(0, 2)).toEqual([404, 'no-data-yet'])
  })

  test('only feeds that are turned on are waited for', async () => {
    const begun = await withParts({ stations: [ONE], routes: [ONE] })
    onTestFinished(() => begun.close())
    const kept = openKept(begun)
    const feeds = FEEDS.map((feed) => ({ ...feed, enabled: feed.id !== OTHER }))
    expect((await kept.state(LAKE, FEEDS)).awaited).toEqual([OTHER])
    expect((await kept.state(LAKE, feeds)).awaited).toEqual([])
    expect((await kept.state({ lake: LAKE.lake, needs: [] }, FEEDS)).awaited).toEqual([])
  })

  test('once all have landed, an unknown record is not found, with a near one as suggestion', async () => {
    expect((await service.get('/api/names')).status).toBe(200)
    expect((await service.get('/api/names/4')).status).toBe(200)
    const refusal = await refusalOf(service, '/api/names/5')
    expect(refusal.slice(0, 3)).toEqual([404, 'not-found', 'There is nothing under /api/names/5; did you mean 1?'])
  })
})

test('for a list of drafts only the records of the page are built, in its order', async () => {
  finished = 0
  const first = await service.json('/api/names?sort=-name')
  expect(first).toMatchObject({ total: 4, names: [{ id: '4', name: 'Name 4!' }, { id: '3' }], since: '2026-08-21T22:00:00.000Z' })
  expect(Object.keys(first.names[0])).toEqual(['id', 'name'])
  const second = await service.json(`/api/names?sort=-name&cursor=${encodeURIComponent(first.next_cursor)}`)
  expect(second).toMatchObject({ total: 4, names: [{ id: '2' }, { id: '1' }] })
  expect([second.next_cursor, finished]).toEqual([undefined, 4])
  expect(await service.json('/api/names?ids=3')).toMatchObject({ total: 1, names: [{ name: 'Name 3!' }] })
})

test('as a table such a list has the records and not their inputs, and Parquet has its counts', async () => {
  finished = 0
  const csv = await service.get('/api/names?sort=-name&format=csv')
  expect(await csv.text()).toBe('id,name\r\n4,Name 4!\r\n3,Name 3!\r\n')
  expect([csv.headers.get('link')?.includes('rel="next"'), finished]).toEqual([true, 2])
  const parquet = await service.get('/api/names?sort=-name&limit=100&format=parquet')
  const { rows, about } = await rowsOfDuckdb(fields, Buffer.from(await parquet.arrayBuffer()))
  expect([rows.length, rows[0], finished]).toEqual([4, { id: '4', name: 'Name 4!' }, 6])
  expect(JSON.parse(about.get('page') as string)).toMatchObject({ total: 4, since: '2026-08-21T22:00:00.000Z', trains: 0 })
})

test('the current state of one dataset is there though the first of them was never published', async () => {
  expect((await service.json('/api/names')).trains).toBe(0)
  await service.publish(railPositions, [exampleRow(railPositions)])
  const response = await service.get('/api/names')
  expect(await response.json()).toMatchObject({ trains: 1, updated_at: '2026-08-21T22:00:00.000Z' })
  // The other may come any time: it is published every 20 s.
  expect(response.headers.get('cache-control')).toContain('max-age=20,')
})

function openKept({ lake }: TestService): CachedViews {
  const kept = openCachedViews({
    lake,
    poll_ms: 60_000,
    clock: () => 0,
    onError: (error) => expect.unreachable(error.message),
  })
  onTestFinished(() => kept.close())
  return kept
}

describe('of a slice with a present', () => {
  const reads: string[] = []
  const most = { now: 0, ever: 0 }
  let open: PromiseWithResolvers<void> | null = null
  const days = defineCachedQuery({
    name: 'days',
    from: [railStations],
    maxEntries: 4,
    present: () => ['yesterday', 'today'],
    async read(_reader, key) {
      reads.push(key)
      most.ever = Math.max(most.ever, ++most.now)
      await open?.promise
      await new Promise((resolve) => setTimeout(resolve, 5))
      most.now--
      return key
    },
  })

  test('the present part stays, whatever else is requested', async () => {
    const kept = openKept(service)
    const get = (key: string): Promise<string> => kept.get(days, key)
    for (const key of ['today', 'yesterday', 'a', 'b', 'c', 'd']) await get(key)
    reads.length = 0
    for (const key of ['today', 'yesterday', 'c', 'd']) expect(await get(key)).toBe(key)
    expect(reads).toEqual([])
    await get('a')
    expect(reads).toEqual(['a'])
  })

  test('others are read one after the other, and not too many wait', async () => {
    const kept = openKept(service)
    // The tables are known from here on, so that the others come in the order of their calls.
    await kept.get(days, 'yesterday')
    Object.assign(most, { now: 0, ever: 0 })
    open = Promise.withResolvers()
    const keys = Array.from({ length: 28 }, (_, at) => `day ${at}`)
    const asked = keys.map((key) => kept.get(days, key).catch((error: unknown) => error))
    // A request of a record that is being loaded waits for the same load.
    const again = kept.get(days, 'day 11')
    const present = kept.get(days, 'today')
    await until('begun', () => most.now === 2)
    open.resolve()
    open = null
    expect([await again, await present]).toEqual(['day 11', 'today'])
    const answers = await Promise.all(asked)
    // One is being read, 24 wait.
    expect(answers.slice(0, 25)).toEqual(keys.slice(0, 25))
    expect(answers.slice(25).map((error) => isQueryError(error, 'busy'))).toEqual([true, true, true])
    expect([most.ever, reads.filter((key) => key === 'day 11').length]).toEqual([2, 1])
    expect(await kept.get(days, 'day 27')).toBe('day 27')
  })
})
