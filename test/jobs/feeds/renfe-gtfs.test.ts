import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Feed } from '../../../jobs/feeds/define.ts'
import { renfeGtfsAvldmd, renfeGtfsCercanias } from '../../../jobs/feeds/rail/renfe-gtfs.ts'
import { judge } from '../../../jobs/ingest/guard.ts'
import { checkedRows, type Publication, parsePublication } from '../../../jobs/ingest/parse.ts'
import { RAIL_PRODUCTS } from '../../../lake/datasets/rail/codes.ts'
import { railStopTimes, railTrips } from '../../../lake/datasets/rail/timetable.ts'
import type { AcceptedFetch } from '../../../lake/raw/archive.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { byTier, deepTest } from '../../helpers/tier.ts'
import { type Member, membersOf, zipOf, zipOfFolder } from '../../helpers/zip.ts'

const FIXTURES = join(import.meta.dirname, '../../fixtures')
const CERCANIAS_MEMBERS = membersOf(join(FIXTURES, 'renfe_gtfs_cercanias/2026-08.zip'))
const CERCANIAS = zipOf(...CERCANIAS_MEMBERS)
const AVLDMD_MEMBERS = membersOf(join(FIXTURES, 'renfe_gtfs_avldmd/2026-08.zip'))
const AVLDMD = zipOf(...AVLDMD_MEMBERS)
const NIGHT = Date.parse('2026-08-22T02:10:00Z')
const shared = sharedFolder()

function parse(feed: Feed, bytes: Buffer, at = NIGHT, keeps: (dataset: Dataset) => boolean = () => true): Promise<Publication> {
  return parsePublication(feed, [{ name: 'timetable', bytes }], at, { keeps })
}

function rowsOf({ rows }: Publication, dataset: string): readonly AnyRow[] {
  return rows.get(dataset) as readonly AnyRow[]
}

/** Members, one of them with another text. */
function withMember(members: readonly Member[], name: string, change: (text: string) => string): Member[] {
  return members.map((member) => (member.name === name ? { name, bytes: Buffer.from(change(member.bytes.toString('utf8'))) } : member))
}

/** Rows of a dataset, some of their columns. */
const pick = (rows: readonly AnyRow[], ...names: string[]): unknown[][] => rows.map((row) => names.map((name) => row[name]))

describe('commuter rail', () => {
  test('rows begin with the version: network and first day of the calendar, in Madrid', async () => {
    const publication = await parse(renfeGtfsCercanias, CERCANIAS)
    for (const rows of publication.rows.values())
      for (const row of rows)
        expect(row).toMatchObject({
          network: 'CERCANIAS',
          timetable_version: 'cercanias-2026-08-22',
          valid_from: Date.parse('2026-08-21T22:00:00Z'),
        })
    expect(publication.report).toMatchObject({ publishedAt: null, quarantined: {}, unknownCodes: {} })
  })

  test('stations keep their zeros; a missing position and missing wheelchair data are null', async () => {
    const publication = await parse(renfeGtfsCercanias, CERCANIAS)
    expect(pick(rowsOf(publication, 'rail_stations'), 'stop_id', 'name', 'position', 'has_wheelchair_boarding')).toEqual([
      ['04040', 'Villa Norte', { lat: 40, lon: -3.5 }, true],
      ['05102', 'Xoán Peña', { lat: 40.1, lon: -3.6 }, false],
      ['10206', 'Villa Aeropuerto', { lat: 40.2, lon: -3.7 }, null],
      ['10207', 'Sin Sitio', null, null],
    ])
  })

  test('routes: no padding in ids and in the two names, buses marked, colours in capitals', async () => {
    const publication = await parse(renfeGtfsCercanias, CERCANIAS)
    const columns = ['route_id', 'nucleo_code', 'short_name', 'long_name', 'origin_name', 'destination_name', 'route_type']
    expect(pick(rowsOf(publication, 'rail_routes'), ...columns)).toEqual([
      ['10T0001C1', '10', 'C1', 'Villa Norte - Villa Aeropuerto', 'Villa Norte', 'Villa Aeropuerto', 'RAIL'],
      ['51T0197R3', '51', 'R3', null, null, null, 'RAIL'],
      ['47T0003BUS', '47', 'BUS', 'Puerto - Estación de León', 'Puerto', 'Estación de León', 'BUS'],
      ['90T0001C9', '90', 'C9', 'Cercedilla', null, null, 'RAIL'],
    ])
    // Text of the colour of its ground is neither: white upon white.
    expect(pick(rowsOf(publication, 'rail_routes'), 'color', 'text_color')).toEqual([
      ['75B6E0', 'FFFFFF'],
      [null, 'FFFFFF'],
      [null, null],
      ['0FCF34', 'FFFFFF'],
    ])
    expect(publication.report.warnings.get('a route has the same colour for text and background')).toBe(1)
  })

  test('shapes go by the sequence of their points', async () => {
    const publication = await parse(renfeGtfsCercanias, CERCANIAS)
    expect(pick(rowsOf(publication, 'rail_shapes'), 'shape_id', 'line', 'is_inverse', 'points', 'geometry')).toEqual([
      [
        '10_C1',
        'C1',
        false,
        3,
        [
          [-3.5, 40],
          [-3.6, 40.1],
          [-3.7, 40.2],
        ],
      ],
      [
        '10_C1_INV',
        'C1',
        true,
        2,
        [
          [-3.7, 40.2],
          [-3.5, 40],
        ],
      ],
    ])
  })

  test('trips: CIVIS is a kind of service, the train number is in the id', async () => {
    const publication = await parse(renfeGtfsCercanias, CERCANIAS)
    const columns = ['trip_id', 'route_id', 'train_number', 'headsign', 'service_mark', 'shape_id', 'is_wheelchair_accessible']
    expect(pick(rowsOf(publication, 'rail_trips'), ...columns)).toEqual([
      ['1032S19799C1', '10T0001C1', '19799', null, 'CIVIS', '10_C1', true],
      ['1033D19801C1', '10T0001C1', '19801', null, null, '10_C1_INV', false],
      ['5132S25001R3', '51T0197R3', '25001', null, null, null, false],
    ])
  })

  test('stop times go on after midnight, and nothing dangles once trimmed', async () => {
    const publication = await parse(renfeGtfsCercanias, CERCANIAS)
    expect(
      pick(rowsOf(publication, 'rail_stop_times'), 'trip_id', 'stop_sequence', 'stop_id', 'arrival', 'departure', 'pickup_type'),
    ).toEqual([
      ['1032S19799C1', 5, '04040', 85_800, 85_800, null],
      ['1032S19799C1', 6, '05102', 86_400, 86_460, null],
      ['1032S19799C1', 7, '10206', 90_630, 90_630, null],
      ['5132S25001R3', 1, '10206', 21_600, 21_600, null],
    ])
    expect([...publication.report.warnings]).toEqual([
      ['a route has the same colour for text and background', 1],
      ['trip without stop times', 1],
      ['trip with a single stop', 1],
    ])
  })

  test('keys that lead nowhere, bad times and records cut short are counted', async () => {
    const broken = withMember(CERCANIAS_MEMBERS, 'stop_times.txt', (text) =>
      text
        .replace('10206,007', '99999,007')
        .replace('24:01:00', '24:61:00')
        .replace('5132S25001R3 ,', '5132S99999R3 ,')
        .concat('1032S19799C1,1\n'),
    )
    const trips = withMember(broken, 'trips.txt', (text) => text.replace('51T0197R3 ,', '51T0000R3 ,').replace(',10_C1_INV', ',10_C9'))
    const { report, counts } = await parse(renfeGtfsCercanias, zipOf(...trips))
    expect(counts.get('rail_stop_times')).toBe(4)
    expect(report.quarantined).toEqual({ rail_stop_times: { 'another number of fields': 1 } })
    expect(Object.fromEntries(report.warnings)).toEqual({
      'rail_stop_times: departure is no whole number: stored as null': 1,
      'a route has the same colour for text and background': 1,
      'route_id of a trip is not in routes.txt': 1,
      'shape_id of a trip is not in shapes.txt': 1,
      'stop_id of a stop time is not in stops.txt': 1,
      'trip_id of a stop time is not in trips.txt': 1,
      'trip without stop times': 2,
    })
  })

  test('a timetable that is old when it is fetched, and a network whose trips end early, are reported', async () => {
    const calendar = withMember(CERCANIAS_MEMBERS, 'calendar.txt', (text) =>
      text.replace('1033D,0,0,0,0,0,0,1,20260823,20260823', '1033D,0,0,0,0,0,0,1,20260830,20260830'),
    )
    const { report } = await parse(renfeGtfsCercanias, zipOf(...calendar), NIGHT + 9 * 86_400_000)
    expect([...report.warnings.keys()]).toEqual(
      expect.arrayContaining([
        'the timetable begins on 2026-08-22, more than 7 days before it was fetched',
        'commuter network 51 has no trips after 2026-08-22; the timetable goes on to 2026-08-30',
      ]),
    )
  })

  test('a few services with an early day do not rename the timetable: they are counted', async () => {
    // On the busiest day one of six services is no fair share, two are.
    const services = Array.from({ length: 6 }, (_, at) => `20${34 + at}S,0,0,0,0,0,1,0,20260822,20260822\n`).join('')
    const stray = (day: string, ...ids: string[]): Buffer => {
      const rows = ids.map((id) => `${id},1,1,1,1,1,1,1,${day},${day}\n`).join('')
      return zipOf(...withMember(CERCANIAS_MEMBERS, 'calendar.txt', (text) => `${text.split('\n')[0]}\n${rows}${services}`))
    }
    const early = await parse(renfeGtfsCercanias, stray('20260103', '2099S'))
    expect(rowsOf(early, 'rail_stations')[0]).toMatchObject({
      timetable_version: 'cercanias-2026-08-22',
      valid_from: Date.parse('2026-08-21T22:00:00Z'),
    })
    expect(early.report.warnings.get('a service runs before 2026-08-22, when the timetable begins')).toBe(1)
    expect(early.counts.get('rail_calendar')).toBe(7)
    const begun = await parse(renfeGtfsCercanias, stray('20260821', '2098S', '2099S'))
    expect(rowsOf(begun, 'rail_stations')[0]).toMatchObject({ timetable_version: 'cercanias-2026-08-21' })
    expect([...begun.report.warnings.keys()].filter((text) => text.includes('runs before'))).toEqual([])
  })

  test('rows read again at the landing are the counted ones, whatever is requested', async () => {
    const publication = await parse(renfeGtfsCercanias, CERCANIAS)
    for (const dataset of renfeGtfsCercanias.into) {
      const again: AnyRow[] = []
      for await (const rows of checkedRows(renfeGtfsCercanias, dataset, [{ name: 'timetable', bytes: CERCANIAS }], { fetched_at: NIGHT }))
        again.push(...rows)
      expect(again).toEqual(rowsOf(publication, dataset.id))
    }
  })

  test('a network that is missing whole is refused for five days, then a missing block', async () => {
    const publication = await parse(renfeGtfsCercanias, CERCANIAS)
    const last = {
      data_time: '2026-08-21T02:10:00.000Z',
      rows: {},
      blocks: { rail_trips: { '10': 37_000, '20': 12_000, '51': 40_000 } },
      said_missing: {},
    } as unknown as AcceptedFetch
    const free = { ...renfeGtfsCercanias, bands: { rail_trips: { atLeast: 0, minRatio: 0, maxRatio: 1000 } } }
    expect(judge(free, publication, { last, missing: {} })).toMatchObject({
      kind: 'reject',
      reason: 'rail_trips: 20 missing, of which the publication before has rows',
    })
    const verdict = judge(free, publication, { last: { ...last, data_time: '2026-08-10T02:10:00.000Z' }, missing: {} })
    expect(verdict).toMatchObject({ kind: 'accept', missing: { rail_trips: ['20'] } })
  })
})

describe('high-speed, long and medium distance', () => {
  test('days are the range on its weekdays less the exceptions, and those added', async () => {
    const publication = await parse(renfeGtfsAvldmd, AVLDMD)
    expect(pick(rowsOf(publication, 'rail_calendar'), 'service_id', 'service_date')).toEqual([
      ...['22', '24', '25'].map((day) => ['2026-08-222026-08-25001901', `2026-08-${day}`]),
      ...['24', '25', '26', '27', '28', '29'].map((day) => ['2026-08-242026-08-30004372', `2026-08-${day}`]),
    ])
  })

  test('an archive without exceptions is refused: its calendar runs all days', async () => {
    const reason = 'calendar_dates.txt, which this timetable needs, is not there or has no day'
    const without = AVLDMD_MEMBERS.filter(({ name }) => name !== 'calendar_dates.txt')
    await expect(parse(renfeGtfsAvldmd, zipOf(...without))).rejects.toThrow(reason)
    const empty = withMember(AVLDMD_MEMBERS, 'calendar_dates.txt', (text) => text.slice(0, text.indexOf('\n') + 1))
    await expect(parse(renfeGtfsAvldmd, zipOf(...empty))).rejects.toThrow(reason)
  })

  test('ids give termini, variant and first day of validity; the number is the commercial one', async () => {
    const publication = await parse(renfeGtfsAvldmd, AVLDMD)
    expect(
      pick(rowsOf(publication, 'rail_routes'), 'route_id', 'short_name', 'long_name', 'origin_stop_id', 'destination_stop_id'),
    ).toEqual([
      ['1700037606GL023', 'ALVIA', null, '17000', '37606'],
      ['1700087471VRX', 'REGIONAL_EXPRESS', null, '17000', '87471'],
    ])
    expect(pick(rowsOf(publication, 'rail_trips'), 'train_number', 'variant', 'validity_start', 'is_wheelchair_accessible')).toEqual([
      ['00190', '1', '2026-08-22', true],
      ['00437', '2', '2026-08-24', null],
    ])
    expect(pick(rowsOf(publication, 'rail_stop_times'), 'stop_sequence', 'departure', 'pickup_type', 'drop_off_type')).toEqual([
      [1, 30_600, 'REGULAR', 'NONE'],
      [100, 47_100, 'NONE', 'REGULAR'],
      [1, 85_500, null, null],
      [2, 90_120, 'REGULAR', 'REGULAR'],
    ])
    expect(rowsOf(publication, 'rail_stations').at(-1)).toMatchObject({ stop_id: '94401', timezone: 'Europe/Lisbon' })
  })
})

describe.skipIf(!shared)('the recorded timetables', () => {
  const capture = (name: string): string => join(shared as string, 'feeds/renfe-gtfs', name)
  const CAPTURES = [
    ['avldmd-2022-06-30_google_transit.zip', 'avldmd-2022-06-30', [804, 578, 14_141, 90_469, 156_843]],
    ['avldmd-2026-03-28', 'avldmd-2026-03-27', [1008, 663, 7001, 60_561, 163_116]],
    ['avldmd-2026-08-21', 'avldmd-2026-08-21', [1009, 706, 5678, 47_817, 106_389]],
  ] as const

  const PRODUCTS_OF_2022 = {
    ...{ 'AVE-TGV': 6, BUS: 2, 'CAMI#OS': 1, ESPECIAL: 1, LAMPREA: 1, MEDIEVAL: 2, MONTERREI: 1, MOSTEIROS: 1, PAZOS: 1 },
    ...{ 'R MOLINOS': 1, 'RIAS BAIX': 1, RODALIES: 2, 'TORRE ORO': 2 },
  }

  test.each(CAPTURES.slice(byTier(-1, 0)))('%s: version %s', async (file, version, counts) => {
    const path = capture(file)
    const bytes = file.endsWith('.zip') ? readFileSync(path) : zipOfFolder(path)
    const first = Date.parse(`${version.slice(-10)}T23:10:00Z`)
    const publication = await parse(renfeGtfsAvldmd, bytes, first)
    expect([...publication.counts]).toEqual(
      expect.arrayContaining(
        ['rail_stations', 'rail_routes', 'rail_trips', 'rail_stop_times', 'rail_calendar'].map((id, at) => [id, counts[at]]),
      ),
    )
    // Those of 2026 have no product that is not known; that of 2022 had one of its own for many a train, which keep their names.
    const unknownCodes = version.includes('2022') ? { rail_product: PRODUCTS_OF_2022 } : {}
    expect(publication.report).toMatchObject({ quarantined: {}, warnings: new Map() })
    expect(publication.report.unknownCodes).toEqual(unknownCodes)
    const names = new Set(rowsOf(publication, 'rail_routes').map(({ short_name }) => short_name as string))
    expect([...names].filter((name) => !Object.hasOwn(RAIL_PRODUCTS.codes, name)).sort()).toEqual(
      Object.keys(unknownCodes.rail_product ?? {}).sort(),
    )
    const trips = rowsOf(publication, 'rail_trips')
    expect(new Set(trips.map(({ timetable_version }) => timetable_version))).toEqual(new Set([version]))
    // The date in a trip's id is the first of its service's range, in each of them.
    expect(trips.filter(({ service_id, validity_start }) => !String(service_id).startsWith(String(validity_start)))).toEqual([])
    expect(trips.filter(({ trip_id, train_number }) => !String(trip_id).startsWith(String(train_number)))).toEqual([])
    expect(judge(renfeGtfsAvldmd, publication, null).kind).toBe('accept')
    // A train due before 03:00 belongs to the day before (serviceDate of ids.ts): the ids of alerts and punctuality depend on it.
    // No train runs on until then. Of 26,820 trips one begins before it, once, and would be two; it stays so.
    const due = Map.groupBy(rowsOf(publication, 'rail_stop_times'), ({ trip_id }) => trip_id as string)
    const hours = [...due].map(([trip_id, stops]) => {
      const times = stops.flatMap(({ arrival, departure }) => [arrival as number, departure as number])
      return { trip_id, from: Math.min(...times) / 3600, to: Math.max(...times) / 3600 }
    })
    expect(Math.max(...hours.map(({ to }) => to))).toBeLessThan(25.2)
    expect(hours.filter(({ from }) => from < 4)).toEqual(
      version === 'avldmd-2026-03-27' ? [{ trip_id: '1015512026-04-15', from: 1.5, to: expect.closeTo(4.533, 3) }] : [],
    )
  })

  deepTest('commuter rail of 2026-08-22: 138,716 trips, 1,867,794 stop times, nothing dangling once trimmed', async () => {
    const bytes = zipOfFolder(capture('cercanias-2026-08-22'))
    const publication = await parse(renfeGtfsCercanias, bytes, NIGHT, (dataset) => dataset !== railStopTimes)
    expect(Object.fromEntries(publication.counts)).toEqual({
      rail_stations: 1162,
      rail_routes: 852,
      rail_shapes: 144,
      rail_trips: 138_716,
      rail_stop_times: 1_867_794,
      rail_calendar: 450,
    })
    expect(publication.report).toMatchObject({ publishedAt: null, quarantined: {}, unknownCodes: {} })
    expect([...publication.report.warnings]).toEqual([
      ['a route has the same colour for text and background', 18],
      ['trip without stop times', 397],
      ['trip with a single stop', 268],
    ])
    const trips = rowsOf(publication, 'rail_trips')
    expect(trips.filter(({ train_number }) => train_number === null)).toEqual([])
    expect([
      trips.filter(({ service_mark }) => service_mark === 'CIVIS').length,
      trips.filter(({ headsign }) => headsign !== null).length,
    ]).toEqual([801, 0])
    expect(trips.filter(({ is_wheelchair_accessible }) => is_wheelchair_accessible === true)).toHaveLength(81_403)
    expect(trips.filter(({ shape_id }) => shape_id === null)).toHaveLength(872)
    expect(publication.blocks.rail_trips).toMatchObject({ '51': 40_188, '10': 37_354, '20': 12_484, '60': 10_050, '46': 835 })
    const routes = rowsOf(publication, 'rail_routes')
    expect(routes.filter(({ route_type }) => route_type === 'BUS')).toHaveLength(210)
    expect(routes.filter(({ color, text_color }) => color === null && text_color === null)).toHaveLength(18)
    expect(routes.filter(({ color, text_color }) => color === text_color || text_color === null)).toHaveLength(18)
    const used = new Set(trips.map(({ route_id }) => route_id))
    expect(routes.filter(({ route_id }) => !used.has(route_id))).toHaveLength(578)
    expect(rowsOf(publication, 'rail_shapes').reduce((sum, { points }) => sum + Number(points), 0)).toBe(123_734)
    expect(rowsOf(publication, 'rail_calendar').every(({ service_date }) => String(service_date) >= '2026-08-22')).toBe(true)
  })

  deepTest('commuter rail of 2026-06-13, without its stop times and shapes', async () => {
    const folder = capture('cercanias-2026-06-13')
    expect(existsSync(join(folder, 'stop_times.txt.gz'))).toBe(false)
    const header = Buffer.from('trip_id,arrival_time,departure_time,stop_id,stop_sequence\n')
    const bytes = zipOf(...membersOf(folder), { name: 'stop_times.txt', bytes: header })
    const publication = await parse(renfeGtfsCercanias, bytes, Date.parse('2026-06-13T02:10:00Z'), (dataset) => dataset === railTrips)
    expect(Object.fromEntries(publication.counts)).toMatchObject({
      rail_stations: 1155,
      rail_routes: 720,
      rail_trips: 115_774,
      rail_calendar: 450,
    })
    expect(Object.fromEntries(publication.report.warnings)).toEqual({
      'weekdays of a service leave out its only day': 1,
      'a route has the same colour for text and background': 10,
      'trip without stop times': 115_774,
    })
    await expect(parse(renfeGtfsCercanias, zipOfFolder(folder))).rejects.toThrow('the zip has no stop_times.txt')
  })
})
