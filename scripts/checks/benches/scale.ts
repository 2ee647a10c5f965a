import { trafficOf } from '../../../api/endpoints/mobility/corridor.ts'
import { cityHistory } from '../../../api/endpoints/road/city-history.ts'
import { sensorHistory } from '../../../api/endpoints/road/sensor-history.ts'
import type { Endpoint } from '../../../api/kernel/endpoint.ts'
import { type CachedQuery, queryReader } from '../../../api/kernel/reads/cached-query.ts'
import { corridorHoursDerived, corridorSensorMonthsDerived } from '../../../jobs/derive/mobility/corridors.ts'
import {
  trafficCityHoursDerived,
  trafficDaysDerived,
  trafficHoursDerived,
  trafficTypicalWeeksDerived,
} from '../../../jobs/derive/road/traffic.ts'
import { trafficHours } from '../../../lake/datasets/road/traffic-hours.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import type { Lake } from '../../../lake/open.ts'
import { type Corridor, sensorCorridors } from '../../../lake/places/corridors.ts'
import { scan } from '../../../lake/query/scan.ts'
import { instant, sql } from '../../../lake/query/sql.ts'
import { isoInstant, madridDate } from '../../../lake/schema/time.ts'
import { endpointSql } from './endpoint-sql.ts'
import { benchLake } from './madrid-day.ts'
import { median } from './measure.ts'
import { fillReadings, sensorAt } from './readings-lake.ts'
import { rollUp, stateCovered } from './roll-up.ts'
import { liveForecasts } from './scale-forecasts.ts'
import { type Read, readBy } from './scale-read.ts'
import { type Done, type Expected, runOnce } from './work.ts'

/** As many as in Madrid. */
const SENSORS = 6117
/** Sensors in one file of a closed month: some 64 MB, as compacted by upkeep. */
const SENSORS_A_FILE = 1530
const DAY_MS = 86_400_000
const END = Date.UTC(2026, 0, 1)
/** The current month, which has a file for each day. */
const LAST_MONTH = Date.UTC(2025, 11, 1)

/** Sizes of generated lakes, by the start of their readings; all end with 2025 in UTC. */
export const LAKE_SIZES = Object.freeze({ week: END - 7 * DAY_MS, month: LAST_MONTH, year: Date.UTC(2025, 0, 1) })
export type LakeSize = keyof typeof LAKE_SIZES

/** Cost of filling a lake. */
export interface Filled {
  readonly rows: number
  readonly fill_s: number
}

/** One measurement and its limit. */
export interface Scaled {
  readonly name: string
  readonly about: string
  readonly ms: number
  readonly limit_ms: number
  /** The files that one such query reads with cold caches. */
  readonly read: Read
}

/** An open lake and its folder. */
interface Stage {
  readonly folder: string
  readonly lake: Lake
}

/** A query of a lake, for another sensor or period each turn, and its expected result. */
interface Question {
  readonly expected: Expected
  ask(lake: Pick<Lake, 'query'>, turn: number): Promise<Done>
}

/** Generates readings of every sensor every five minutes directly in the tables of a lake. */
export async function fillScale(folder: string, size: LakeSize): Promise<Filled> {
  const began = performance.now()
  const from = LAKE_SIZES[size]
  const rows = await fillReadings(folder, { sensors: SENSORS, from, open: Math.max(from, LAST_MONTH), to: END, atOnce: SENSORS_A_FILE })
  await stateCovered(folder, trafficReadings, { feed: 'madrid_traffic', until: END })
  return { rows, fill_s: (performance.now() - began) / 1000 }
}

/** Rolls it up as the worker does; returns seconds by derived dataset. */
export function rollUpScale(folder: string): Promise<Readonly<Record<string, number>>> {
  return rollUp(folder, [
    trafficHoursDerived,
    trafficDaysDerived,
    trafficCityHoursDerived,
    trafficTypicalWeeksDerived,
    corridorHoursDerived,
    corridorSensorMonthsDerived,
  ])
}

/** Days of the smallest lake. */
const LEAST_DAYS = 7
const WARM_ROUNDS = 15
const COLD_ROUNDS = 5

/** Measures the promises about a filled lake: medians over rounds, each of another sensor. */
export async function measureScale(folder: string, size: LakeSize): Promise<Scaled[]> {
  const from = LAKE_SIZES[size]
  const period = `from=${isoInstant(from)}&to=${isoInstant(END)}`
  const sensorPath = (turn: number): string =>
    `/api/trafico/sensores/${sensorAt((turn * 97) % SENSORS)}/historico?interval=1d&limit=1000&${period}`
  const expected = { records: { min: LEAST_DAYS } }
  const days: Question = { expected, ask: (one, turn) => ask(one, sensorHistory, sensorPath(turn), from) }
  const raw: Question = { expected, ask: (one, turn) => ask(one, sensorHistory, sensorPath(turn), from, { rolled: false }) }
  const lake = await benchLake(folder)
  const scaled = async (
    { name, about, limit_ms }: { readonly name: string; readonly about: string; readonly limit_ms: number },
    question: Question,
    times = warm,
  ): Promise<Scaled> => {
    const ms = await times({ folder, lake }, question)
    return { name, about, ms, limit_ms, read: await inNewLake(folder, (one) => readBy(one, (read) => question.ask(read, 0))) }
  }
  try {
    return [
      await scaled({ name: 'sensor-days', about: `one sensor's ${size} by day, from the roll-up`, limit_ms: 100 }, days),
      await scaled({ name: 'sensor-days-raw', about: 'the same from the readings', limit_ms: 500 }, raw),
      await scaled({ name: 'sensor-days-raw-cold', about: 'the same, with cold caches', limit_ms: 1500 }, raw, cold),
      await scaled({ name: 'city-month', about: 'the hours of a city in its last month', limit_ms: 3000 }, city),
      await scaled({ name: 'heatmap-month', about: 'the last month of all sensors by hour of the day', limit_ms: 3000 }, heatmap),
      await scaled(
        { name: 'corridor-profile', about: `the ring road's ${size} by hour and kind of day, from the roll-ups`, limit_ms: 2000 },
        corridor,
      ),
      await scaled(
        {
          name: 'live-forecasts',
          about: 'forecasts of all sensors four hours ahead, from at most half a year of hours',
          limit_ms: 60_000,
        },
        { expected: { forecasts: { min: SENSORS } }, ask: (one) => liveForecasts(one, monthsFrom(from), END) },
        once,
      ),
    ]
  } finally {
    await lake.close()
  }
}

/** Runs the queries of an endpoint. */
async function ask(lake: Pick<Lake, 'query'>, endpoint: Endpoint, path: string, from: number, { rolled = true } = {}): Promise<Done> {
  const { first, page, columns } = endpointSql(endpoint, path, { from, until: END })
  const found = first && rolled ? await lake.query(first) : []
  const rows = await lake.query(page(found), { columns })
  return { records: rows.length }
}

const city: Question = {
  // At least the hours of a week.
  expected: { records: { min: LEAST_DAYS * 24 } },
  ask(lake, turn) {
    const from = LAST_MONTH + turn
    return ask(lake, cityHistory, `/api/trafico/ciudades/madrid/historico?limit=1000&from=${isoInstant(from)}&to=${isoInstant(END)}`, from)
  },
}

const heatmap: Question = { expected: { cells: SENSORS * 24 }, ask: (lake) => askHeatmap(lake) }

async function askHeatmap(lake: Pick<Lake, 'query'>): Promise<Done> {
  const hours = scan(trafficHours, { period_start: { gte: LAST_MONTH, lt: END } })
  const rows = await lake.query(sql`
    WITH clock AS (
      SELECT period_start, CAST(hour(timezone('Europe/Madrid', period_start)) AS INTEGER) AS hour_local
      FROM (SELECT unnest(generate_series(${instant(LAST_MONTH)}, ${instant(END)}, INTERVAL 1 HOUR)) AS period_start)
    )
    SELECT sensor_id, hour_local, CAST(sum(intensity_sum_veh_h) / sum(intensity_readings) AS DOUBLE) AS mean
    FROM ${hours} JOIN clock USING (period_start)
    GROUP BY ALL
    ORDER BY ALL`)
  return { cells: rows.length }
}

/** By hour and kind of day. */
const corridor: Question = { expected: { profile_hours: 3 * 24 }, ask: (lake) => askCorridor(lake) }

/** Reads a corridor's profile as its endpoint does without a cached view. */
async function askCorridor(lake: Pick<Lake, 'query'>): Promise<Done> {
  const reader = queryReader({
    async *rows(query, columns) {
      yield await lake.query(query, columns ? { columns } : {})
    },
    // Corridors are read from growing tables, which have no whole versions.
    versions: async () => [],
  })
  const slice = <T>({ read }: CachedQuery<T>, key: string): Promise<T> => read(reader, key)
  const ring = sensorCorridors().find(({ basis }) => basis.sensor_type === 'M30') as Corridor
  const found = await trafficOf(slice, ring, new Date(LAST_MONTH).getUTCFullYear())
  return { profile_hours: found?.figures.profile?.length ?? 0 }
}

async function warm({ lake }: Stage, question: Question): Promise<number> {
  const times: number[] = []
  for (let round = -3; round < WARM_ROUNDS; round++) {
    const ms = await timeOf(lake, question, round + 3)
    if (round >= 0) times.push(ms)
  }
  return median(times)
}

const once = ({ lake }: Stage, question: Question): Promise<number> => timeOf(lake, question, 0)

/** The ms until a query returns its expected result. */
async function timeOf(lake: Lake, { expected, ask }: Question, turn: number): Promise<number> {
  const { ms } = await runOnce('the question', { expected, run: () => ask(lake, turn) })
  return ms
}

/** Madrid's months from an instant to the end of the generated data. */
function monthsFrom(from: number): string[] {
  const months = new Set<string>()
  for (let at = from; at < END; at += DAY_MS) months.add(madridDate(at).slice(0, 7))
  return [...months]
}

async function cold({ folder }: Stage, question: Question): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < COLD_ROUNDS; round++) times.push(await inNewLake(folder, (lake) => timeOf(lake, question, round)))
  return median(times)
}

async function inNewLake<T>(folder: string, work: (lake: Lake) => Promise<T>): Promise<T> {
  const lake = await benchLake(folder)
  try {
    return await work(lake)
  } finally {
    await lake.close()
  }
}
