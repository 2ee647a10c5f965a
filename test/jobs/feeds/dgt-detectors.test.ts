import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Feed } from '../../../jobs/feeds/define.ts'
import { dgtDetectorSites, dgtDetectors } from '../../../jobs/feeds/road/dgt-detectors.ts'
import { advance, emptyState, liveRows } from '../../../jobs/ingest/fold.ts'
import { parsePublication } from '../../../jobs/ingest/parse.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { sharedFolder } from '../../helpers/shared.ts'

const shared = sharedFolder()
const NOTHING = { quarantined: {}, unknownCodes: {}, warnings: new Map() }

async function parsed(feed: Feed, bytes: Buffer | string, at: string) {
  const { rows, report, data_time } = await parsePublication(feed, [{ name: 'document', bytes: Buffer.from(bytes) }], Date.parse(at))
  const { quarantined, unknownCodes, warnings } = report
  return { rows: [...rows.values()][0] ?? [], data_time, notes: { quarantined, unknownCodes, warnings } }
}

const captured = (feed: Feed, file: string) => parsed(feed, readFileSync(`${shared}/feeds/dgt-detectores/${file}`), '2026-11-01T00:00:00Z')

test.skipIf(!shared)('the captured measurements: eight lanes, three of them without any vehicle', async () => {
  const { rows, data_time, notes } = await captured(dgtDetectors, 'medidas_datex2_v1_20260910T222623+0200.excerpt8.xml')
  expect(notes).toEqual(NOTHING)
  expect(data_time).toBe(Date.parse('2026-09-10T20:26:23.908Z'))
  expect(new Set(rows.map((row) => row['observed_at']))).toEqual(new Set([Date.parse('2026-09-10T20:25:00Z')]))
  const measures = ['intensity_veh_h', 'speed_kmh', 'headway_m', 'occupancy_pct', 'long_vehicles_pct']
  expect(rows.map((row) => measures.map((name) => row[name]))).toEqual([
    [0, null, null, 0, null],
    [0, null, null, 0, null],
    [0, null, null, 0, null],
    [1020, 102, 128, 2, null],
    [480, 57, 28, 4, 0],
    [240, 85, 137, 1, 0],
    [360, 26, 90, 9, null],
    [240, 39, 47, 2, null],
  ])
})

test.skipIf(!shared)('the captured sites: five lanes of the A-6 towards Coruña, metres as kilometres', async () => {
  const { rows, notes } = await captured(dgtDetectorSites, 'ubicaciones_datex2_v1_20260910T212530+0200.excerpt5.xml')
  expect(notes).toEqual(NOTHING)
  expect(
    rows.map(({ road, km, direction, destination, site_kind, province_code }) => [
      road,
      km,
      direction,
      destination,
      site_kind,
      province_code,
    ]),
  ).toEqual([3.5, 3.5, 3.5, 9.05, 9.05].map((km) => ['A-6', km, 'POSITIVE', 'CORUÑA', 'MOTORWAY', '28']))
})

const fixture = readFileSync(new URL('../../fixtures/dgt_detectors/measurements.xml', import.meta.url), 'utf8')

test('a detector without changes for more than 30 minutes is stale, and live again once it measures', async () => {
  const state = emptyState()
  const publish = async (text: string, at: string): Promise<Record<string, boolean>> => {
    const { rows, data_time } = await parsed(dgtDetectors, text, at)
    const facts = { fetch_id: at, data_time, blocks: { counts: {}, said: [] }, rule: null }
    advance(trafficReadings, state, { rows, facts, key: Buffer.alloc(32) })
    return Object.fromEntries([...liveRows(trafficReadings, state, null)].map(([, row]) => [row['sensor_id'], row.is_stale]))
  }
  const first = await publish(fixture, '2026-10-01T06:02:00Z')
  expect(first).toEqual({ GUID_DET_900001: false, GUID_DET_900002: false, GUID_DET_900003: false, GUID_DET_900004: false })
  // Half an hour later all but one have moved on: the third is still at 07:59.
  const later = fixture
    .replace('08:01:20.500+02:00', '08:31:20.500+02:00')
    .replaceAll('2026-10-01T08:00:00+02:00', '2026-10-01T08:30:00+02:00')
  expect(await publish(later, '2026-10-01T06:32:00Z')).toEqual({ ...first, GUID_DET_900003: true })
  const again = later.replaceAll('08:31:20.500', '08:36:20.500').replaceAll('07:59:00', '08:35:00')
  expect(await publish(again, '2026-10-01T06:37:00Z')).toEqual(first)
})
