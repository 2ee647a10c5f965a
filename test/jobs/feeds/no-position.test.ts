import { describe, expect, test } from 'vitest'
import { adsbLolPositions } from '../../../jobs/feeds/aviation/adsb-lol.ts'
import { openskyStates } from '../../../jobs/feeds/aviation/opensky.ts'
import type { Feed } from '../../../jobs/feeds/define.ts'
import { aisstream } from '../../../jobs/feeds/maritime/aisstream.ts'
import { renfeFlotaLd } from '../../../jobs/feeds/rail/renfe-flota.ts'
import { renfePositions } from '../../../jobs/feeds/rail/renfe-positions.ts'
import { parsePublication } from '../../../jobs/ingest/parse.ts'

const AT = Date.UTC(2026, 10, 27, 12)
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))

/** A feed of positions, and its publication of one vehicle. */
interface Mover {
  readonly feed: Feed
  readonly of: (lat: number, lon: number) => Buffer
  /** True if the feed requests an area. */
  readonly hasArea: boolean
}

const MOVERS: readonly Mover[] = [
  {
    feed: aisstream,
    hasArea: true,
    of: (Latitude, Longitude) =>
      json({ MessageType: 'PositionReport', Message: { PositionReport: { UserID: 224_000_201, Latitude, Longitude, Valid: true } } }),
  },
  {
    feed: adsbLolPositions,
    hasArea: true,
    of: (lat, lon) => json({ now: AT, ac: [{ hex: '340001', lat, lon, seen_pos: 1, alt_baro: 9000, gs: 400, type: 'adsb_icao' }] }),
  },
  {
    feed: openskyStates,
    hasArea: true,
    of: (lat, lon) => {
      const state = ['340001', 'TST1', 'Spain', AT / 1000, AT / 1000, lon, lat, 9000, false, 200, 90, 0, null, 9100, null, false, 0]
      return json({ time: AT / 1000, states: [state] })
    },
  },
  {
    feed: renfePositions,
    hasArea: false,
    of: (latitude, longitude) =>
      json({
        header: { gtfsRealtimeVersion: '2.0', timestamp: String(AT / 1000) },
        entity: [
          { id: '1', vehicle: { trip: { tripId: '1041M90001C3' }, position: { latitude, longitude }, currentStatus: 'IN_TRANSIT_TO' } },
        ],
      }),
  },
  {
    feed: renfeFlotaLd,
    hasArea: false,
    of: (latitud, longitud) => json({ fechaActualizacion: '2026-11-27T12:59:40', trenes: [{ codComercial: '1', latitud, longitud }] }),
  },
]

describe.each(MOVERS.map((mover) => [mover.feed.id, mover] as const))('%s', (_id, { feed, of, hasArea }) => {
  /** The positions of a publication. */
  async function positionsOf(lat: number, lon: number): Promise<unknown[]> {
    const { rows, report } = await parsePublication(feed, [{ name: 'positions', bytes: of(lat, lon) }], AT, { keeps: () => true })
    expect(report.quarantined).toEqual({})
    const found = [...rows.values()].flat().flatMap(({ position }) => position ?? [])
    expect(report.warnings.size > 0 || found.length > 0).toBe(true)
    return found
  }

  test.each([
    [0, 0],
    [0.0000012, 0.0000012],
    [-0.001, 0.001],
  ])('has no position at %d, %d', async (lat, lon) => expect(await positionsOf(lat, lon)).toEqual([]))

  test('has a position on the meridian of Greenwich', async () => expect(await positionsOf(39.9, 0)).toEqual([{ lat: 39.9, lon: 0 }]))

  test.runIf(hasArea).each([
    [39.9, 120],
    [-39.9, -3],
    [60, 10],
  ])('has no position outside what it requests: %d, %d', async (lat, lon) => expect(await positionsOf(lat, lon)).toEqual([]))
})
