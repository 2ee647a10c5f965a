import { join } from 'node:path'
import { expect, test } from 'vitest'
import { feedById } from '../../../jobs/feeds/catalog.ts'
import { railKind } from '../../../jobs/feeds/rail/network-timetable.ts'
import { readFileNumber } from '../../../jobs/feeds/rail/networks.ts'
import { type Publication, parsePublication } from '../../../jobs/ingest/parse.ts'
import { networkId, networkInId, operatorOf } from '../../../lake/datasets/rail/networks.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { metroZip } from '../../../scripts/stand-in/formats/metro-gtfs.ts'
import { WHOLE } from '../../../scripts/stand-in/publisher.ts'
import { METRO_NETWORKS, type MetroNetwork } from '../../../scripts/stand-in/world/metro-networks.ts'
import { type Member, membersOf, zipOf } from '../../helpers/zip.ts'

const FIXTURES = join(import.meta.dirname, '../../fixtures')
const AT = Date.parse('2027-01-01T00:00:00Z')

const parse = (feed: string, bytes: Buffer, at = AT): Promise<Publication> =>
  parsePublication(feedById(feed), [{ name: 'timetable', bytes }], at, { keeps: () => true })
const rowsOf = ({ rows }: Publication, dataset: string): readonly AnyRow[] => rows.get(dataset) as readonly AnyRow[]

/** The archive of a fixture with a member changed; an empty text removes it. */
function changed(fixture: string, name: string, change: (text: string) => string): Buffer {
  const members: readonly Member[] = membersOf(join(FIXTURES, fixture)).map((member) =>
    member.name === name ? { name, bytes: Buffer.from(change(member.bytes.toString('utf8'))) } : member,
  )
  return zipOf(...members.filter(({ bytes }) => bytes.length > 0))
}

test.each(Object.entries(METRO_NETWORKS))('the stand-in of %s is read whole, and its counts are within the bands', async (id, network) => {
  const publication = await parse(id, metroZip(network, { at: AT, variant: WHOLE }))
  expect(publication.report).toMatchObject({ quarantined: {}, unknownCodes: {} })
  const feed = feedById(id)
  for (const { id: dataset } of feed.into)
    expect([dataset, publication.counts.get(dataset)]).toEqual([
      dataset,
      expect.toSatisfy((count: number) => count >= (feed.bands[dataset]?.atLeast ?? 1)),
    ])
  expect(new Set(rowsOf(publication, 'rail_routes').map(({ short_name }) => short_name)).size).toBe(network.lines.length)
  const stations = new Set(rowsOf(publication, 'rail_stations').map(({ stop_id }) => stop_id))
  expect(rowsOf(publication, 'rail_stop_times').filter(({ stop_id }) => !stations.has(stop_id))).toEqual([])
})

test('an unknown code of wheelchair access is counted', async () => {
  const bytes = metroZip(METRO_NETWORKS['metro_malaga_gtfs'] as MetroNetwork, { at: AT, variant: { ...WHOLE, hasUnknownCodes: true } })
  expect(Object.keys((await parse('metro_malaga_gtfs', bytes)).report.unknownCodes)).toEqual(['gtfs_wheelchair'])
})

test.each([
  [0, 'TRAM'],
  [1, 'METRO'],
  [2, 'RAIL'],
  [5, 'CABLE_TRAM'],
  [7, 'FUNICULAR'],
  [12, 'MONORAIL'],
  [100, 'RAIL'],
  [117, 'RAIL'],
  [400, 'METRO'],
  [404, 'METRO'],
  [900, 'TRAM'],
  [906, 'TRAM'],
  [3, null],
  [4, null],
  [6, null],
  [11, null],
  [99, null],
  [118, null],
  [405, null],
  [715, null],
  [907, null],
])('route_type %i is %s', (type, kind) => {
  expect(railKind(type)).toBe(kind)
})

test('an archive of buses alone, or without days, is refused', async () => {
  const buses = changed('mallorca_gtfs/2027.zip', 'routes.txt', (text) => text.replace(/,,[12],,/g, ',,3,,'))
  await expect(parse('mallorca_gtfs', buses)).rejects.toThrow('no service that runs')
  const endless = changed('metrovalencia_gtfs/2027.zip', 'calendar_dates.txt', () => '')
  await expect(parse('metrovalencia_gtfs', endless)).rejects.toThrow('calendar_dates.txt')
})

test('a service of years is cut, and days of buses do not name the version', async () => {
  const publication = await parse('mallorca_gtfs', zipOf(...membersOf(join(FIXTURES, 'mallorca_gtfs/2027.zip'))))
  expect(new Set(rowsOf(publication, 'rail_calendar').map(({ timetable_version }) => timetable_version))).toEqual(
    new Set(['sfm-2027-01-02']),
  )
  const last = rowsOf(publication, 'rail_calendar').reduce(
    (latest, { service_date }) => Math.max(latest, Date.parse(service_date as string)),
    0,
  )
  expect(new Date(last).toISOString().slice(0, 4)).toBe('2030')
})

test('trips without stops stay, and are counted', async () => {
  const publication = await parse(
    'metro_malaga_gtfs',
    changed('metro_malaga_gtfs/2027.zip', 'stop_times.txt', (text) => text.replace(/^M02.*\n/gm, '')),
  )
  expect(rowsOf(publication, 'rail_trips')).toHaveLength(2)
  expect([...publication.report.warnings]).toContainEqual(['trip without stop times', 1])
})

test('ids of networks do not collide, and name their network', () => {
  expect([
    networkId('FGC', 'PC'),
    networkInId('FGC:PC'),
    networkInId('17000'),
    networkInId('CERCANIAS:1'),
    networkInId('toString:1'),
  ]).toEqual(['FGC:PC', 'FGC', null, null, null])
  expect([operatorOf('METRO_LIGERO', 'ML1'), operatorOf('METRO_LIGERO', 'ML3'), operatorOf('METROVALENCIA', null)]).toEqual([
    'METRO_LIGERO_MADRID',
    'METRO_LIGERO_OESTE',
    'FGV',
  ])
})

test.each([
  ['{"ficheroId":7}', { url: 'https://nap.transportes.gob.es/api/Fichero/download/7' }],
  [
    '{"ficherosDto":[{"ficheroId":8,"tipoFicheroNombre":"NeTEx"},{"ficheroId":9,"tipoFicheroNombre":"GTFS"}]}',
    { url: 'https://nap.transportes.gob.es/api/Fichero/download/9' },
  ],
  ['[]', { refused: 'the first answer names no file (ficheroId)', retryable: false }],
  ['<html>', { refused: 'the first answer is not JSON, so it names no file', retryable: true }],
])('the access point answers %s', (text, step) => {
  expect(readFileNumber(Buffer.from(text))).toEqual(step)
})
