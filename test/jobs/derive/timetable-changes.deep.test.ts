import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { derive } from '../../../jobs/derive/derive.ts'
import { timetableChanges } from '../../../jobs/derive/rail/timetable-changes.ts'
import { feeds } from '../../../jobs/feeds/catalog.ts'
import { renfeGtfsAvldmd, renfeGtfsCercanias } from '../../../jobs/feeds/rail/renfe-gtfs.ts'
import { parsePublication } from '../../../jobs/ingest/parse.ts'
import { makeRunner } from '../../../jobs/ingest/runner.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { railCalendar, railRoutes, railStations, railTimetableChanges, railTrips } from '../../../lake/datasets/rail/timetable.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import { dayBounds } from '../../../lake/schema/time.ts'
import { originOf } from '../../../scripts/service/parts.ts'
import { startPublishers } from '../../../scripts/stand-in/server.ts'
import { exampleTableRow } from '../../api/service.ts'
import { openTestContext, type TestContext, tableRows } from '../../helpers/pipeline.ts'
import { startTestRedis, type TestRedis } from '../../helpers/redis.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { zipOfFolder } from '../../helpers/zip.ts'
import { landRows } from '../../lake/query/fixtures.ts'

const shared = sharedFolder()
const never = new AbortController().signal
const DAY = 86_400_000

let redis: TestRedis
let context: TestContext
beforeEach(async () => {
  redis = await startTestRedis()
  context = await openTestContext({ folder: tempFolder(), redisUrl: redis.url, publisher: '' })
  await prepareTables(context, [...timetableChanges.from, railTimetableChanges])
})
afterEach(async () => {
  await context.close()
  await redis.stop()
})

/** A trip: route, train, variant, days on which it runs. */
type Trip = readonly [route: string, train: string | null, variant: string | null, ...days: readonly string[]]

interface Version {
  readonly day: string
  readonly stations: Readonly<Record<string, string>>
  /** Line or product and name by id; the first two characters of a commuter route are its network. */
  readonly routes: Readonly<Record<string, readonly [line: string | null, name: string | null]>>
  readonly trips: readonly Trip[]
}

/** Lands a version as a feed would. Trip and service ids are new in every one, as the publisher's are. */
async function land(network: 'CERCANIAS' | 'AVLDMD', { day, stations, routes, trips }: Version): Promise<void> {
  const nucleo = (route: string): string | null => (network === 'CERCANIAS' ? route.slice(0, 2) : null)
  const version = { network, timetable_version: `${network.toLowerCase()}-${day}`, valid_from: dayBounds(day).start }
  const fetch_id = `renfe.${day}`
  const tableRow = (dataset: Dataset, values: AnyRow): AnyRow => ({ ...exampleTableRow(dataset, values), fetch_id })
  const rows = trips.map(([route_id, train_number, variant, ...days], nth) => {
    const trip_id = train_number === null ? 'SPECIAL' : `${day}/${nth}`
    return { route_id, train_number, variant, days, trip_id, service_id: `${day}/${nth}`, nucleo_code: nucleo(route_id) }
  })
  await landRows(
    context.lake,
    railStations,
    Object.entries(stations).map(([stop_id, name]) => tableRow(railStations, { ...version, stop_id, name })),
  )
  await landRows(
    context.lake,
    railRoutes,
    Object.entries(routes).map(([route_id, [short_name, long_name]]) =>
      tableRow(railRoutes, { ...version, route_id, nucleo_code: nucleo(route_id), short_name, long_name }),
    ),
  )
  await landRows(
    context.lake,
    railTrips,
    rows.map(({ days: _, ...row }) => tableRow(railTrips, { ...version, ...row })),
  )
  await landRows(
    context.lake,
    railCalendar,
    rows.flatMap(({ days, service_id, nucleo_code }) =>
      days.map((service_date) => tableRow(railCalendar, { ...version, service_id, service_date, nucleo_code })),
    ),
  )
}

/** The table's summary. */
async function stated(): Promise<Readonly<Record<string, string>>> {
  return (await context.lake.table(railTimetableChanges).load())?.properties ?? {}
}

const run = () => derive(context, timetableChanges, { feeds: [], signal: never })
const changes = async (what: string): Promise<unknown[][]> =>
  (await tableRows(context, railTimetableChanges))
    .filter((row) => row.what === what)
    .map(({ change, subject_id, name, nucleo_code, line, train_number, variant, service_days, first_day, last_day }) => [
      change,
      subject_id,
      ...(what === 'TRIP' ? [line, train_number, variant, service_days, first_day, last_day] : [name, nucleo_code, line]),
    ])
    .sort((one, other) => (String(one) < String(other) ? -1 : 1))

describe('hand-written timetables', () => {
  const COMMUTER: Version = {
    day: '2026-08-22',
    stations: { '18000': 'Atocha', '17000': 'Chamartín', '05000': 'Gijón' },
    routes: { '10T0001C1': ['C1', 'Chamartín - Atocha'], '10T0002C2': ['C2', null], '20T0001C1': ['C1', null], '10T0009X': [null, null] },
    trips: [
      // By day: each day has a trip of its own.
      ['10T0001C1', '19799', null, '2026-08-22'],
      ['10T0001C1', '19799', null, '2026-08-23'],
      ['10T0001C1', '19799', null, '2026-08-24'],
      ['10T0001C1', '19801', null, '2026-08-23'],
      ['10T0001C1', '19801', null, '2026-08-24'],
      ['10T0002C2', '19799', null, '2026-08-23'],
      ['20T0001C1', '19799', null, '2026-08-22', '2026-08-23', '2026-08-24'],
      ['10T0001C1', null, null, '2026-08-23'],
    ],
  }

  test('stations, routes and lines that are new or gone; a line is of its network', async () => {
    await land('CERCANIAS', COMMUTER)
    await land('CERCANIAS', {
      ...COMMUTER,
      day: '2026-08-23',
      stations: { '18000': 'Madrid-Atocha', '17000': 'Chamartín', '37000': 'Sants' },
      routes: {
        '10T0001C1': ['C1', 'otro nombre'],
        '10T0003C1': ['C1', 'Atocha'],
        '51T0001R2': ['R2', 'Sants'],
        '20T0002C2': ['C2', null],
      },
    })
    expect(await run()).toMatchObject({ made: ['cercanias-2026-08-23'], waits: false })
    expect(await changes('STATION')).toEqual([
      ['ADDED', '37000', 'Sants', null, null],
      ['GONE', '05000', 'Gijón', null, null],
    ])
    expect(await changes('ROUTE')).toEqual([
      ['ADDED', '10T0003C1', 'Atocha', '10', 'C1'],
      ['ADDED', '20T0002C2', null, '20', 'C2'],
      ['ADDED', '51T0001R2', 'Sants', '51', 'R2'],
      ['GONE', '10T0002C2', null, '10', 'C2'],
      ['GONE', '10T0009X', null, '10', null],
      ['GONE', '20T0001C1', null, '20', 'C1'],
    ])
    // C1 of Madrid has another route and stays; C1 of Asturias is gone.
    expect(await changes('LINE')).toEqual([
      ['ADDED', '20/C2', 'C2', '20', 'C2'],
      ['ADDED', '51/R2', 'R2', '51', 'R2'],
      ['GONE', '10/C2', 'C2', '10', 'C2'],
      ['GONE', '20/C1', 'C1', '20', 'C1'],
    ])
    const [row] = await tableRows(context, railTimetableChanges)
    expect(row).toMatchObject({
      network: 'CERCANIAS',
      timetable_version: 'cercanias-2026-08-23',
      previous_version: 'cercanias-2026-08-22',
      valid_from: Date.parse('2026-08-22T22:00:00Z'),
      fetch_id: 'renfe.2026-08-23',
    })
  })

  test('commuter trains by line, number and day, on the days that both versions cover', async () => {
    await land('CERCANIAS', COMMUTER)
    await land('CERCANIAS', {
      ...COMMUTER,
      day: '2026-08-23',
      trips: [
        // The 22nd is over and the 25th is new: no change of this train. The next one lost a day and changed its number.
        ['10T0001C1', '19799', null, '2026-08-23', '2026-08-24', '2026-08-25'],
        ['10T0001C1', '19801', null, '2026-08-24'],
        ['10T0001C1', '19803', null, '2026-08-23', '2026-08-24', '2026-08-25'],
        // Same number on another line; in Asturias the timetable ends a day sooner, which takes no train away.
        ['10T0001C1', '19799', null, '2026-08-24'],
        ['20T0001C1', '19799', null, '2026-08-23'],
        ['10T0001C1', null, null, '2026-08-23'],
      ],
    })
    await run()
    expect(await changes('TRIP')).toEqual([
      ['ADDED', '10/C1/19803', 'C1', '19803', null, 2, '2026-08-23', '2026-08-24'],
      ['GONE', '10/C1/19801', 'C1', '19801', null, 1, '2026-08-23', '2026-08-23'],
      ['GONE', '10/C2/19799', 'C2', '19799', null, 1, '2026-08-23', '2026-08-23'],
    ])
  })

  test('a commuter network that is not in a version has no days to compare', async () => {
    await land('CERCANIAS', COMMUTER)
    await land('CERCANIAS', { ...COMMUTER, day: '2026-08-23', trips: COMMUTER.trips.filter(([route]) => !route.startsWith('20')) })
    await run()
    expect(await changes('TRIP')).toEqual([])
  })

  const LONG: Version = {
    day: '2026-03-23',
    stations: { '60000': 'Madrid' },
    routes: { '6000071801AV006': ['AVE', null], '6000037606GL023': ['ALVIA', null] },
    trips: [
      ['6000071801AV006', '00190', '1', '2026-03-23', '2026-03-24', '2026-03-25', '2026-03-27'],
      ['6000071801AV006', '00190', '2', '2026-03-26'],
      ['6000037606GL023', '00263', '1', '2026-03-24', '2026-03-25'],
      ['6000037606GL023', '00265', '1', '2026-03-24'],
      ['6000037606GL023', '00269', '1', '2026-03-25', '2026-03-26'],
    ],
  }

  test('long-distance trains by number, variant and calendar, whatever ids and products they get', async () => {
    await land('AVLDMD', LONG)
    await land('AVLDMD', {
      ...LONG,
      day: '2026-03-24',
      routes: { '6000071801AV006': ['AVLO', null], '6000037606GL023': ['ALVIA', null] },
      trips: [
        // In force: issued again from today on, in two trips.
        ['6000071801AV006', '00190', '1', '2026-03-24', '2026-03-25'],
        ['6000071801AV006', '00190', '1', '2026-03-27', '2026-03-28'],
        ['6000071801AV006', '00190', '2', '2026-03-26'],
        ['6000037606GL023', '00263', '1', '2026-03-25', '2026-03-26', '2026-03-27'],
        ['6000037606GL023', '00265', '2', '2026-03-24'],
        ['6000037606GL023', '00267', '1', '2026-03-27'],
        ['6000037606GL023', '00269', '1', '2026-03-25'],
      ],
    })
    await run()
    expect(await changes('TRIP')).toEqual([
      ['ADDED', '00265/2', 'ALVIA', '00265', '2', 1, '2026-03-24', '2026-03-24'],
      ['ADDED', '00267/1', 'ALVIA', '00267', '1', 1, '2026-03-27', '2026-03-27'],
      // Had been published to the 25th; on the 28th nothing had, so the change is unknown.
      ['EXTENDED', '00263/1', 'ALVIA', '00263', '1', 2, '2026-03-26', '2026-03-27'],
      ['GONE', '00263/1', 'ALVIA', '00263', '1', 1, '2026-03-24', '2026-03-24'],
      ['GONE', '00265/1', 'ALVIA', '00265', '1', 1, '2026-03-24', '2026-03-24'],
      ['SHORTENED', '00269/1', 'ALVIA', '00269', '1', 1, '2026-03-26', '2026-03-26'],
    ])
    expect(await changes('LINE')).toEqual([
      ['ADDED', 'AVLO', 'AVLO', null, 'AVLO'],
      ['GONE', 'AVE', 'AVE', null, 'AVE'],
    ])
  })

  test('each network’s versions follow one another', async () => {
    for (const day of ['2026-08-22', '2026-08-24', '2026-08-23']) await land('CERCANIAS', { ...COMMUTER, day })
    for (const day of ['2026-08-23', '2026-08-22']) await land('AVLDMD', { ...LONG, day })
    const { made } = await run()
    expect([...made].sort()).toEqual(['avldmd-2026-08-23', 'cercanias-2026-08-23', 'cercanias-2026-08-24'])
    const properties = await stated()
    expect(properties['derived.cercanias-2026-08-24']).toMatch(/^r1 cercanias-2026-08-23=\S+ cercanias-2026-08-24=\S+$/)
  })
})

test('two nights of the stand-in: ids are made again, days pass, and only real changes are reported', async () => {
  const start = Date.UTC(2026, 10, 18, 9, 30)
  const publishers = await startPublishers({ source: { kind: 'simulated', seed: 3, speed: 0, start, scale: 'small' } })
  const mine = { ...context, origin: originOf(publishers.url), now: () => publishers.now() }
  const runner = makeRunner(mine)
  try {
    const night = async (): Promise<void> => {
      for (const feed of [renfeGtfsCercanias, renfeGtfsAvldmd]) {
        expect(await runner.fetch(feed, never)).toMatchObject({ outcome: 'accepted' })
        await runner.land(feed, never)
      }
      publishers.advance(DAY)
    }
    await prepareTables(mine, renfeGtfsCercanias.into)
    await night()
    await night()
    expect((await derive(mine, timetableChanges, { feeds, signal: never })).made).toEqual(['avldmd-2026-11-18', 'cercanias-2026-11-19'])
    const [ids] = await context.lake.query(sql`
      SELECT count(*) AS all_ids, count(DISTINCT trip_id) AS different
      FROM ${scan(railTrips, { network: { eq: 'AVLDMD' } })}`)
    expect(Number(ids?.different)).toBeGreaterThan(0.55 * Number(ids?.all_ids))
    // Long-distance trains are published ahead part by part, each to an end of its own.
    const extended = await tableRows(context, railTimetableChanges)
    expect(new Set(extended.map(({ network, what, change }) => `${network} ${what} ${change}`))).toEqual(new Set(['AVLDMD TRIP EXTENDED']))
    expect(Math.min(...extended.map(({ first_day }) => Date.parse(first_day as string)))).toBeGreaterThan(publishers.now() + 90 * DAY)
    // Six nights later a whole network is missing: its lines and routes are gone, its trains unknown. Sooner is refused.
    publishers.advance(6 * DAY)
    publishers.setFault({ feed: 'renfe_gtfs_cercanias', fault: 'block_missing', blocks: ['20'] })
    await night()
    expect((await derive(mine, timetableChanges, { feeds, signal: never })).made).toEqual(['avldmd-2026-11-25', 'cercanias-2026-11-26'])
    const found = (await tableRows(context, railTimetableChanges)).filter(({ network }) => network === 'CERCANIAS')
    expect(new Set(found.map(({ what, change, nucleo_code }) => `${what} ${change} ${nucleo_code}`))).toEqual(
      new Set(['ROUTE GONE 20', 'LINE GONE 20']),
    )
    const properties = await stated()
    expect(properties['landed-until.renfe_gtfs_cercanias']).toBeDefined()
    expect(properties['landed-until.renfe_gtfs_avldmd']).toBeDefined()
  } finally {
    await publishers.close()
  }
})

test.skipIf(!shared)(
  'the recorded long-distance timetables of March and August of 2026: as counted from the files by other means',
  async () => {
    for (const day of ['2026-03-28', '2026-08-21']) {
      const bytes = zipOfFolder(join(shared as string, 'feeds/renfe-gtfs', `avldmd-${day}`))
      const body = { name: 'timetable', bytes }
      const { rows } = await parsePublication(renfeGtfsAvldmd, [body], Date.parse(day), {
        keeps: (dataset) => timetableChanges.from.includes(dataset),
      })
      for (const dataset of timetableChanges.from)
        await landRows(
          context.lake,
          dataset,
          (rows.get(dataset.id) as AnyRow[]).map((row) => ({ ...row, fetch_id: `renfe.${day}` })),
        )
    }
    expect(await run()).toMatchObject({ made: ['avldmd-2026-08-21'] })
    const found = await tableRows(context, railTimetableChanges)
    const tally: Record<string, number[]> = {}
    for (const { what, change, service_days } of found) {
      const [rows = 0, days = 0] = tally[`${what} ${change}`] ?? []
      tally[`${what} ${change}`] = [rows + 1, days + Number(service_days ?? 0)]
    }
    expect(Object.fromEntries(Object.entries(tally).map(([name, [rows]]) => [name, rows]))).toEqual({
      'STATION ADDED': 9,
      'STATION GONE': 8,
      'ROUTE ADDED': 77,
      'ROUTE GONE': 34,
      'TRIP ADDED': 178,
      'TRIP EXTENDED': 1417,
      'TRIP GONE': 106,
      'TRIP SHORTENED': 4,
    })
    const days = (...codes: string[]): number => codes.reduce((sum, code) => sum + (tally[`TRIP ${code}`]?.[1] ?? 0), 0)
    expect([days('ADDED', 'EXTENDED'), days('GONE', 'SHORTENED')]).toEqual([51_591, 654])
  },
)
