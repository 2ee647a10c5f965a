import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aircraftPositions, openskyPositions } from '../../../../lake/datasets/aviation/aircraft-positions.ts'
import type { LiveRow } from '../../../../lake/live/types.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'
import { AT } from './aviation-service.ts'

const PATH = '/api/aviacion/posiciones'
const SPAIN = 'bbox=-19,27,5,44'
const MINUTE = 60_000

const seen = (icao24: string, values: AnyRow): AnyRow => exampleTableRow(aircraftPositions, { icao24, observed_at: AT - 5000, ...values })
const live = (row: AnyRow): LiveRow => ({ ...row, status: 'ACTIVE', updated_at: row['observed_at'] as number, is_stale: false }) as LiveRow

const IBERIA = seen('340001', { callsign: 'IBE32EJ', position: { lat: 41.5, lon: -3 } })
const LIGHT = seen('340002', { callsign: null, category: 'A1', position: { lat: 40.5, lon: -3.5 }, observed_at: AT - 50_000 })
const PARKED = seen('340003', { callsign: 'VLG1', is_on_ground: true, altitude_m: null, position: { lat: 41.3, lon: 2.08 } })
const OTHER = seen('~40004', { is_icao_address: false, is_on_ground: null, position: { lat: 28, lon: -15.4 } })
/** From OpenSky: one aircraft that adsb.lol has too, five seconds later, and one that it lacks. */
const AGAIN = { ...IBERIA, source: 'opensky', observed_at: AT, registration: null, position: { lat: 41.51, lon: -2.99 } }
const ONLY_THERE = { ...seen('340005', { position: { lat: 36.7, lon: -4.5 } }), source: 'opensky' }

/** The last two hours of an aircraft: it turns at 41.1 N, and each minute is within 100 m of the line. */
const TRACK: readonly AnyRow[] = Array.from({ length: 115 }, (_, back): AnyRow => {
  const minutes = back + 5
  const lat = minutes > 30 ? 41.1 : 41.1 + (30 - minutes) * 0.016
  const lon = minutes > 30 ? -3 - (minutes - 30) * 0.02 : -3
  return { ...IBERIA, observed_at: AT - 5000 - minutes * MINUTE, position: { lat, lon } }
})

let service: TestService
beforeAll(async () => {
  service = await startService()
  await service.publish(aircraftPositions, [IBERIA, LIGHT, PARKED, OTHER].map(live), { at: AT, feed: 'adsb_lol' })
  await service.land(aircraftPositions, [...TRACK, ...TRACK.map((row) => ({ ...row, icao24: '340009' }))], AT)
})
afterAll(() => service?.close())

const idsOf = async (query: string): Promise<string[]> => (await service.json(`${PATH}?${query}`)).aircraft.map((one: Reply) => one.icao24)

describe('aircraft in an area', () => {
  test('an area is required, and the reply says how to give one', async () => {
    for (const query of ['', '?on_ground=true', '?limit=5']) {
      const reply = await service.get(PATH + query)
      const { code, errors } = (await reply.json()) as Reply
      expect([reply.status, code, errors]).toEqual([
        ...[400, 'invalid-parameter'],
        [{ parameter: 'bbox', detail: expect.stringContaining('is required: bbox=minLon,minLat,maxLon,maxLat, or lat and lon') }],
      ])
    }
  })

  test('by box, and by point and radius', async () => {
    expect(await idsOf(SPAIN)).toEqual(['340001', '340002', '340003', '~40004'])
    expect(await idsOf('bbox=-4,40,-2,42')).toEqual(['340001', '340002'])
    expect(await idsOf('lat=40.4&lon=-3.5&radius=20000')).toEqual(['340002'])
    expect(await idsOf('bbox=0,0,1,1')).toEqual([])
  })

  test('by ground, callsign and category, and with updates since a time', async () => {
    expect(await idsOf(`${SPAIN}&on_ground=true`)).toEqual(['340003'])
    expect(await idsOf(`${SPAIN}&on_ground=false`)).toEqual(['340001', '340002'])
    expect(await idsOf(`${SPAIN}&callsign=ibe`)).toEqual(['340001', '~40004'])
    expect(await idsOf(`${SPAIN}&callsign=VLG1`)).toEqual(['340003'])
    expect(await idsOf(`${SPAIN}&category=A1`)).toEqual(['340002'])
    expect(await idsOf(`${SPAIN}&updated_since=${new Date(AT - 6000).toISOString()}`)).not.toContain('340002')
    const reply = await service.get(`${PATH}?${SPAIN}&callsign=IB-1`)
    expect([reply.status, ((await reply.json()) as Reply).errors[0].parameter]).toEqual([400, 'callsign'])
  })

  test('sources are those with data, with the terms of their licence', async () => {
    const one = await service.json(`${PATH}?${SPAIN}`)
    expect(one.aircraft[0]).toMatchObject({ source: 'adsb_lol', registration: 'EC-EJM', altitude_m: 2743.2, ground_speed_m_s: 142.51 })
    expect(one.meta.sources).toMatchObject([
      { id: 'adsb_lol', commercial_use: 'yes', licence: expect.stringMatching(/ODbL.*attribution.*share-alike/) },
    ])
    expect(one.meta.sources[0].attribution).toContain('adsb.lol')
  })

  test('as GeoJSON, a point each', async () => {
    const { features } = await service.json(`${PATH}?bbox=2,41,3,42&format=geojson`)
    expect(features).toMatchObject([{ geometry: { type: 'Point', coordinates: [2.08, 41.3] }, properties: { is_on_ground: true } }])
  })
})

describe('one aircraft', () => {
  test('has its last position, and the track of the last hour as a line with times', async () => {
    const found = await service.json(`${PATH}/340001`)
    expect(found).toMatchObject({ icao24: '340001', callsign: 'IBE32EJ', geometry: { type: 'LineString' } })
    const times = found.track.map(({ observed_at }: Reply) => Date.parse(observed_at))
    expect(times).toEqual(times.toSorted((one: number, other: number) => one - other))
    expect(times.at(-1)).toBe(AT - 5000)
    expect(AT - 5000 - times[0]).toBeLessThanOrEqual(61 * MINUTE)
    expect(AT - 5000 - times[0]).toBeGreaterThan(58 * MINUTE)
    // Its begin, the turn, and the end: the minutes between them are on the line.
    expect(found.geometry.coordinates).toEqual([
      [expect.closeTo(-3.6, 5), 41.1],
      [-3, 41.1],
      [-3, 41.5],
    ])
    expect(found.geometry.coordinates).toEqual(found.track.map(({ lat, lon }: Reply) => [lon, lat]))
  })

  test('upper case is the same; without a track there is no line; an aircraft that is not received is not found', async () => {
    expect(await service.json(`${PATH}/~40004`)).toMatchObject({ geometry: null, track: [{ lat: 28, lon: -15.4 }] })
    expect((await service.get(`${PATH}/340009`)).status).toBe(404)
    expect((await service.get(`${PATH}/nonsense`)).status).toBe(404)
  })
})

describe('with OpenSky as a second source', () => {
  beforeAll(() => service.publish(openskyPositions, [AGAIN, ONLY_THERE].map(live), { at: AT, feed: 'opensky' }))

  test('the newer position of two counts, and both sources are named', async () => {
    const both = await service.json(`${PATH}?${SPAIN}`)
    expect(both.aircraft.map((one: Reply) => one.icao24)).toEqual(['340001', '340002', '340003', '340005', '~40004'])
    expect(both.aircraft[0]).toMatchObject({ source: 'opensky', lat: 41.51, registration: null, observed_at: new Date(AT).toISOString() })
    expect(both.meta.sources.map(({ id }: Reply) => id)).toEqual(['adsb_lol', 'opensky'])
  })

  test('its track is of the source of its last position alone', async () => {
    const { source, track } = await service.json(`${PATH}/340001`)
    expect([source, track.length]).toEqual(['opensky', 1])
  })
})
