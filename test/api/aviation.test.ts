import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { conditionsOf } from '../../api/endpoints/aviation/conditions.ts'
import { airportWeather } from '../../lake/datasets/aviation/airport-weather.ts'
import { airports } from '../../lake/datasets/aviation/airports.ts'
import { flights } from '../../lake/datasets/aviation/flights.ts'
import type { LiveChange, LiveRow } from '../../lake/live/types.ts'
import type { AnyRow } from '../../lake/schema/dataset.ts'
import { entityKey } from '../../lake/schema/rows.ts'
import { AIRPORTS } from '../../scripts/stand-in/world/aviation/airports.ts'
import { AT, liveRows } from './aviation-service.ts'
import { FEEDS } from './feed-listings.ts'
import { type Reply, startService, type TestService } from './service.ts'

let service: TestService
let shown: readonly AnyRow[]
beforeAll(async () => {
  service = await startService()
  shown = await liveRows('aena_flights', flights)
  await service.publish(airports, await liveRows('airports', airports), { at: AT, feed: 'airports' })
  const reports = await liveRows('metar', airportWeather)
  // Fog in Madrid now, and in Palma hours ago.
  const fog = { visibility_m: 400, is_visibility_exceeded: false, ceiling_m: 30, weather: 'FG', wind_m_s: 1, gust_m_s: null }
  const late = { ...fog, observed_at: AT - 20 * 3_600_000 }
  const weather = reports.map((row) => ({ ...row, ...(row['iata'] === 'MAD' ? fog : row['iata'] === 'PMI' ? late : {}) }))
  await service.publish(airportWeather, weather, { at: AT, feed: 'metar' })
  await service.publish(flights, shown, { at: AT, feed: 'aena_flights' })
})
afterAll(() => service?.close())

const isUndone = ({ state }: AnyRow): boolean => state === 'CANCELLED' || state === 'DIVERTED'
const isLate = ({ delay_minutes }: AnyRow, minutes = 16): boolean => delay_minutes !== null && (delay_minutes as number) >= minutes
const idsOf = (rows: readonly AnyRow[]): unknown[] => rows.map((row) => row['flight_id']).sort()

describe('flights that are late, cancelled or diverted', () => {
  const listed = async (query: string): Promise<unknown[]> =>
    (await service.json(`/api/aviacion?limit=20000&${query}`)).flights.map((one: Reply) => one.id).sort()

  test('are those more than 15 minutes late, with their airport, and counts of all flights', async () => {
    const { flights: found, meta, ...counts } = await service.json('/api/aviacion?limit=20000')
    const wanted = shown.filter((row) => isLate(row) || isUndone(row))
    expect(found.map((one: Reply) => one.id).sort()).toEqual(idsOf(wanted))
    expect(meta).toMatchObject({
      missing: [],
      sources: [{ id: 'aena', commercial_use: 'no' }, { id: 'ourairports' }, { id: 'openflights' }, { id: 'awc' }],
    })
    expect(counts).toMatchObject({
      ...{ total: wanted.length, shown_flights: shown.length, late_flights: shown.filter((row) => isLate(row)).length },
      cancelled_flights: shown.filter(({ state }) => state === 'CANCELLED').length,
      diverted_flights: shown.filter(({ state }) => state === 'DIVERTED').length,
    })
    const madrid = found.find((one: Reply) => one.airport === 'MAD')
    expect(madrid).toMatchObject({ airport_name: 'Adolfo Suárez Madrid–Barajas Airport', lat: 40.4719, lon: -3.5626, source: 'aena' })
    const times = found.map((one: Reply) => one.scheduled_at)
    expect(times).toEqual([...times].sort())
  })

  test('by airport, direction, time, delay and area', async () => {
    const late = shown.filter((row) => isLate(row) || isUndone(row))
    const of = (is: (row: AnyRow) => boolean): unknown[] => idsOf(late.filter(is))
    expect(await listed('airport=mad,PMI')).toEqual(of(({ airport }) => airport === 'MAD' || airport === 'PMI'))
    expect(await listed('direction=ARRIVAL')).toEqual(of(({ direction }) => direction === 'ARRIVAL'))
    const [from, to] = [AT - 7_200_000, AT].map((at) => new Date(at).toISOString())
    expect(await listed(`from=${from}&to=${to}`)).toEqual(
      of(({ scheduled_at }) => (scheduled_at as number) >= AT - 7_200_000 && (scheduled_at as number) < AT),
    )
    expect(await listed('min_delay=60')).toEqual(of((row) => isLate(row, 60) || isUndone(row)))
    expect(await listed('min_delay=0')).toEqual(idsOf(shown.filter((row) => isLate(row, 0) || isUndone(row))))
    expect(await listed('lat=28.3&lon=-16.5&radius=40000')).toEqual(of(({ airport }) => airport === 'TFN' || airport === 'TFS'))
    for (const query of ['airport=MADRID', 'direction=UP', `from=${to}&to=${from}`, 'min_delay=-1'])
      expect([query, (await service.get(`/api/aviacion?${query}`)).status]).toEqual([query, 400])
  })

  test('the weather of the airport explains what is due within three hours of its report', async () => {
    const [madrid, palma] = await Promise.all(
      ['MAD', 'PMI'].map(async (iata) => (await service.json(`/api/aviacion?airport=${iata}&limit=20000`)).flights as Reply[]),
    )
    const isNear = (one: Reply): boolean => Math.abs(Date.parse(one.scheduled_at) - AT) < 2 * 3_600_000
    const near = madrid?.filter(isNear) ?? []
    expect(near.length).toBeGreaterThan(0)
    for (const { weather, cause, cause_source } of near)
      expect([weather, cause, cause_source]).toEqual([['LOW_VISIBILITY', 'LOW_CEILING'], 'WEATHER', 'METAR'])
    expect(palma?.length).toBeGreaterThan(0)
    for (const { weather, cause } of palma ?? []) expect([weather, cause]).toEqual([[], null])
    const far = madrid?.filter((one) => Math.abs(Date.parse(one.scheduled_at) - AT) > 4 * 3_600_000) ?? []
    expect(far.length).toBeGreaterThan(0)
    for (const { cause } of far) expect(cause).toBeNull()
  })

  test('changes: what happened to each flight, with what differs', async () => {
    const [one] = shown as [AnyRow]
    const later = { ...one, state: 'DELAYED', delay_minutes: 45, observed_at: AT + 600_000, updated_at: AT + 600_000 }
    const change = (kind: LiveChange['kind'], row: AnyRow, changed: readonly string[] = []): LiveChange => ({
      ...{ kind, changed, key: entityKey(flights, row), row: row as LiveRow },
    })
    const about = { feed: 'aena_flights', at: AT + 600_000 }
    await service.publish(flights, shown, {
      ...about,
      changes: [change('CREATED', one), change('UPDATED', later, ['state', 'delay_minutes'])],
    })
    await service.publish(flights, shown, { ...about, changes: [change('ENDED', later)] })
    const { changes } = await service.json(`/api/aviacion/changes?airport=${one['airport']}`)
    expect(changes.map((entry: Reply) => [entry.id, entry.kind, entry.changed, entry.flight.status])).toEqual([
      [one['flight_id'], 'CREATED', [], 'ACTIVE'],
      [one['flight_id'], 'UPDATED', ['delay_minutes', 'state', 'observed_at', 'updated_at'], 'ACTIVE'],
      [one['flight_id'], 'ENDED', ['observed_at', 'updated_at', 'status', 'is_stale'], 'ENDED'],
    ])
    expect((await service.json('/api/aviacion/changes?airport=XXX')).changes).toEqual([])
  })
})

describe('airports', () => {
  test('the catalogue by province, area and code', async () => {
    const { airports: all, total } = await service.json('/api/aviacion/aeropuertos?limit=1000')
    // Each day's edition lacks one of the smallest.
    expect(total).toBe(AIRPORTS.length - 1)
    expect(all.find((one: Reply) => one.id === 'MAD')).toMatchObject({
      ...{ icao: 'LEMD', name: 'Adolfo Suárez Madrid–Barajas Airport', type: 'LARGE_AIRPORT', province: 'Madrid', elevation_m: 609 },
      ...{
        has_scheduled_service: true,
        time_zone: 'Europe/Madrid',
        keywords: 'Barajas',
        lat: 40.4719,
        lon: -3.5626,
        source: 'ourairports',
      },
    })
    const found = async (query: string): Promise<string[]> =>
      (await service.json(`/api/aviacion/aeropuertos?${query}`)).airports.map((one: Reply) => one.id)
    expect(await found('province=Illes%20Balears')).toEqual(['IBZ', 'MAH', 'PMI'])
    expect(await found('ids=VGO,XXX')).toEqual(['VGO'])
    expect(await found('lat=28.3&lon=-16.5&radius=40000')).toEqual(['TFN', 'TFS'])
  })
})

describe('where the operator has no agreement with Aena', () => {
  const reason = 'The operator has not stated an agreement with the publisher (AENA_TERMS=accepted).'
  let off: TestService
  beforeAll(async () => {
    const feeds = FEEDS.map((feed) => (feed.id === 'aena_flights' ? { ...feed, enabled: false, disabled_reason: reason } : feed))
    off = await startService({ feeds })
    await off.publish(airports, await liveRows('airports', airports), { at: AT, feed: 'airports' })
  })
  afterAll(() => off?.close())

  test('the rest answers and says what is missing, and the sources say why', async () => {
    const { flights: none, shown_flights, meta } = await off.json('/api/aviacion')
    const missing = [
      { dataset: 'flights', reason: 'NOT_ENABLED' },
      { dataset: 'airport_weather', reason: 'NOT_ARRIVED' },
    ]
    expect([none, shown_flights, meta.missing]).toEqual([[], 0, missing])
    const { sources } = await off.json('/api/sources?domain=aviation')
    const feedsOf = (id: string): Reply => sources.find((one: Reply) => one.id === id).feeds
    expect(feedsOf('aena')).toEqual([{ id: 'aena_flights', cadence_s: 600, enabled: false, disabled_reason: reason }])
    expect(feedsOf('ourairports')).toMatchObject([{ id: 'airports', enabled: true, disabled_reason: null }])
  })
})

test('conditions: thresholds, and nothing of what is not observed', () => {
  const nothing = { visibility_m: null, ceiling_m: null, wind_m_s: null, gust_m_s: null, weather: null }
  const of = (values: Partial<Parameters<typeof conditionsOf>[0]>): string[] => conditionsOf({ ...nothing, ...values })
  expect(of({})).toEqual([])
  expect(of({ visibility_m: 1500, ceiling_m: 150, wind_m_s: 12.8, gust_m_s: 17.1, weather: '-RA BR' })).toEqual([])
  expect(of({ visibility_m: 1499, ceiling_m: 149, wind_m_s: 12.9, weather: 'FG' })).toEqual([
    'LOW_VISIBILITY',
    'LOW_CEILING',
    'STRONG_WIND',
  ])
  expect(of({ gust_m_s: 17.2, weather: '+TSRA' })).toEqual(['STRONG_WIND', 'THUNDERSTORM'])
  expect(of({ weather: 'FZRA SN' })).toEqual(['SNOW', 'FREEZING'])
})
