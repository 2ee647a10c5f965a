import { aemet } from '../../../lake/datasets/weather/sources.ts'
import { weatherObservations, weatherStations } from '../../../lake/datasets/weather/weather-stations.ts'
import { resolvePlace } from '../../../lake/places/resolve.ts'
import type { AnyRow, FeedRow } from '../../../lake/schema/dataset.ts'
import { xmlInstant } from '../../formats/dates.ts'
import { batch, type Diagnostics, defineFeed } from '../define.ts'
import { watchPresence } from '../presence.ts'
import { windDirection } from '../wind.ts'
import { type AemetRecord, aemetRequest, readRecords, textOf, watchKeys } from './aemet.ts'

type Observation = FeedRow<typeof weatherObservations>
type Station = FeedRow<typeof weatherStations>

const HOUR_MS = 3_600_000
/** `fint` ends in an offset since 2025 (`+0000`); before, it had none and was UTC. */
const OFFSET = /(?:Z|[+-]\d{2}:?\d{2})$/

/** Keys that identify the station and hour. */
const NAMING = ['idema', 'lon', 'lat', 'alt', 'ubi', 'fint'] as const

type Measure = Exclude<keyof Observation, 'source' | 'station_id' | 'period_s' | 'observed_at'>

/**
 * The keys of each measure, and its factor. The data name two measures `pliqt` and `psoltp`, the published metadata `pliqtp`
 * and `psolt`: both are accepted.
 */
const MEASURES: Readonly<Record<Measure, { readonly keys: readonly string[]; readonly times?: number }>> = {
  precipitation_mm: { keys: ['prec'] },
  temp_c: { keys: ['ta'] },
  temp_min_c: { keys: ['tamin'] },
  temp_max_c: { keys: ['tamax'] },
  humidity_pct: { keys: ['hr'] },
  wind_mean_m_s: { keys: ['vv'] },
  wind_dir_deg: { keys: ['dv'] },
  gust_m_s: { keys: ['vmax'] },
  gust_dir_deg: { keys: ['dmax'] },
  wind_sd_m_s: { keys: ['stdvv'] },
  wind_dir_sd_deg: { keys: ['stddv'] },
  pressure_hpa: { keys: ['pres'] },
  pressure_sea_level_hpa: { keys: ['pres_nmar'] },
  dew_point_c: { keys: ['tpr'] },
  ground_temp_c: { keys: ['ts'] },
  soil_temp_5cm_c: { keys: ['tss5cm'] },
  soil_temp_20cm_c: { keys: ['tss20cm'] },
  visibility_m: { keys: ['vis'], times: 1000 },
  sunshine_min: { keys: ['inso'] },
  wind_run_km: { keys: ['rviento'], times: 0.1 },
  disdrometer_precipitation_mm: { keys: ['pacutp'] },
  liquid_precipitation_mm: { keys: ['pliqt', 'pliqtp'] },
  solid_precipitation_mm: { keys: ['psoltp', 'psolt'] },
  snow_cm: { keys: ['nieve'] },
  geopotential_700hpa_m: { keys: ['geo700'] },
  geopotential_850hpa_m: { keys: ['geo850'] },
  geopotential_925hpa_m: { keys: ['geo925'] },
  ultrasonic_wind_mean_m_s: { keys: ['vvu'] },
  ultrasonic_wind_dir_deg: { keys: ['dvu'] },
  ultrasonic_gust_m_s: { keys: ['vmaxu'] },
  ultrasonic_gust_dir_deg: { keys: ['dmaxu'] },
  ultrasonic_wind_sd_m_s: { keys: ['stdvvu'] },
  ultrasonic_wind_dir_sd_deg: { keys: ['stddvu'] },
}

/** Each direction with its speed. */
const WINDS: readonly (readonly [speed: Measure, direction: Measure])[] = [
  ['wind_mean_m_s', 'wind_dir_deg'],
  ['gust_m_s', 'gust_dir_deg'],
  ['ultrasonic_wind_mean_m_s', 'ultrasonic_wind_dir_deg'],
  ['ultrasonic_gust_m_s', 'ultrasonic_gust_dir_deg'],
]

/** Decimals of each measure; whole numbers are published as `297.0`. */
const SCALES = Object.fromEntries(
  Object.keys(MEASURES).map((name) => [name, 10 ** (weatherObservations.columns[name as Measure].scale ?? 0)]),
)
const KNOWN = new Set([...NAMING, ...Object.values(MEASURES).flatMap(({ keys }) => keys)])

/**
 * Observations of all stations in the last 12 hours. They have no publication time, and the newest hour alone is not enough:
 * records of earlier hours still arrive.
 */
export const aemetObservation = defineFeed({
  id: 'aemet_observation',
  source: aemet,
  into: [weatherObservations, weatherStations],
  every_s: 3600,
  get: aemetRequest('observations', 'observacion/convencional/todas', 32_000_000),
  // The newest hours are incomplete, but the other ten have nearly every station.
  bands: {
    weather_observations: { atLeast: 1000, minRatio: 0.6, maxRatio: 1000 },
    weather_stations: { atLeast: 100, minRatio: 0.8, maxRatio: 1000 },
  },
  *rows(bodies, _clock, diagnostics) {
    const stations = new Map<string, AemetRecord>()
    const observations: Observation[] = []
    const presence = watchPresence<Observation>('records', {
      'a prec': (row) => row.precipitation_mm !== null,
      'a ta': (row) => row.temp_c !== null,
      'a vv': (row) => row.wind_mean_m_s !== null,
    })
    const watch = watchKeys('aemet_observation_key', KNOWN, diagnostics)
    for (const body of bodies)
      for (const record of readRecords(body)) {
        watch(record)
        const station_id = textOf(record, 'idema')
        const observed_at = hourEnd(record['fint'])
        if (station_id === null || observed_at === null) {
          const reason = station_id === null ? 'no idema' : 'fint is no full hour'
          diagnostics.reject(weatherObservations, reason, JSON.stringify(record).slice(0, 300))
          continue
        }
        const row = observationOf(record, { station_id, observed_at })
        presence.see(row)
        observations.push(row)
        // The newest record describes a station.
        stations.set(station_id, record)
      }
    presence.end()
    yield batch(weatherObservations, observations)
    yield batch(
      weatherStations,
      [...stations].map(([station_id, record]) => stationOf(record, station_id, diagnostics)),
    )
  },
})

/** The instant (ms) of `fint`, the end of the hour; null if invalid. */
function hourEnd(fint: unknown): number | null {
  const text = typeof fint === 'string' ? fint.trim() : ''
  const instant = xmlInstant(OFFSET.test(text) ? text : `${text}Z`)
  return instant !== null && instant % HOUR_MS === 0 ? instant : null
}

function observationOf(record: AemetRecord, about: Pick<Observation, 'station_id' | 'observed_at'>): Observation {
  const row: AnyRow = { source: aemet.id, station_id: about.station_id, period_s: HOUR_MS / 1000, observed_at: about.observed_at }
  for (const name in MEASURES) {
    const { keys, times = 1 } = MEASURES[name as Measure]
    row[name] = numberOf(record[keys.find((key) => key in record) ?? ''], { times, scale: SCALES[name] as number })
  }
  for (const [speed, direction] of WINDS) row[direction] = windDirection(row[speed] as number | null, row[direction] as number | null)
  return row as Observation
}

/**
 * A measure rounded to the published precision, without floating-point noise (5.6000000000000005). Null if missing; NaN if not
 * a number, which the row check counts.
 */
function numberOf(value: unknown, { times, scale }: { readonly times: number; readonly scale: number }): number | null {
  if (value === undefined || value === null) return null
  if (typeof value !== 'number') return Number.NaN
  return Math.round(value * times * scale) / scale
}

function stationOf(record: AemetRecord, station_id: string, diagnostics: Diagnostics): Station {
  const [lat, lon, alt] = [record['lat'], record['lon'], record['alt']]
  const stated = typeof lat === 'number' && typeof lon === 'number' ? { lat, lon } : null
  const place = resolvePlace({ position: stated }, (problem) => diagnostics.warn(`station: ${problem}`))
  return {
    source: aemet.id,
    listing: 'OBSERVATION',
    station_id,
    name: textOf(record, 'ubi') ?? station_id,
    province_code: place.province_code,
    municipality_code: place.municipality_code,
    altitude_m: typeof alt === 'number' ? alt : null,
    synop_code: null,
    position: place.position,
  }
}
