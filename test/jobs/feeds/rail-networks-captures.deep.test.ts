import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Feed } from '../../../jobs/feeds/define.ts'
import { mallorcaGtfs, metroMadridGtfs, metroMalagaGtfs, metrovalenciaGtfs } from '../../../jobs/feeds/rail/networks.ts'
import { type Publication, parsePublication } from '../../../jobs/ingest/parse.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { membersOf, zipOf } from '../../helpers/zip.ts'

const shared = sharedFolder()
const FEEDS = join(shared ?? '', 'feeds')

const parse = (feed: Feed, bytes: Buffer, at: string): Promise<Publication> =>
  parsePublication(feed, [{ name: 'timetable', bytes }], Date.parse(at), { keeps: () => true })

const rowsOf = ({ rows }: Publication, dataset: string): readonly AnyRow[] => rows.get(dataset) as readonly AnyRow[]
const counts = (publication: Publication): Record<string, number> => Object.fromEntries(publication.counts)
const warnings = ({ report }: Publication): string[] => [...report.warnings.keys()]

/** Rows that refer to a station, route or service that the archive lacks. */
function dangling(publication: Publication): AnyRow[] {
  const ids = (dataset: string, column: string): Set<unknown> => new Set(rowsOf(publication, dataset).map((row) => row[column]))
  const [stations, routes, services] = [ids('rail_stations', 'stop_id'), ids('rail_routes', 'route_id'), ids('rail_calendar', 'service_id')]
  return [
    ...rowsOf(publication, 'rail_stop_times').filter((row) => !stations.has(row['stop_id'])),
    ...rowsOf(publication, 'rail_trips').filter((row) => !routes.has(row['route_id']) || !services.has(row['service_id'])),
  ]
}

describe.skipIf(!shared)('captures of timetables', () => {
  test('Metro de Madrid: 790 frequencies become departures at stations, and the edition has expired', async () => {
    const publication = await parse(metroMadridGtfs, readFileSync(join(FEEDS, 'crtm-madrid/google_transit_M4.zip')), '2026-11-26T12:00:00Z')
    expect({ counts: counts(publication), warnings: warnings(publication), report: publication.report.quarantined }).toMatchInlineSnapshot(`
      {
        "counts": {
          "rail_calendar": 373,
          "rail_routes": 13,
          "rail_shapes": 30,
          "rail_stations": 230,
          "rail_stop_times": 411440,
          "rail_trips": 21616,
        },
        "report": {},
        "warnings": [
          "the timetable has expired: its last service day was 2026-05-27",
          "a service runs before 2025-05-27, when the timetable begins",
        ],
      }
    `)
    expect(dangling(publication)).toEqual([])
    const trips = rowsOf(publication, 'rail_trips')
    expect(trips.every(({ headway_s }) => headway_s !== null)).toBe(true)
    expect(new Set(rowsOf(publication, 'rail_trips').map(({ timetable_version }) => timetable_version))).toEqual(
      new Set(['metro-madrid-2025-05-27']),
    )
    // Sol: the platforms of three lines are one station.
    expect(rowsOf(publication, 'rail_stations').filter(({ name }) => name === 'Puerta del Sol')).toMatchObject([
      { stop_id: 'METRO_MADRID:est_90_58' },
    ])
  })

  test('Metro de Málaga: 4,681 trips without calendar.txt', async () => {
    const publication = await parse(metroMalagaGtfs, zipOf(...membersOf(join(FEEDS, 'gtfs-metro-malaga'))), '2026-02-01T12:00:00Z')
    expect({ counts: counts(publication), warnings: warnings(publication), report: publication.report.quarantined }).toMatchInlineSnapshot(`
      {
        "counts": {
          "rail_calendar": 66,
          "rail_routes": 2,
          "rail_shapes": 4,
          "rail_stations": 19,
          "rail_stop_times": 48944,
          "rail_trips": 4681,
        },
        "report": {},
        "warnings": [],
      }
    `)
    expect(dangling(publication)).toEqual([])
    expect(Math.max(...rowsOf(publication, 'rail_stop_times').map(({ arrival }) => arrival as number))).toBe(25 * 3600 + 59 * 60 + 16)
  })

  test('Metrovalencia: the days are those of calendar_dates.txt; the capture has no stop times', async () => {
    const members = membersOf(join(FEEDS, 'gtfs-metrovalencia'))
    const header = { name: 'stop_times.txt', bytes: Buffer.from('trip_id,arrival_time,departure_time,stop_id,stop_sequence\n') }
    const publication = await parse(metrovalenciaGtfs, zipOf(...members, header), '2026-08-15T12:00:00Z')
    expect({ counts: counts(publication), warnings: warnings(publication), report: publication.report.quarantined }).toMatchInlineSnapshot(`
      {
        "counts": {
          "rail_calendar": 133,
          "rail_routes": 129,
          "rail_shapes": 20,
          "rail_stations": 0,
          "rail_stop_times": 0,
          "rail_trips": 15073,
        },
        "report": {},
        "warnings": [
          "trip without stop times",
        ],
      }
    `)
    expect(rowsOf(publication, 'rail_calendar')).toHaveLength(133)
  })

  test('Mallorca: three lines of trains and the metro, out of 62 routes', async () => {
    const publication = await parse(mallorcaGtfs, zipOf(...membersOf(join(FEEDS, 'gtfs-tib-mallorca'))), '2026-02-01T12:00:00Z')
    expect({ counts: counts(publication), warnings: warnings(publication), report: publication.report.quarantined }).toMatchInlineSnapshot(`
      {
        "counts": {
          "rail_calendar": 7866,
          "rail_routes": 4,
          "rail_shapes": 0,
          "rail_stations": 31,
          "rail_stop_times": 5381,
          "rail_trips": 344,
        },
        "report": {},
        "warnings": [
          "a service runs before 2025-07-03, when the timetable begins",
          "a service runs for more than 1100 days and was cut",
          "a route runs on no rails but is of route_type 3",
          "a route runs on no rails but is of route_type 715",
        ],
      }
    `)
    expect(dangling(publication)).toEqual([])
    const routes = rowsOf(publication, 'rail_routes').map(({ short_name, route_type }) => `${short_name} ${route_type}`)
    expect(routes.sort()).toEqual(['M1 METRO', 'T1 RAIL', 'T2 RAIL', 'T3 RAIL'])
    const others = [...publication.report.warnings].filter(([text]) => text.includes('no rails'))
    expect(others).toEqual([
      ['a route runs on no rails but is of route_type 3', 55],
      ['a route runs on no rails but is of route_type 715', 3],
    ])
  })
})
