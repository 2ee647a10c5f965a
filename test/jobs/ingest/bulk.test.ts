import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FormatError } from '../../../jobs/feeds/define.ts'
import { mitmaOvernightStays } from '../../../jobs/feeds/mobility/mitma-overnight-stays.ts'
import { mitmaDistrictTrips, mitmaGauTrips, mitmaTrips, mitmaV1Trips } from '../../../jobs/feeds/mobility/mitma-trips.ts'
import { isBulk, makeBulk } from '../../../jobs/ingest/bulk.ts'
import { parsePublication } from '../../../jobs/ingest/parse.ts'
import { rebuild } from '../../../jobs/ingest/rebuild.ts'
import { makeRunner, type Runner } from '../../../jobs/ingest/runner.ts'
import { dropSpooled } from '../../../jobs/ingest/spool.ts'
import { landedIn } from '../../../jobs/ingest/tables.ts'
import {
  mobilityDistrictTrips,
  mobilityGauTrips,
  mobilityOvernightStays,
  mobilityTrips,
  mobilityV1Trips,
} from '../../../lake/datasets/mobility/trips.ts'
import { liveFiles } from '../../../lake/iceberg/files.ts'
import type { TableState } from '../../../lake/iceberg/table.ts'
import { acceptedAfter, rejectedIds } from '../../../lake/raw/archive.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { startPublishers } from '../../../scripts/stand-in/server.ts'
import { openTestContext, type TestContext, tableRows } from '../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { PROJECT } from '../../laws/sources.ts'

const never = new AbortController().signal
/** When files were fetched, ms: after the period that they cover. */
const AT = Date.UTC(2026, 10, 1)
const FIXTURE = readFileSync(join(PROJECT, 'test/fixtures/mitma_trips/20220201_Viajes_municipios.csv')).toString()
const HEADER = FIXTURE.split('\n')[0] as string
const feed = { ...mitmaTrips, bands: { mobility_trips: { atLeast: 1, minRatio: 0.5, maxRatio: 2 } } }

/** The same feed, with days that may have any number of rows. */
const lax = { ...mitmaTrips, bands: {} }

let redis: TestRedis
let context: TestContext
let runner: Runner
let close: () => Promise<void>
/** The publisher's files, by period. */
const files = new Map<string, string>()

beforeEach(async () => {
  files.clear()
  redis = await startTestRedis()
  const server = createServer((incoming, response) => response.end(gzipSync(files.get(String(incoming.url).slice(1)) ?? '')))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  context = await openTestContext({
    folder: tempFolder(),
    redisUrl: redis.url,
    publisher: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  })
  runner = makeRunner(context)
  close = async () => {
    await context.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await redis.stop()
  }
})
afterEach(() => close())

const dayOf = (day: string, trips = 1): string => FIXTURE.replaceAll(/^20220201/gm, day).replaceAll('|2.925|', `|${trips}|`)
const take = (period: string) => runner.takeFile(feed, { period, url: `https://publisher.example/${period}` }, never)
const made = (text: string | Buffer, name = '2022-02-01', of = mitmaTrips) =>
  makeBulk(context, of as Parameters<typeof makeBulk>[1], {
    bodies: [{ name, bytes: Buffer.from(text) }],
    fetch_id: 'mitma_trips.20260101T000000000Z',
    fetchedAt: AT,
    signal: never,
  })
const tripLines = async (): Promise<string[]> =>
  (await tableRows(context, mobilityTrips)).map(({ local_date, origin_zone, destination_zone, hour, trips }) =>
    [local_date, origin_zone, destination_zone, hour, trips].join(' '),
  )
/** Nothing but the engine's own spill folder. */
const scratch = (): string[] => readdirSync(context.lake.engine.folder).filter((name) => !name.startsWith('spill-'))

const sorted = (rows: readonly AnyRow[]): string[] =>
  rows
    .map((row) =>
      JSON.stringify(
        Object.entries(row)
          .filter(([name]) => name !== 'fetch_id')
          .sort(([one], [other]) => (one < other ? -1 : 1)),
      ),
    )
    .sort()

/** Thousandths of trips by zones, hour and distance: the lines of a file, added up one by one. */
function addedUp(text: string): Map<string, number> {
  const [header = '', ...lines] = text.trim().split('\n')
  const at = ['origen', 'destino', 'periodo', 'distancia', 'viajes'].map((name) => header.split('|').indexOf(name))
  const sums = new Map<string, number>()
  for (const line of lines) {
    const [origin, destination, hour, band, trips] = at.map((place) => line.split('|')[place])
    const key = [origin, destination, Number(hour), band].join(' ')
    sums.set(key, (sums.get(key) ?? 0) + Math.round(Number(trips) * 1000))
  }
  return sums
}

test('a file lands as its lines added up, as in a sample, and leaves no scratch file', {
  timeout: 60_000,
}, async () => {
  expect(isBulk(mitmaTrips)).toBe(true)
  const publishers = await startPublishers({
    source: { kind: 'simulated', speed: 0, start: Date.parse('2025-06-20T08:00:00Z'), scale: 'small' },
  })
  const url = `${publishers.url}/movilidad-opendata.mitma.es/estudios_basicos/por-municipios/viajes/ficheros-diarios/2025-03/20250330_Viajes_municipios.csv.gz`
  const day = gunzipSync(Buffer.from(await (await fetch(url)).arrayBuffer())).toString()
  await publishers.close()
  // A day on which the clock skips an hour, with a line in that hour, an unknown band and the columns in another order.
  const odd = `${HEADER.split('|').reverse().join('|')}\n140.2|3.1|NA|NA|10-15|01|no|no|casa|casa|50-100|01002|01001|2|20250330\n`
  for (const text of [day, odd]) {
    const parsed = await parsePublication(mitmaTrips, [{ name: '2025-03-30', bytes: Buffer.from(text) }], AT, { keeps: () => true })
    const { publication, staged } = await made(gzipSync(text), '2025-03-30')
    expect([publication.counts, publication.report.unknownCodes]).toEqual([parsed.counts, parsed.report.unknownCodes])
    await staged.drop()
    files.set('2025-03-30', text)
    expect(await runner.takeFile(lax, { period: '2025-03-30', url: 'https://publisher.example/2025-03-30' }, never)).toMatchObject({
      outcome: 'accepted',
    })
    await runner.land(lax, never)
    const landed = await tableRows(context, mobilityTrips)
    expect(sorted(landed)).toEqual(sorted(parsed.rows.get('mobility_trips') as readonly AnyRow[]))
    const keyOf = (row: AnyRow): string => [row.origin_zone, row.destination_zone, row.hour, row.distance_band].join(' ')
    expect(new Map(landed.map((row) => [keyOf(row), Math.round((row.trips as number) * 1000)]))).toEqual(addedUp(text))
    expect(landed.filter(({ hour }) => hour === 2).every(({ starts_at, is_clock_change }) => starts_at === null && is_clock_change)).toBe(
      true,
    )
  }
  expect(scratch()).toEqual([])
})

test('a day of each level and study lands in the table of that level alone, as in a sample', { timeout: 60_000 }, async () => {
  for (const [one, dataset, file, day = '2022-02-01'] of [
    [mitmaV1Trips, mobilityV1Trips, 'mitma_v1_trips/20210201_maestra_1_mitma_municipio.txt', '2021-02-01'],
    [mitmaTrips, mobilityTrips, 'mitma_trips/20220201_Viajes_municipios.csv'],
    [mitmaDistrictTrips, mobilityDistrictTrips, 'mitma_district_trips/20220201_Viajes_distritos.csv'],
    [mitmaGauTrips, mobilityGauTrips, 'mitma_gau_trips/20220201_Viajes_GAU.csv'],
    [mitmaOvernightStays, mobilityOvernightStays, 'mitma_overnight_stays/20220101_Pernoctaciones_municipios.csv', '2022-01-01'],
  ] as const) {
    const bytes = readFileSync(join(PROJECT, 'test/fixtures', file))
    const parsed = await parsePublication(one, [{ name: day, bytes }], AT, { keeps: () => true })
    files.set(day, bytes.toString())
    const taken = { ...one, bands: {} }
    expect(await runner.takeFile(taken, { period: day, url: `https://publisher.example/${day}` }, never)).toMatchObject({
      outcome: 'accepted',
    })
    await runner.land(taken, never)
    expect(sorted(await tableRows(context, dataset))).toEqual(sorted(parsed.rows.get(dataset.id) as readonly AnyRow[]))
  }
  // No level took the place of another.
  expect((await tableRows(context, mobilityTrips)).map(({ zone_level }) => zone_level)).toEqual(Array(3).fill('MUNICIPALITY'))
})

test('columns that are not read are counted as a file lands', async () => {
  const text = 'personas|fuente|zona_pernoctacion|zona_residencia|fecha\n2.5|x|01003|01001|20220101\n'
  const { publication, staged } = await made(text, '2022-01-01', mitmaOvernightStays)
  expect([publication.report.unknownCodes, staged.rows]).toEqual([{ mitma_column: { fuente: 1 } }, 1])
  await staged.drop()
})

test('each day is one file; a corrected one replaces it, and an unneeded rebuild changes nothing', {
  timeout: 60_000,
}, async () => {
  files.set('2022-02-01', dayOf('20220201')).set('2022-02-02', dayOf('20220202'))
  for (const period of ['2022-02-02', '2022-02-01'])
    expect(await take(period)).toMatchObject({ outcome: 'accepted', rows: { mobility_trips: 3 } })
  // Another worker lands the first: its files are not there.
  await dropSpooled(context, feed)
  expect(await runner.land(feed, never)).toEqual({ mobility_trips: 6 })
  const state = async () => (await context.lake.table(mobilityTrips).load()) as TableState
  expect((await liveFiles(await state())).map(({ rows }) => rows)).toEqual([3, 3])
  expect((await tripLines()).filter((line) => line.includes('01002 8'))).toEqual([
    '2022-02-01 01001 01002 8 4.1',
    '2022-02-02 01001 01002 8 4.1',
  ])
  expect(await rebuild(context, { feed, dataset: mobilityTrips, from: 0, to: null })).toEqual({ fetches: 2, removed: 0, added: 0 })

  expect(await take('2022-02-01')).toMatchObject({ outcome: 'unchanged' })
  files.set('2022-02-01', dayOf('20220201', 7))
  expect(await take('2022-02-01')).toMatchObject({ outcome: 'accepted' })
  await runner.land(feed, never)
  expect((await tripLines()).filter((line) => line.includes('01002 8'))).toEqual([
    '2022-02-01 01001 01002 8 10.1',
    '2022-02-02 01001 01002 8 4.1',
  ])
  expect((await liveFiles(await state())).map(({ rows }) => rows)).toEqual([3, 3])
  expect(await rebuild(context, { feed, dataset: mobilityTrips, from: 0, to: null })).toEqual({ fetches: 3, removed: 0, added: 0 })

  // Taken back, the former file of the day counts again.
  const [newest] = await acceptedAfter(context.store, feed.id, 2)
  await runner.withdraw(feed, newest?.fetch_id as string, () => runner.land(feed, never))
  expect((await tripLines()).filter((line) => line.includes('01002 8'))).toEqual([
    '2022-02-01 01001 01002 8 4.1',
    '2022-02-02 01001 01002 8 4.1',
  ])
  expect(await landedIn(context, mobilityTrips, feed.id)).toMatchObject({ seqs: [[1, 3]], lost: [] })
  expect(scratch()).toEqual([])
})

test('a day later than the fetch is refused', async () => {
  await expect(made(dayOf('20261102'), '2026-11-02')).rejects.toThrow('day_starts_at is later than the fetch')
})

test('a file with a bad line is refused whole, kept apart with the reason, and can be accepted once it is right', {
  timeout: 60_000,
}, async () => {
  const [, line = ''] = FIXTURE.split('\n')
  for (const [text, reason] of [
    [`${HEADER}\n${line}|more\n`, 'not as it should be'],
    [`${HEADER}\n${line.replace('2.925', 'NA')}\n`, 'not as it should be'],
    [`${HEADER}\n${line.replace('20220201', '20220202')}\n`, 'a day other than the file: 20220202'],
    [`${HEADER}\n${line.replace('|8|', '|24|')}\n`, 'hour is beyond 23'],
    [`${HEADER}\n`, 'no row'],
    [`${HEADER.replace('viajes_km', 'km')}\n${line}\n`, 'the header lacks viajes_km'],
    [gzipSync(FIXTURE).subarray(0, -20), 'no whole gzip file'],
  ] as const) {
    await expect(made(text)).rejects.toThrow(FormatError)
    await expect(made(text)).rejects.toThrow(reason)
  }
  files.set('2022-02-01', `${HEADER}\n${line}|more\n`)
  expect(await take('2022-02-01')).toMatchObject({ outcome: 'rejected' })
  expect(scratch()).toEqual([])
  files.set('2022-02-01', FIXTURE)
  await take('2022-02-01')
  files.set('2022-02-01', [HEADER, line, ''].join('\n'))
  expect(await take('2022-02-01')).toMatchObject({ outcome: 'rejected', reason: expect.stringContaining('1 rows after 3') })
  const waiting = (await rejectedIds(context.store, feed.id)).at(-1) as string
  expect(await runner.accept(feed, waiting)).toMatchObject({ period: '2022-02-01', rows: { mobility_trips: 1 } })
  await runner.land(feed, never)
  expect(await tripLines()).toEqual(['2022-02-01 01001 01002 8 2.925'])
})
