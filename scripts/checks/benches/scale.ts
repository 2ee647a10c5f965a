import { join } from 'node:path'
import { trafficOf } from '../../../api/endpoints/mobility/corridor.ts'
import { cityHistory } from '../../../api/endpoints/road/city-history.ts'
import { sensorHistory } from '../../../api/endpoints/road/sensor-history.ts'
import type { Endpoint } from '../../../api/kernel/endpoint.ts'
import { type CachedQuery, queryReader } from '../../../api/kernel/reads/cached-query.ts'
import { type Derived, filledBy } from '../../../jobs/derive/define.ts'
import { derive } from '../../../jobs/derive/derive.ts'
import { corridorHoursDerived, corridorSensorMonthsDerived } from '../../../jobs/derive/mobility/corridors.ts'
import {
  trafficCityHoursDerived,
  trafficDaysDerived,
  trafficHoursDerived,
  trafficTypicalWeeksDerived,
} from '../../../jobs/derive/road/traffic.ts'
import { feeds } from '../../../jobs/feeds/catalog.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { trafficHours } from '../../../lake/datasets/road/traffic-roll-ups.ts'
import type { Lake } from '../../../lake/open.ts'
import { type Corridor, sensorCorridors } from '../../../lake/places/corridors.ts'
import { scan } from '../../../lake/query/scan.ts'
import { instant, sql } from '../../../lake/query/sql.ts'
import { isoInstant } from '../../../lake/schema/time.ts'
import { startRedis } from '../../redis.ts'
import { openContext } from '../scratch/context.ts'
import { endpointSql } from './endpoint-sql.ts'
import { BENCH_ENGINE, benchLake, fillReadings, sensorAt } from './lake.ts'
import type { Bench, Done, Expected, MemoryBench } from './measure.ts'
import { twoWorkers } from './two-workers.ts'

/** As many as in Madrid. */
const SENSORS = 6117
/** Sensors in one file of a closed month: some 64 MB, as compacted by upkeep. */
const SENSORS_A_FILE = 1530
const DAY_MS = 86_400_000
const END = Date.UTC(2026, 0, 1)
/** The current month, which has a file for each day. */
const LAST_MONTH = Date.UTC(2025, 11, 1)
/** Days of the smallest lake. */
const LEAST_DAYS = 7
const LIMIT_MB = 4096
/** Memory in which a worker makes a month of the hours. */
const PART_MB = 1200

/** Sizes of generated lakes, by the start of their readings; all end with 2025 in UTC. */
export const LAKE_SIZES = Object.freeze({ week: END - LEAST_DAYS * DAY_MS, month: LAST_MONTH, year: Date.UTC(2025, 0, 1) })
export type LakeSize = keyof typeof LAKE_SIZES

/** Set by `scripts/bench --lake`. */
const SIZE = (process.env['LAKE_SIZE'] ?? 'week') as LakeSize
const FROM = LAKE_SIZES[SIZE]
const PERIOD = `from=${isoInstant(FROM)}&to=${isoInstant(END)}`
const HOURS = [trafficHoursDerived]
const DERIVED = [trafficDaysDerived, trafficCityHoursDerived, trafficTypicalWeeksDerived, corridorHoursDerived, corridorSensorMonthsDerived]

/** A lake as queries see it. */
type Asked = Pick<Lake, 'query'>

/** A query of a lake, for another sensor or period each turn, and its limit in ms. */
interface Question {
  readonly name: string
  readonly about: string
  readonly limit_ms: number
  readonly expected: Expected
  readonly isCold?: boolean
  ask(lake: Asked, turn: number): Promise<Done>
}

const sensorPath = (turn: number): string =>
  `/api/trafico/sensores/${sensorAt((turn * 97) % SENSORS)}/historico?interval=1d&limit=1000&${PERIOD}`
const cityPath = (turn: number): string =>
  `/api/trafico/ciudades/madrid/historico?limit=1000&from=${isoInstant(LAST_MONTH + turn)}&to=${isoInstant(END)}`
const raw = {
  ...{ name: 'sensor-days-raw', about: 'the same from the readings', limit_ms: 500, expected: { records: { min: LEAST_DAYS } } },
  ask: (lake: Asked, turn: number) => ask(lake, sensorHistory, sensorPath(turn), { rolled: false }),
}

const QUESTIONS: readonly Question[] = [
  { ...raw, name: 'sensor-days', about: `one sensor's ${SIZE} by day, from the roll-up`, limit_ms: 100, ask: askDays },
  raw,
  { ...raw, name: 'sensor-days-raw-cold', about: 'the same, with cold caches', limit_ms: 1500, isCold: true },
  {
    ...{ name: 'city-month', about: 'the hours of a city in its last month', limit_ms: 3000 },
    // At least the hours of a week.
    expected: { records: { min: LEAST_DAYS * 24 } },
    ask: (lake, turn) => ask(lake, cityHistory, cityPath(turn)),
  },
  {
    ...{ name: 'heatmap-month', about: 'the last month of all sensors by hour of the day', limit_ms: 3000 },
    ...{ expected: { cells: SENSORS * 24 }, ask: askHeatmap },
  },
  {
    ...{ name: 'corridor-profile', about: `the ring road's ${SIZE} by hour and kind of day, from the roll-ups`, limit_ms: 2000 },
    ...{ expected: { profile_hours: 3 * 24 }, ask: askCorridor },
  },
]

/** Roll-ups of the readings as the worker makes them, which the queries need. */
const rollUps: readonly MemoryBench[] = [
  {
    name: 'scale/hours',
    about: `peak memory of a process that makes the hours of the ${SIZE}, month by month`,
    limit_mb: PART_MB,
    made: HOURS,
  },
  {
    name: 'scale/roll-up',
    about: `peak memory of a process that makes the other roll-ups from these hours`,
    limit_mb: LIMIT_MB,
    made: DERIVED,
  },
].map(({ made: derived, ...about }) => ({
  ...about,
  rounds: 1,
  expected: { derived: derived.length },
  setUp: fillScale,
  run: (_folder, made) => rollUp(made, derived),
}))

/** The promises about a lake of all of Madrid's sensors. */
export const SCALE: readonly (Bench | MemoryBench)[] = [...rollUps, ...QUESTIONS.map(scaleBench), twoWorkers]

/** Generates readings of every sensor every five minutes directly in the tables of a lake. */
function fillScale(folder: string): Promise<void> {
  return fillReadings(folder, { sensors: SENSORS, from: FROM, open: Math.max(FROM, LAST_MONTH), to: END, atOnce: SENSORS_A_FILE })
}

/** Rolls up the readings of a lake as the worker does, with its own Redis. */
async function rollUp(folder: string, derivations: readonly Derived[]): Promise<Done> {
  const server = await startRedis({ folder: join(folder, 'roll-up-redis'), appendOnly: false })
  // Derived tables have no public ids, and generated tables no key for them.
  const own = { idKey: Buffer.alloc(32), engine: BENCH_ENGINE, logLevel: 'warn' }
  const context = await openContext({ folder, redisUrl: server.url, ...own })
  try {
    for (const derived of derivations) {
      await prepareTables(context, filledBy(derived))
      const { waits } = await derive(context, derived, { feeds, signal: new AbortController().signal })
      if (waits) throw new Error(`${derived.into.id} could not be built`)
    }
    return { derived: derivations.length }
  } finally {
    await context.close()
    await server.stop()
  }
}

function scaleBench({ name, about, limit_ms, expected, isCold = false, ask }: Question): Bench {
  return {
    name: `scale/${name}`,
    about,
    limit: 1,
    limit_mb: LIMIT_MB,
    rounds: isCold ? 5 : 15,
    setUp: fillScale,
    async open(folder) {
      const warm = isCold ? null : await benchLake(folder)
      let turn = 0
      return {
        measured: {
          expected,
          async run(timer) {
            const lake = warm ?? (await benchLake(folder))
            const done = await timer.part(() => ask(lake, turn++))
            if (lake !== warm) await lake.close()
            return done
          },
        },
        reference: { limit_ms },
        close: async () => void (await warm?.close()),
      }
    },
  }
}

/** Runs the queries of an endpoint. */
async function ask(lake: Asked, endpoint: Endpoint, path: string, { rolled = true } = {}): Promise<Done> {
  const { first, page, columns } = endpointSql(endpoint, path, { from: FROM, until: END })
  const found = first && rolled ? await lake.query(first) : []
  return { records: (await lake.query(page(found), { columns })).length }
}

function askDays(lake: Asked, turn: number): Promise<Done> {
  return ask(lake, sensorHistory, sensorPath(turn))
}

async function askHeatmap(lake: Asked): Promise<Done> {
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

/** Reads a corridor's profile by hour and kind of day as its endpoint does without a cached view. */
async function askCorridor(lake: Asked): Promise<Done> {
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
