import { feedById } from '../../../../jobs/feeds/catalog.ts'
import { parsePublication } from '../../../../jobs/ingest/parse.ts'
import { roadPoints } from '../../../../lake/datasets/road/road-network.ts'
import { weatherDaily } from '../../../../lake/datasets/weather/weather-days.ts'
import { weatherObservations, weatherStations } from '../../../../lake/datasets/weather/weather-stations.ts'
import type { Point } from '../../../../lake/schema/columns.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { WHOLE } from '../../../../scripts/stand-in/publisher.ts'
import { STAND_INS } from '../../../../scripts/stand-in/publishers/list.ts'
import { makeWorld } from '../../../../scripts/stand-in/world/world.ts'
import { exampleRow, exampleTableRow, startService, type TestService } from '../../service.ts'

export const HOUR = 3_600_000
const DAY = 24 * HOUR
/** The present time. */
export const END = Date.parse('2026-10-26T12:30:00Z')
const BEGIN = END - 3 * DAY

export const RETIRO = { lat: 40.411804, lon: -3.678095 }
/** Degrees of latitude of a metre. */
export const M = 180 / (Math.PI * 6_371_008.8)

/** The rows that the stand-in of a feed publishes at an instant. */
async function published(id: string, at: number, day?: string): Promise<Map<string, AnyRow[]>> {
  const standIn = STAND_INS.find((one) => one.feed === id)
  const resource = day ?? (id === 'aemet_stations' ? 'stations' : 'observations')
  const bytes = standIn?.write(makeWorld(1, 'small'), { resource, publishedAt: at, stampedAt: at, variant: WHOLE }) as Buffer
  const keeps = (): boolean => true
  return new Map((await parsePublication(feedById(id), [{ name: resource, bytes }], at, { keeps })).rows)
}

/** A service with two days of weather around the change of the clocks in October, and the hours before it on that day. */
export interface WeatherService {
  readonly service: TestService
  /** Landed observations, without the repeated ones. */
  readonly landed: readonly AnyRow[]
  /** The position of each station, by its id. */
  readonly places: ReadonlyMap<string, Point>
}

/** Starts it, by default with located points of roads; its owner closes it. */
export async function startWeatherService({ roads = true }: { readonly roads?: boolean } = {}): Promise<WeatherService> {
  const service = await startService()
  const byKey = new Map<string, AnyRow>()
  const fetches = Array.from({ length: 8 }, (_, n) => BEGIN + n * 9 * HOUR)
  for (const at of [...fetches, END])
    for (const row of (await published('aemet_observation', at)).get('weather_observations') ?? [])
      byKey.set(`${row['station_id']} ${row['observed_at']}`, { fetch_id: `aemet_observation.${at}`, ...row })
  const landed = [...byKey.values()]
  await service.land(weatherObservations, landed, END, ['aemet_observation'])
  const days = await Promise.all(['2026-10-23', '2026-10-24', '2026-10-25', '2026-10-26'].map((day) => published('aemet_daily', END, day)))
  const daily = days.flatMap((rows) => rows.get('weather_daily') ?? []).map((row): AnyRow => ({ fetch_id: 'aemet_daily.1', ...row }))
  const trace = { precipitation_mm: 0, precipitation_flag: 'TRACE' }
  const isTrace = (row: AnyRow): boolean => row['station_id'] === '3195' && row['day'] === '2026-10-24'
  await service.land(
    weatherDaily,
    daily.map((row) => (isTrace(row) ? { ...row, ...trace } : row)),
    END,
  )
  const live = (row: AnyRow, at: number): AnyRow => ({ observed_at: at, ...row, status: 'ACTIVE', updated_at: at, is_stale: false })
  const newest = new Map<unknown, AnyRow>()
  for (const row of landed)
    if ((row['observed_at'] as number) > ((newest.get(row['station_id'])?.['observed_at'] as number | undefined) ?? 0))
      newest.set(row['station_id'], row)
  const current = [...newest.values()].map(({ fetch_id: _fetch, ...row }) => live(row, row['observed_at'] as number))
  // One that has not reported for hours is no weather now.
  const late = exampleRow(weatherObservations, { station_id: 'LATE', observed_at: END - 4 * HOUR, updated_at: END - 4 * HOUR })
  await service.publish(weatherObservations, [...current, late], { at: END, feed: 'aemet_observation' })
  const observed = (await published('aemet_observation', END)).get('weather_stations') as AnyRow[]
  const inventory = (await published('aemet_stations', END)).get('weather_stations') as AnyRow[]
  await service.publish(
    weatherStations,
    observed.map((row) => live(row, END)),
    { at: END, feed: 'aemet_observation' },
  )
  await service.publish(
    weatherStations,
    inventory.map((row) => live(row, END)),
    { at: END, feed: 'aemet_stations' },
  )
  const tableRow = (row: AnyRow): AnyRow => ({
    ...{ observed_at: END, fetch_id: 'aemet_stations.1', status: 'ACTIVE', is_baseline: false, updated_at: END, last_seen_at: null },
    ...row,
  })
  await service.land(weatherStations, [...observed, ...inventory].map(tableRow), END)
  const places = new Map(observed.map((row) => [row['station_id'] as string, row['position'] as Point]))
  const point = (km: number, north_m: number, values: AnyRow = {}): AnyRow =>
    exampleTableRow(roadPoints, {
      ...{ month: '2026-10', road: 'M-999', province_code: '28', km, position: { lat: RETIRO.lat + north_m * M, lon: RETIRO.lon } },
      ...values,
    })
  // Nearest at km 12; far from all stations at km 90; nearer in an older month, and on another road.
  const road = [point(10, 5000), point(12, -900), point(14, 9000), point(90, 0, { position: { lat: 36, lon: -9 } })]
  const older = [point(13, 10, { month: '2026-09' }), point(1, 5, { road: 'M-99' })]
  if (roads) await service.land(roadPoints, [...road, ...older], END)
  return { service, landed, places }
}
