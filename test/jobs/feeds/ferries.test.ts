import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ferriesBalearia, ferriesFredOlsen, ferriesVizcayaBridge } from '../../../jobs/feeds/maritime/ferry-timetable.ts'
import { type Publication, parsePublication } from '../../../jobs/ingest/parse.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { ferryZip } from '../../../scripts/stand-in/formats/ferry-gtfs.ts'
import { WHOLE } from '../../../scripts/stand-in/publisher.ts'
import { FERRY_OPERATORS } from '../../../scripts/stand-in/world/ferry-lines.ts'
import { type Member, membersOf, zipOf } from '../../helpers/zip.ts'

// No timetable of a ferry was recorded: all of these are made to the GTFS standard.
const FIXTURES = join(import.meta.dirname, '../../fixtures')
const BALEARIA = membersOf(join(FIXTURES, 'ferries_balearia/2026-27.zip'))
const NIGHT = Date.parse('2027-01-01T00:00:00Z')

function parse(members: readonly Member[] | Buffer, feed = ferriesBalearia): Promise<Publication> {
  const bytes = Buffer.isBuffer(members) ? members : zipOf(...members)
  return parsePublication(feed, [{ name: 'timetable', bytes }], NIGHT, { keeps: () => true })
}

const rowsOf = ({ rows }: Publication, dataset: string): readonly AnyRow[] => rows.get(dataset) as readonly AnyRow[]

function withMember(name: string, change: (text: string) => string): Member[] {
  return BALEARIA.map((member) => (member.name === name ? { name, bytes: Buffer.from(change(member.bytes.toString('utf8'))) } : member))
}

test.each([
  [4, 'FERRY'],
  [1000, 'FERRY'],
  [1004, 'CAR_FERRY'],
  [1008, 'PASSENGER_FERRY'],
  [1099, 'OTHER'],
  [1200, 'FERRY'],
])('route_type %i is a ferry of the kind %s', async (type, kind) => {
  const publication = await parse(withMember('routes.txt', (text) => text.replace(',1001', `,${type}`)))
  expect(rowsOf(publication, 'ferry_routes').find(({ route_id }) => route_id === 'LEI-NDR')).toMatchObject({ route_type: type, kind })
})

test.each([3, 2, 999, 1100, 1201])('a route of route_type %i is left out, with its trips and their stops', async (type) => {
  const publication = await parse(withMember('routes.txt', (text) => text.replace(',1001', `,${type}`)))
  const ids = (dataset: string, column: string): unknown[] => [...new Set(rowsOf(publication, dataset).map((row) => row[column]))]
  expect(ids('ferry_routes', 'route_id')).toEqual(['DEN-IBZ-PMI'])
  expect(ids('ferry_trips', 'trip_id')).toEqual(['DIP-0800', 'DIP-2200', 'PID-1000'])
  expect(ids('ferry_stop_times', 'trip_id')).toEqual(['DIP-0800', 'DIP-2200', 'PID-1000'])
  expect([...publication.report.warnings.keys()]).toContain(`a route is no ferry but of route_type ${type}`)
})

test('an archive without a ferry, without a calendar or without agencies is refused', async () => {
  await expect(parse(withMember('routes.txt', (text) => text.replace(/,(4|1001)$/gm, ',3')))).rejects.toThrow('has no ferry')
  await expect(parse(BALEARIA.filter(({ name }) => !name.startsWith('calendar')))).rejects.toThrow('no service that runs')
  await expect(parse(BALEARIA.filter(({ name }) => name !== 'agency.txt'))).rejects.toThrow('agency.txt')
})

test('an unknown time zone is taken for Madrid, and counted', async () => {
  const publication = await parse(withMember('agency.txt', (text) => text.replace('Europe/Madrid', 'Madrid')))
  expect(rowsOf(publication, 'ferry_routes')[0]).toMatchObject({ timezone: 'Europe/Madrid' })
  expect([...publication.report.warnings.keys()]).toContain('agency_timezone is no time zone; Europe/Madrid is taken')
})

test.each([
  ['ferries_balearia', ferriesBalearia, 21],
  ['ferries_fred_olsen', ferriesFredOlsen, 9],
  ['ferries_vizcaya_bridge', ferriesVizcayaBridge, 1],
] as const)('the stand-in of %s is read whole', async (id, feed, lines) => {
  const operator = FERRY_OPERATORS[id] as (typeof FERRY_OPERATORS)[string]
  const publication = await parse(ferryZip(operator, { at: Date.UTC(2026, 10, 1), variant: WHOLE }), feed)
  expect(publication.report).toMatchObject({ quarantined: {}, unknownCodes: {} })
  expect(rowsOf(publication, 'ferry_routes')).toHaveLength(lines)
  const trips = new Set(rowsOf(publication, 'ferry_trips').map(({ trip_id }) => trip_id))
  expect(new Set(rowsOf(publication, 'ferry_stop_times').map(({ trip_id }) => trip_id))).toEqual(trips)
  const known = new Set(rowsOf(publication, 'ferry_stops').map(({ stop_id }) => stop_id))
  expect(rowsOf(publication, 'ferry_stop_times').filter(({ stop_id }) => !known.has(stop_id))).toEqual([])
})

describe('frequencies', () => {
  const BRIDGE = membersOf(join(FIXTURES, 'ferries_vizcaya_bridge/frequencies.zip'))

  /** The departures of the trip `GO` under lines of frequencies.txt, with the warnings. */
  async function departures(...lines: string[]) {
    const text = ['trip_id,start_time,end_time,headway_secs,exact_times', ...lines].join('\n')
    const changed = BRIDGE.map((member) => (member.name === 'frequencies.txt' ? { ...member, bytes: Buffer.from(text) } : member))
    const publication = await parse(zipOf(...changed), ferriesVizcayaBridge)
    const ids = rowsOf(publication, 'ferry_trips').map(({ trip_id }) => String(trip_id))
    const stops = rowsOf(publication, 'ferry_stop_times').map(({ trip_id }) => String(trip_id))
    expect(new Set(stops)).toEqual(new Set(ids))
    const unread = publication.report.warnings.get('a line of frequencies.txt is not readable') ?? 0
    return [ids.filter((id) => id.startsWith('GO')), unread]
  }

  test('a period without length is one departure, one that ends before it starts ends on the next day', async () => {
    expect(await departures('GO,07:00:00,07:00:00,600,0')).toEqual([['GO@070000'], 0])
    expect(await departures('GO,23:00:00,01:00:00,3600,1')).toEqual([['GO@230000', 'GO@240000'], 0])
    expect(await departures('GO,24:30:00,01:00:00,900,0', 'GO,07:00:00,08:00:00,1800,0')).toEqual([
      ...[['GO@243000', 'GO@244500', 'GO@070000', 'GO@073000'], 0],
    ])
  })

  test.each([
    'GO,x,08:00:00,600,0',
    'GO,07:00:00,,600,0',
    'GO,07:00:00,08:00:00,0,0',
    'GO,07:00:00,08:00:00,-5,0',
    'GO,07:00:00,06:00:00,1,0',
  ])('the trip of an unreadable line stays as published: %s', async (line) => expect(await departures(line)).toEqual([['GO'], 1]))
})

test('stop times that cannot be are kept and counted', async () => {
  const whole = rowsOf(await parse(BALEARIA), 'ferry_stop_times').length
  const { rows, report } = await parse(
    withMember('stop_times.txt', (text) =>
      text
        .replace(/(\d\d:\d\d:\d\d),(\d\d:\d\d:\d\d)/, '08:00:00,07:59:59')
        .replace(/,(\d\d:\d\d:\d\d)(?![^]*,\d\d:\d\d:\d\d)/, ',149:00:00'),
    ),
  )
  expect(rows.get('ferry_stop_times')).toHaveLength(whole)
  const counted = [...report.warnings].filter(([text]) => text.startsWith('a stop time'))
  expect(counted).toEqual([
    ['a stop time has its departure before its arrival', 1],
    ['a stop time is more than 72 hours after its service day began', 1],
  ])
})
