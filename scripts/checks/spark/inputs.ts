import { datasets } from '../../../lake/catalog.ts'
import { fuelArchivePrices, fuelPrices, fuelStations } from '../../../lake/datasets/fuel/prices.ts'
import { mobilityTrips, mobilityV1Trips } from '../../../lake/datasets/mobility/trips.ts'
import { trafficReadings, trafficReadings15m } from '../../../lake/datasets/road/traffic-readings.ts'
import { createTable } from '../../../lake/iceberg/create.ts'
import type { Lake } from '../../../lake/open.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import { dayBounds, isoInstant, madridDate } from '../../../lake/schema/time.ts'
import { type Dice, diceOf } from '../../stand-in/random.ts'
import { landRows } from '../scratch/lake.ts'

const [MINUTE_MS, DAY_MS] = [60_000, 86_400_000]
/** Days around both clock changes and the ends of months: 2025-10-26, 2025-11-01, 2026-03-29, 2026-04-01 in Madrid. */
const SPANS = [
  ['2025-10-24', '2025-11-03'],
  ['2026-03-27', '2026-04-03'],
] as const
const DATES = SPANS.flatMap(([first, end]) => {
  const days = (Date.parse(end) - Date.parse(first)) / DAY_MS
  return Array.from({ length: days }, (_, day) => new Date(Date.parse(first) + day * DAY_MS).toISOString().slice(0, 10))
})

/** Fills the inputs of the derivations that DuckDB and Spark share with generated rows, the same for each seed. */
export async function fillInputs(lake: Lake, seed: number): Promise<void> {
  for (const dataset of datasets) await createTable({ store: lake.store, dataset, properties: { 'source-mode': 'simulated' } })
  const random = diceOf('roll-ups', seed)
  const until = isoInstant(dayBounds(DATES.at(-1) as string).end)
  const land = async (dataset: Dataset, feed: string, rows: readonly AnyRow[]): Promise<void> => {
    const complete = rows.map((row, at) => ({ ...row, fetch_id: `${feed}.2026-04-03T000000Z-${at % 7}` }))
    await landRows(lake, dataset, complete, { properties: { [`landed-until.${feed}`]: until } })
  }
  await land(trafficReadings, 'madrid_traffic', readings(random))
  await land(trafficReadings15m, 'madrid_history', archivedReadings(random))
  await land(mobilityTrips, 'mitma_trips', trips(random, 'V2'))
  await land(mobilityV1Trips, 'mitma_v1_trips', trips(random, 'V1'))
  await land(fuelStations, 'fuel_stations', stations(random))
  await land(fuelPrices, 'fuel_stations', prices(random))
  await land(fuelArchivePrices, 'fuel_archive', archivedPrices(random))
}

const pick = <T>(random: Dice, items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
const maybe = <T>(random: Dice, value: T): T | null => (random() < 0.15 ? null : value)
const upTo = (random: Dice, most: number): number => Math.floor(random() * most)

function readings(random: Dice): AnyRow[] {
  const sensors = [
    ...['3409', '1001', '6640', '10'].map((sensor_id) => ({ source: 'madrid', sensor_id, period_s: 300, minutes: 5 })),
    ...['3409', 'A2-12'].map((sensor_id) => ({ source: 'dgt', sensor_id, period_s: 180, minutes: 3 })),
  ]
  return sensors.flatMap(({ source, sensor_id, period_s, minutes }) =>
    SPANS.flatMap(([first, end]) => {
      const [from, to] = [dayBounds(first).start, dayBounds(end).start]
      return Array.from({ length: (to - from) / (minutes * MINUTE_MS) }, (_, at) => ({
        ...{ source, sensor_id, period_s, observed_at: from + at * minutes * MINUTE_MS + (source === 'madrid' ? 10_000 : 0) },
        ...{
          sensor_type: pick(random, ['M30', 'URBAN']),
          quality: random() < 0.05 ? 'ERROR' : 'OK',
          intensity_veh_h: maybe(random, upTo(random, 2000)),
        },
        ...{
          occupancy_pct: maybe(random, upTo(random, 100)),
          load_pct: maybe(random, upTo(random, 100)),
          speed_kmh: maybe(random, upTo(random, 120)),
        },
        level_of_service: maybe(random, pick(random, ['FLUID', 'SLOW', 'QUEUES', 'CONGESTION'])),
        ...{ headway_m: source === 'dgt' ? upTo(random, 90) : null, long_vehicles_pct: source === 'dgt' ? upTo(random, 40) : null },
      }))
    }),
  )
}

/** Quarters of an hour of local time; those that a clock change skips or repeats have no instant. */
function archivedReadings(random: Dice): AnyRow[] {
  return DATES.flatMap((local_date) =>
    Array.from({ length: 96 }, (_, quarter) => {
      const { start, end } = dayBounds(local_date)
      const changes = end - start !== DAY_MS && quarter >= 8
      return {
        ...{
          source: 'madrid_archive',
          month: local_date.slice(0, 7),
          sensor_id: pick(random, ['3409', '1001']),
          period_s: 900,
          local_date,
        },
        ...{
          minute_of_day: quarter * 15,
          repetition: 1,
          day_starts_at: start,
          starts_at: changes ? null : start + quarter * 15 * MINUTE_MS,
        },
        ...{
          is_clock_change: changes,
          sensor_type: 'M30',
          intensity_veh_h: maybe(random, upTo(random, 2000)),
          occupancy_pct: null,
          load_pct: upTo(random, 100),
        },
        ...{ speed_kmh: maybe(random, upTo(random, 120)), quality: 'UNKNOWN', samples: null },
      }
    }),
  )
}

const ZONES = [
  '28079',
  '2807901',
  '28006_AM',
  '0801',
  '08019',
  '34280790000',
  '34000000028',
  'FR101',
  'PT11A',
  'externo',
  '01001',
  '5101_AD',
]

function trips(random: Dice, study: 'V1' | 'V2'): AnyRow[] {
  return DATES.flatMap((local_date) =>
    Array.from({ length: 120 }, (_, at) => ({
      ...{ study, study_day: `${study}-${local_date}`, local_date, day_starts_at: dayBounds(local_date).start, zone_level: 'MUNICIPALITY' },
      ...{
        origin_zone: pick(random, ZONES),
        destination_zone: `${pick(random, ZONES)}`,
        hour: at % 24,
        starts_at: null,
        is_clock_change: false,
      },
      ...{
        distance_band: pick(random, ['0.5-2', '2-10', '10-50']),
        trips: upTo(random, 9_999_999) / 1000,
        trip_km: upTo(random, 999_999_999) / 1000,
      },
    })),
  )
}

const BRANDS = [
  'REPSOL',
  'Repsol',
  'CEPSA',
  'Cepsa·',
  'C.E.P.S.A.',
  'ESTACIÓN Ñ',
  'Estacion n',
  'Árbol & Óleo 24h',
  '·',
  'ÜBER-Gas',
  null,
] as const
const STATIONS = Array.from({ length: 33 }, (_, at) => ({
  station_id: `${at + 1}`,
  province_code: ['08', '28', '51'][at % 3] as string,
  at,
}))
const of = (at: number): AnyRow => ({ is_baseline: false, updated_at: at, last_seen_at: null })

/** Instants at which something changed, many of them within minutes of midnight in Madrid, in UTC, or at a clock change. */
function moments(random: Dice, count: number): number[] {
  return Array.from({ length: count }, () => {
    const { start } = dayBounds(pick(random, DATES))
    return start + pick(random, [upTo(random, DAY_MS), upTo(random, 4) * MINUTE_MS, -upTo(random, 4) * MINUTE_MS, 2 * 3_600_000, 3_600_000])
  })
}

function stations(random: Dice): AnyRow[] {
  return STATIONS.flatMap(({ station_id, province_code, at }) =>
    [...new Set([dayBounds(SPANS[0][0]).start, ...moments(random, 3)])].map((observed_at) => ({
      ...{ source: 'miteco', station_id, observed_at, brand: BRANDS[at % BRANDS.length] ?? null, province_code, ...of(observed_at) },
      ...{ sale_type: random() < 0.1 ? 'RESTRICTED' : maybe(random, 'PUBLIC'), status: random() < 0.05 ? 'MISSING' : 'ACTIVE' },
    })),
  )
}

function prices(random: Dice): AnyRow[] {
  return STATIONS.flatMap(({ station_id, province_code }) =>
    ['DIESEL_A', 'GASOLINE_95_E5'].flatMap((product) =>
      [...new Set([dayBounds(SPANS[0][0]).start + MINUTE_MS, ...moments(random, 8)])].map((observed_at) => ({
        ...{
          station_id,
          product,
          price: (1200 + upTo(random, 400)) / 1000,
          price_unit: 'EUR/L',
          observed_at,
          province_code,
          ...of(observed_at),
        },
        ...{ price_issue: random() < 0.05 ? 'TOO_LOW' : null, status: random() < 0.1 ? 'ENDED' : 'ACTIVE' },
      })),
    ),
  )
}

/** Days of which the register has no price, and one that it has, too. */
function archivedPrices(random: Dice): AnyRow[] {
  return ['2025-09-29', '2025-09-30', '2025-10-01', '2025-10-27'].flatMap((day) =>
    STATIONS.map(({ station_id, province_code, at }) => ({
      ...{
        day,
        day_starts_at: dayBounds(day).start,
        station_id,
        product: 'DIESEL_A',
        price: (1200 + upTo(random, 400)) / 1000,
        price_unit: 'EUR/L',
      },
      ...{
        province_code,
        brand: BRANDS[at % BRANDS.length] ?? null,
        sale_type: random() < 0.1 ? 'RESTRICTED' : 'PUBLIC',
        price_issue: null,
      },
    })),
  )
}

/** The months of Madrid that the inputs have, for a check that none is left out. */
export const MONTHS_OF_INPUTS: readonly string[] = [...new Set(DATES.map((date) => madridDate(dayBounds(date).start).slice(0, 7)))]
