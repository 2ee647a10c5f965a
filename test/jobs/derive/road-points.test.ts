import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Posts } from '../../../api/endpoints/road/posts.ts'
import { distanceM } from '../../../api/kernel/reads/geo.ts'
import { derive } from '../../../jobs/derive/derive.ts'
import { roadPointsDerived } from '../../../jobs/derive/road/road-points.ts'
import { feedById } from '../../../jobs/feeds/catalog.ts'
import { tryFeed } from '../../../jobs/ingest/try.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { fuelStations } from '../../../lake/datasets/fuel/prices.ts'
import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { roadPoints } from '../../../lake/datasets/road/road-network.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import { v16Beacons } from '../../../lake/datasets/road/v16.ts'
import { vmsDevices } from '../../../lake/datasets/road/vms.ts'
import { commit } from '../../../lake/iceberg/commit.ts'
import { liveFiles } from '../../../lake/iceberg/files.ts'
import type { TableState } from '../../../lake/iceberg/table.ts'
import type { LiveFile } from '../../../lake/iceberg/types.ts'
import type { Post } from '../../../lake/places/place-on-road.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import { exampleTableRow } from '../../api/service.ts'
import { openTestContext, type TestContext, tableRows } from '../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { deepTest, TIER } from '../../helpers/tier.ts'
import { landRows } from '../../lake/query/fixtures.ts'

const shared = sharedFolder()
const DAY_MS = 86_400_000
const AT = Date.UTC(2026, 0, 10, 12)
/** Metres of a degree of latitude, as the derivation has it. */
const DEGREE_M = 111_195
let redis: TestRedis
let context: TestContext
beforeEach(async () => {
  redis = await startTestRedis()
  context = await openTestContext({ folder: tempFolder(), redisUrl: redis.url, publisher: '' })
  await prepareTables(context, [incidents, v16Beacons, fuelStations, vmsDevices, trafficSensors, roadPoints])
})
afterEach(async () => {
  await context.close()
  await redis.stop()
})

let things = 0
const land = (dataset: Dataset, rows: readonly AnyRow[], until = AT + DAY_MS): Promise<unknown> =>
  landRows(context.lake, dataset, rows, { properties: { 'landed-until.dgt_incidents': new Date(until).toISOString() } })
const nowhere = { km_to: null, to: null }
/** A thing that many metres north of 40° N on a road. */
const located = (dataset: Dataset, km: number, north_m: number, rest: AnyRow = {}): AnyRow =>
  exampleTableRow(dataset, {
    ...(dataset === fuelStations ? { station_id: `s${++things}`, source: 'miteco', position_issue: null } : {}),
    ...(dataset === vmsDevices ? { panel_id: `p${++things}` } : {}),
    ...(dataset === trafficSensors ? { sensor_id: `d${++things}`, source: 'dgt' } : {}),
    ...(dataset === incidents || dataset === v16Beacons ? { source_id: `t${++things}` } : {}),
    ...(dataset === incidents ? nowhere : {}),
    ...{ road: 'A-3', km, province_code: '16', position: { lat: 40 + north_m / DEGREE_M, lon: -2 }, observed_at: AT },
    ...rest,
  })
const incident = (km: number, north_m: number, rest: AnyRow = {}): AnyRow => located(incidents, km, north_m, rest)

async function made(rows: {
  incidents?: AnyRow[]
  beacons?: AnyRow[]
  stations?: AnyRow[]
  panels?: AnyRow[]
  sensors?: AnyRow[]
}): Promise<AnyRow[]> {
  await land(incidents, rows.incidents ?? [])
  await land(v16Beacons, rows.beacons ?? [])
  await land(fuelStations, rows.stations ?? [])
  await land(vmsDevices, rows.panels ?? [])
  await land(trafficSensors, rows.sensors ?? [])
  await derive(context, roadPointsDerived, { feeds: [], signal: new AbortController().signal })
  return (await tableRows(context, roadPoints)).sort((one, other) => (one['km'] as number) - (other['km'] as number))
}
const northOf = ({ position }: AnyRow): number => Math.round(((position as Post['position']).lat - 40) * DEGREE_M)

test('spellings of a road are one road: N-II is N-2', async () => {
  const rows = await made({ incidents: [incident(10, 0, { road: 'N-II' }), incident(10, 20, { road: 'N-2' })] })
  expect(rows.map(({ records }) => records)).toEqual([2])
})

test('a point is the median of the things there, each counted once, and as far off as the farthest of them', async () => {
  const again = incident(10.04, 0, { source_id: 'same' })
  const points = await made({
    incidents: [
      again,
      { ...again, observed_at: AT + 60_000, is_baseline: true },
      incident(9.96, 40),
      incident(10, 300, { road: 'A3', observed_at: AT + 120_000 }),
      // A metre from the others' kilometre by name, far away on the ground: of another place.
      incident(10, 9000),
    ],
    // A beacon and the far end of an incident are places of their own.
    beacons: [located(v16Beacons, 12, 2000)],
  })
  expect(points.map((one) => [one['road'], one['km'], northOf(one), one['records'], one['error_m'], one['source']])).toEqual([
    ['A-3', 10, 40, 3, 260, 'dgt'],
    ['A-3', 12, 2000, 1, 100, 'dgt'],
  ])
  expect(points.map(({ month, observed_at }) => [month, observed_at])).toEqual([
    ['2026-01', AT + 120_000],
    ['2026-01', AT],
  ])
})

test('the end of an incident is a place as its begin is, and a km of 0 or none is no place', async () => {
  const points = await made({
    incidents: [
      incident(10, 0, { km_to: 12, to: { lat: 40 + 2000 / DEGREE_M, lon: -2 } }),
      incident(0, 500),
      incident(14, 4000, { province_code: null }),
      exampleTableRow(incidents, { ...nowhere, source_id: 'x', km: null, observed_at: AT }),
    ],
  })
  expect(points.map((one) => [one['km'], northOf(one)])).toEqual([
    [10, 0],
    [12, 2000],
  ])
})

test('a detector is a place of the road, at the position of its newest record; a sensor of a street is not', async () => {
  const detector = located(trafficSensors, 11, 1000)
  const points = await made({
    incidents: [incident(10, 0)],
    sensors: [
      { ...detector, position: { lat: 40.05, lon: -2 }, observed_at: AT - DAY_MS },
      detector,
      located(trafficSensors, 12, 2000, { source: 'madrid', road: null, km: null }),
    ],
  })
  expect(points.map(({ road, km, source, records }) => ({ road, km, source, records }))).toEqual([
    { road: 'A-3', km: 10, source: 'dgt', records: 1 },
    { road: 'A-3', km: 11, source: 'dgt', records: 1 },
  ])
})

test('a message panel is a place of the road, where its newest record has it', async () => {
  const moved = located(vmsDevices, 11, 1000)
  const points = await made({
    incidents: [incident(90, 0)],
    panels: [
      { ...moved, km: 10, position: { lat: 40, lon: -2 } },
      { ...moved, observed_at: AT + 60_000 },
    ],
    // An address at the same tenth of a kilometre as a panel does not count.
    stations: [located(fuelStations, 11, 1400)],
  })
  expect(points.map((one) => [one['km'], northOf(one), one['records'], one['error_m'], one['source']])).toEqual([
    [11, 1000, 1, 100, 'dgt'],
    [90, 0, 1, 100, 'dgt'],
  ])
})

test('a place farther from all its neighbours than the road is long is left out, alone on its road it stays', async () => {
  const points = await made({
    incidents: [
      ...[10, 11, 12, 13].map((km) => incident(km, (km - 10) * 1000)),
      incident(12.5, 9000),
      incident(11.5, 1500),
      // Two that contradict each other and nothing else to decide which is right.
      incident(40, 0),
      incident(41, 6000),
      incident(90, 0),
    ],
  })
  expect(points.map(({ km }) => km)).toEqual([10, 11, 11.5, 12, 13, 90])
})

test('an address counts where no authority has the post and the posts around agree with it', async () => {
  const station = (km: number, north_m: number, rest: AnyRow = {}): AnyRow => located(fuelStations, km, north_m, rest)
  const points = await made({
    incidents: [10, 14].map((km) => incident(km, (km - 10) * 1000)),
    stations: [
      station(10, 200),
      station(12, 2100),
      // An older count, 1.5 km off; a station that is gone; an impossible position; no post near.
      station(13, 4500),
      station(11, 1000, { status: 'MISSING', last_seen_at: AT }),
      station(11.5, 1500, { position_issue: 'OUTSIDE_PROVINCE' }),
      station(60, 50_000),
    ],
  })
  expect(points.map((one) => [one['km'], one['source'], one['error_m']])).toEqual([
    [10, 'dgt', 100],
    [12, 'miteco', 1000],
    [14, 'dgt', 100],
  ])
})

test('a month has the records of twelve months, and days that go on are not in it', async () => {
  const old = AT - 400 * DAY_MS
  const points = await made({
    incidents: [
      incident(10, 0, { observed_at: old }),
      incident(20, 0, { observed_at: AT - 200 * DAY_MS }),
      incident(30, 0),
      incident(40, 0, { observed_at: AT + DAY_MS }),
    ],
  })
  const newest = points.filter(({ month }) => month === '2026-01')
  expect(newest.map(({ km }) => km)).toEqual([20, 30])
  expect(points.filter(({ month }) => month === '2024-12').map(({ km }) => km)).toEqual([10])
})

describe('the first day', () => {
  const MINUTE_MS = 60_000
  const HOUR_MS = 60 * MINUTE_MS
  /** Lands incidents with a publication at an instant, and returns the known kilometres. */
  async function knownAfter(at: number, kms: readonly number[]): Promise<unknown[]> {
    const rows = kms.map((km) => incident(km, km * 1000, { observed_at: at }))
    await land(incidents, rows, at)
    await derive(context, roadPointsDerived, { feeds: [], signal: new AbortController().signal })
    return (await tableRows(context, roadPoints)).map(({ km }) => km).sort((one, other) => (one as number) - (other as number))
  }

  test('has points from the first landing on, then by the hour, and by the day once a whole one is over', async () => {
    const begin = Date.UTC(2026, 0, 10, 9, 41)
    expect(await knownAfter(begin, [10])).toEqual([10])
    // A whole hour, from 10 to 11 o'clock, is over: the one that goes on does not count.
    expect(await knownAfter(begin + 90 * MINUTE_MS, [11])).toEqual([10])
    // The first day was none from begin to end, so that hours count on the second too.
    expect(await knownAfter(begin + 26 * HOUR_MS, [12])).toEqual([10, 11])
    // On the third day the second is over.
    expect(await knownAfter(begin + 51 * HOUR_MS, [13])).toEqual([10, 11, 12])
  })

  test('is the same in the first minutes of a month, and where stations were published the evening before', async () => {
    // 00:05 of 1 February in Madrid.
    const begin = Date.UTC(2026, 0, 31, 23, 5)
    await landRows(context.lake, fuelStations, [located(fuelStations, 20, 20_000, { observed_at: begin - 20 * MINUTE_MS })], {
      properties: { 'landed-until.fuel_stations': new Date(begin - 20 * MINUTE_MS).toISOString() },
    })
    expect(await knownAfter(begin, [18, 19])).toEqual([18, 19, 20])
  })

  test('is not taken for over by a file without bounds, as DuckDB writes', async () => {
    const begin = Date.UTC(2026, 0, 10, 9, 41)
    await knownAfter(begin, [10])
    const [theirs] = await landRows(context.lake, incidents, [incident(11, 11_000, { observed_at: begin })])
    const table = context.lake.table(incidents)
    const file = (await liveFiles((await table.load({ isFresh: true })) as TableState)).find(({ key }) => key === theirs?.key) as LiveFile
    const key = `${table.key}/data/duckdb.parquet`
    await context.store.put(key, (await context.store.get(file.key)) as Buffer)
    await commit({ table, operation: 'replace', add: [{ ...file, key, metrics: new Map() }], remove: [file] })
    expect(await knownAfter(begin + MINUTE_MS, [12])).toEqual([10, 11, 12])
  })

  deepTest('the known places do not depend on the number of derivations', async () => {
    const begin = Date.UTC(2026, 0, 10, 9, 41)
    const publications = [0, 1, 90, 150, 1440, 1500].map((minutes, nth) => ({ at: begin + minutes * MINUTE_MS, km: 10 + nth }))
    let last: unknown[] = []
    for (const { at, km } of publications) last = await knownAfter(at, [km])
    const other = await openTestContext({ folder: tempFolder(), redisUrl: redis.url, publisher: '' })
    try {
      await prepareTables(other, [incidents, v16Beacons, fuelStations, vmsDevices, trafficSensors, roadPoints])
      const rows = publications.map(({ at, km }) => incident(km, km * 1000, { observed_at: at }))
      const until = new Date(publications.at(-1)?.at ?? 0).toISOString()
      await landRows(other.lake, incidents, rows, { properties: { 'landed-until.dgt_incidents': until } })
      await derive(other, roadPointsDerived, { feeds: [], signal: new AbortController().signal })
      expect((await tableRows(other, roadPoints)).map(({ km }) => km).sort()).toEqual(last)
    } finally {
      await other.close()
    }
  })
})

test.skipIf(!shared || TIER === 'default')(
  'all but one in twenty of the real posts held out lie within the stated error of their computed place',
  { timeout: 120_000 },
  async () => {
    const rowsOf = async (feed: string, file: string, dataset: Dataset): Promise<AnyRow[]> => {
      const bytes = readFileSync(join(shared as string, 'feeds', file))
      const plain = file.endsWith('.gz') ? gunzipSync(bytes) : bytes
      const { rows } = await tryFeed(feedById(feed), { files: [{ name: 'capture', bytes: plain }], at: AT, rowsOf: dataset })
      return rows.map((row) => ({ ...exampleTableRow(dataset), ...row, fetch_id: `${feed}.1`, observed_at: AT }))
    }
    const dgt = 'dgt-datex2/situation_datex2_v36_20260102T132328+0100.xml.gz'
    const points = (await made({
      incidents: [
        ...(await rowsOf('dgt_incidents', dgt, incidents)),
        ...(await rowsOf('sct_incidents', 'sct-incidencies/incidenciesGML_20260203T19GMT.xml', incidents)),
      ],
      beacons: await rowsOf('dgt_incidents', dgt, v16Beacons),
      stations: await rowsOf('fuel_stations', 'miteco-eess/EstacionesTerrestres_FiltroProvincia_08_20250927T180547.json', fuelStations),
    })) as unknown as Post[]
    expect(points.length).toBeGreaterThan(500)
    const errors = points.flatMap((post) => {
      const others = new Posts(points.filter((other) => other !== post))
      const [found] = others.at(post.road.replaceAll(/[^A-Za-z0-9]/g, '').toUpperCase(), post.km, post.province_code)
      return found && found.before !== found.after ? [{ off_m: distanceM(found.position, post.position), told_m: found.error_m }] : []
    })
    const within = errors.filter(({ off_m, told_m }) => off_m <= told_m)
    expect(errors.length).toBeGreaterThan(40)
    expect(within.length / errors.length).toBeGreaterThan(0.95)
  },
)
