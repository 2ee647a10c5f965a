import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { adsbLolPositions } from '../../../jobs/feeds/aviation/adsb-lol.ts'
import type { Feed } from '../../../jobs/feeds/define.ts'
import { aisstream } from '../../../jobs/feeds/maritime/aisstream.ts'
import { metroMalagaGtfs } from '../../../jobs/feeds/rail/networks.ts'
import { renfeTripUpdates } from '../../../jobs/feeds/rail/renfe-trip-updates.ts'
import { barcelonaTraffic } from '../../../jobs/feeds/road/barcelona-traffic.ts'
import { madridAccidents } from '../../../jobs/feeds/safety/madrid-accidents.ts'
import { parsePublication } from '../../../jobs/ingest/parse.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { sharedFolder } from '../../helpers/shared.ts'

const shared = sharedFolder()

interface Case {
  /** The rows of a dataset. */
  readonly rows: (dataset: string) => readonly AnyRow[]
  /** How often each warning was counted. */
  readonly warnings: ReadonlyMap<string, number>
  /** Rejected rows of all datasets. */
  readonly rejected: number
}

/** Parses a case as the feed does. */
async function read(feed: Feed, file: string, at = Date.UTC(2026, 10, 27, 18)): Promise<Case> {
  const bytes = readFileSync(join(shared as string, 'cases', file))
  const { rows, report } = await parsePublication(feed, [{ name: file, bytes }], at, { keeps: () => true })
  const rejected = Object.values(report.quarantined).flatMap((reasons) => Object.values(reasons))
  return {
    rows: (dataset) => rows.get(dataset) ?? [],
    warnings: report.warnings,
    rejected: rejected.reduce((sum, count) => sum + count, 0),
  }
}

const RAIL = ['stations', 'routes', 'trips', 'stop_times', 'calendar', 'shapes']

/** Small inputs that failed, with their right values: `cases/README.md` of the shared folder. */
describe.skipIf(!shared)('cases of the shared folder', () => {
  test('exponents are numbers of stops and shapes', async () => {
    const { rows, rejected, warnings } = await read(metroMalagaGtfs, 'gtfs-exponents.zip')
    expect(rows('rail_stations').find(({ stop_id }) => stop_id === 'METRO_MALAGA:5')?.['position']).toEqual({ lat: 36.725, lon: 0.000023 })
    expect(rows('rail_shapes').map(({ points }) => points)).toEqual([12])
    expect([rejected, [...warnings]]).toEqual([0, []])
  })

  test('a decimal comma that is not declared costs a point, not the line', async () => {
    const { rows, rejected, warnings } = await read(metroMalagaGtfs, 'gtfs-decimal-comma.zip')
    expect(rows('rail_stations').find(({ stop_id }) => stop_id === 'METRO_MALAGA:5')?.['position']).toBeNull()
    expect(rows('rail_shapes').map(({ points }) => points)).toEqual([11])
    expect([rejected, warnings.get('a point of a line or area is unreadable or out of range: left out')]).toEqual([0, 1])
  })

  test('one folder of an archive is its root', async () => {
    const { rows, rejected, warnings } = await read(metroMalagaGtfs, 'gtfs-in-folder.zip')
    expect(RAIL.map((name) => rows(`rail_${name}`).length)).toEqual([12, 2, 8, 96, 21, 1])
    expect([rejected, [...warnings]]).toEqual([0, []])
  })

  test('a frequency without length is one departure', async () => {
    const { rows, warnings } = await read(metroMalagaGtfs, 'gtfs-frequencies-single.zip')
    const trips = rows('rail_trips').map(({ trip_id }) => String(trip_id))
    expect([trips.length, trips.filter((id) => id.startsWith('L1-1')).length, [...warnings]]).toEqual([19, 12, []])
    expect(trips.filter((id) => id.startsWith('L1-0'))).toEqual(['L1-0@060000'])
  })

  test('an empty last field is none', async () => {
    const { rows, rejected } = await read(metroMalagaGtfs, 'gtfs-trailing-comma.zip')
    expect([rows('rail_stations').length, rejected]).toEqual([12, 0])
  })

  test('a stop twice is counted, and stops at 0, 0 or nowhere have no position', async () => {
    const { rows, rejected, warnings } = await read(metroMalagaGtfs, 'gtfs-odd-stops.zip')
    const nowhere = rows('rail_stations').filter(({ position }) => position === null)
    expect([rows('rail_stations').length, nowhere.map(({ stop_id }) => stop_id)]).toEqual([...[12, ['METRO_MALAGA:4', 'METRO_MALAGA:6']]])
    // A trip is twice in the file, too.
    expect(rejected).toBe(1)
    expect(warnings.get('a stop_id is twice in stops.txt: the last record counts')).toBe(1)
  })

  test('a delay stated for the departure alone counts', async () => {
    const { rows } = await read(renfeTripUpdates, 'renfe-trip-updates-odd.json')
    expect(rows('rail_trip_updates')).toHaveLength(9)
    const delays = new Map(rows('rail_trip_updates').map((row) => [row['trip_id'], row['delay_s']]))
    expect(['5135M70005R4', '5135M70001R4', '5135M70002R4', '5135M70008R4'].map((id) => delays.get(id))).toEqual([-60, 120, null, 90_000])
  })

  test('vessels at 0, 0 or marked invalid have no position, a longitude of 0.0 is true', async () => {
    const { rows } = await read(aisstream, 'aisstream-null-island.jsonl')
    expect(rows('vessel_positions').map(({ mmsi, position }) => [mmsi, position])).toEqual([
      ['224000202', { lat: 43.4, lon: -3 }],
      ['224000206', { lat: 39.9, lon: 0 }],
    ])
  })

  test('aircraft at 0, 0 are left out, `reserved` is a known emergency', async () => {
    const { rows, warnings } = await read(adsbLolPositions, 'adsb-odd-aircraft.json')
    const found = new Map(rows('aircraft_positions').map((row) => [row['icao24'], row]))
    expect([found.size, ['340005', '340006', '340010'].filter((hex) => found.has(hex))]).toEqual([9, []])
    expect(found.get('340001')?.['position']).toEqual({ lat: 41, lon: 0 })
    expect(found.get('340002')).toMatchObject({ altitude_m: null, altitude_geometric_m: 12_877.8 })
    expect(found.get('340003')).toMatchObject({ is_on_ground: true })
    expect([...found.values()].map(({ emergency }) => emergency)).toContain('RESERVED')
    expect(warnings.get('an aircraft without a position')).toBe(3)
  })

  test('accidents on a 12-hour clock have their hour', async () => {
    const { rows, rejected } = await read(madridAccidents, 'madrid-accidents-12-hour-clock.csv')
    expect([rows('road_accidents').length, rejected]).toEqual([120, 0])
    const hours = new Map(rows('road_accidents').map((row) => [row['accident_id'], row['occurred_at']]))
    expect(['2025S000000', '2025S000001', '2025S000002', '2025S000003', '2025S000004'].map((id) => hours.get(id))).toEqual([
      Date.parse('2025-01-01T00:15:00Z'),
      Date.parse('2025-01-02T12:15:00Z'),
      Date.parse('2025-01-02T23:05:00Z'),
      Date.parse('2025-01-04T11:05:00Z'),
      Date.parse('2025-01-05T22:59:00Z'),
    ])
  })

  test("a section of Barcelona's traffic without a forecast keeps its state", async () => {
    const { rows } = await read(barcelonaTraffic, 'barcelona-trams-odd.dat', Date.UTC(2026, 10, 28, 5))
    const states = new Map(rows('traffic_section_states').map((row) => [row['section_id'], row]))
    expect([rows('traffic_section_states').length, states.size]).toEqual([317, 317])
    expect(states.get('5')).toMatchObject({ source_state: '3', forecast_15min_level: null, source_forecast_state: null })
    expect(['9', '12'].map((id) => states.get(id)?.['level'])).toEqual(['UNKNOWN', 'UNKNOWN'])
  })
})
