import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ferriesBalearia, ferriesFredOlsen, ferriesVizcayaBridge } from '../../../jobs/feeds/maritime/ferries.ts'
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
