import { Agent } from 'node:http'
import { gasStationHistory } from '../../../api/endpoints/fuel/gas-station-history.ts'
import { fuelHistory } from '../../../api/endpoints/fuel/series.ts'
import { fuelTrend } from '../../../api/endpoints/fuel/trend.ts'
import { mobilityList } from '../../../api/endpoints/mobility/flows.ts'
import { mobilityMatrix } from '../../../api/endpoints/mobility/od.ts'
import { cityHistory } from '../../../api/endpoints/road/city-history.ts'
import { incidentStats } from '../../../api/endpoints/road/incident-stats.ts'
import { sensorHistory } from '../../../api/endpoints/road/sensor-history.ts'
import { v16History } from '../../../api/endpoints/road/v16-history.ts'
import { hotspotList } from '../../../api/endpoints/safety/hotspots.ts'
import { accidentMicrodata } from '../../../api/endpoints/safety/microdata.ts'
import { accidentStats } from '../../../api/endpoints/safety/stats.ts'
import { weatherHistory } from '../../../api/endpoints/weather/history.ts'
import type { Endpoint } from '../../../api/kernel/endpoint.ts'
import type { Lake } from '../../../lake/open.ts'
import type { Sql } from '../../../lake/query/sql.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { isoInstant } from '../../../lake/schema/time.ts'
import { FUEL, FUELS, fillLake, homeOf, TRAFFIC, TRIPS } from './analytic-lake.ts'
import { FUEL_STATIONS, WEATHER_STATIONS } from './analytic-rows.ts'
import { type Alone, openAlone, statementOf } from './duckdb-alone.ts'
import { endpointSql } from './endpoint-sql.ts'
import { fetchText } from './http-load.ts'
import { startServer } from './incidents-api.ts'
import { startIncidentsService } from './incidents-service.ts'
import { benchLake } from './madrid-day.ts'
import type { Bench, Pair } from './measure.ts'
import { sensorAt } from './readings-lake.ts'
import type { Timer, Work } from './work.ts'

/** An endpoint, its requests (each different), and a member that each of its records has. */
interface Asked {
  readonly endpoint: Endpoint
  readonly path: (turn: number) => string
  readonly member: string
  readonly covered: { readonly from: number; readonly until: number }
  /** Records of each reply; at least one by default. */
  readonly records?: number
  /** Rounds; 40 by default. */
  readonly rounds?: number
}

const DAY_MS = 86_400_000
const traffic = { from: TRAFFIC.from, until: TRAFFIC.to }
/** All readings. Statistics always cover complete steps, so a few milliseconds in the period change only the URL. */
const period = (turn: number): string => `from=${isoInstant(TRAFFIC.from + 1 + turn)}&to=${isoInstant(TRAFFIC.to)}&limit=1000`

/** Uncached replies from tables and roll-ups, over HTTP. */
export const ANALYTIC: readonly Bench[] = [
  analyticBench('analytic/readings', 'three days of readings, 864 records', {
    endpoint: sensorHistory,
    path: readingsPath,
    member: 'period_start',
    covered: traffic,
    records: 864,
  }),
  analyticBench('analytic/sensor-hours', 'a month by the hour, 720 records, half of it from the files of single days', {
    endpoint: sensorHistory,
    path: (turn) => sensorPath(turn, { interval: '1h', from: TRAFFIC.open - 15 * DAY_MS, to: TRAFFIC.to }),
    member: 'period_start',
    covered: traffic,
    records: 720,
  }),
  analyticBench('analytic/sensor-days', "a sensor's month and a half by day", {
    endpoint: sensorHistory,
    path: (turn) => `/api/trafico/sensores/${sensorAt((turn * 97) % TRAFFIC.sensors)}/historico?interval=1d&${period(turn)}`,
    member: 'period_start',
    covered: traffic,
  }),
  analyticBench('analytic/city', "a city's month and a half by hour", {
    endpoint: cityHistory,
    path: (turn) => `/api/trafico/ciudades/madrid/historico?interval=1h&${period(turn)}`,
    member: 'period_start',
    covered: traffic,
  }),
  analyticBench('analytic/v16', 'activations on a road, by day', {
    endpoint: v16History,
    path: (turn) => `/api/v16/history?interval=1d&road=A-${turn % 60}&${period(turn)}`,
    member: 'period_start',
    covered: traffic,
  }),
  analyticBench('analytic/fuel', 'a fuel by week since 2019', {
    endpoint: fuelHistory,
    path: (turn) => `/api/combustible/historico?series=STATION_MEAN&fuel=DIESEL_A&from=${isoInstant(FUEL.from + 1 + turn)}&limit=1000`,
    member: 'period_start',
    covered: { from: FUEL.from, until: FUEL.to },
  }),
  analyticBench('analytic/trend', 'the trend of a fuel', {
    endpoint: fuelTrend,
    path: (turn) =>
      `/api/combustible/tendencia?series=STATION_MEAN&fuel=${FUELS[Math.floor(turn / 101) % FUELS.length]}&weeks=${4 + (turn % 101)}`,
    member: 'as_of',
    covered: { from: FUEL.from, until: FUEL.to },
  }),
  analyticBench('analytic/climate', "five weather stations' month and a half by day", {
    endpoint: weatherHistory,
    path: (turn) => `/api/clima/historico?station=${stationsAt(turn)}&interval=1d&${period(turn)}`,
    member: 'temp_mean_c',
    covered: traffic,
  }),
  analyticBench('analytic/accidents', 'accidents of two years by month of a province', {
    endpoint: accidentStats,
    path: (turn) => `/api/accidentes/stats?group_by=month&province=${provinceAt(turn)}&year=2023,2024&road=A-${turn % 90}&limit=1000`,
    member: 'fatal_accidents',
    covered: traffic,
  }),
  analyticBench('analytic/microdata', 'accidents on a road', {
    endpoint: accidentMicrodata,
    // Pages of the same size, independent of the number of rounds.
    path: (turn) => `/api/accidentes/microdata?road=A-${turn % 90}&year=${2022 + (turn % 3)}&limit=${500 + (turn % 101)}`,
    member: 'accident_id',
    covered: traffic,
  }),
  analyticBench('analytic/hotspots', 'black spots of two cities', {
    endpoint: hotspotList,
    path: (turn) =>
      `/api/accidentes/hotspots?format=json&kernel=${turn % 2 ? 'GAUSSIAN' : 'EPANECHNIKOV'}&bandwidth=${[100, 250, 500][turn % 3]}&min_score=${(turn % 500) / 10}`,
    member: 'density_km2',
    covered: traffic,
  }),
  analyticBench('analytic/incidents', 'incidents of a month by type and province', {
    endpoint: incidentStats,
    path: (turn) =>
      `/api/incidents/stats?group_by=type,province&from=${isoInstant(TRAFFIC.open + 1 + turn - 15 * DAY_MS)}&to=${isoInstant(TRAFFIC.to)}&limit=1000`,
    member: 'active_in_period',
    covered: traffic,
  }),
  analyticBench('analytic/station', "a filling station's month by day", {
    endpoint: gasStationHistory,
    path: (turn) =>
      `/api/gas-stations/${1000 + ((turn * 97) % FUEL_STATIONS)}/history?interval=1d&from=${isoInstant(TRAFFIC.from + 1 + turn)}&to=${isoInstant(TRAFFIC.open)}&limit=1000`,
    member: 'price_last',
    covered: traffic,
  }),
  analyticBench('analytic/flows', 'trips from a province to all, by month of a year', {
    endpoint: mobilityList,
    path: (turn) =>
      `/api/movilidad?origin=${provinceAt(turn)}&from=${isoInstant(TRIPS.from + 1 + turn)}&to=${isoInstant(TRIPS.to)}&limit=1000`,
    member: 'trips',
    covered: { from: TRIPS.from, until: TRIPS.to },
    rounds: 9,
  }),
  analyticBench('analytic/od', 'trips from a zone to all, by hour of three days', {
    endpoint: mobilityMatrix,
    path: (turn) =>
      `/api/movilidad/od?origin=${String(1001 + 7 * (turn % 700)).padStart(5, '0')}&group_by=hour&from=${isoInstant(TRIPS.cells + 1 + turn)}&to=${isoInstant(TRIPS.to)}&limit=1000`,
    member: 'trips',
    covered: { from: TRIPS.from, until: TRIPS.to },
  }),
]

/** Three days of readings of a sensor, from a closed month; no two turns are equal. */
export function readingsPath(turn: number): string {
  return sensorPath(turn, { interval: 'raw', from: TRAFFIC.from + 9 * DAY_MS, to: TRAFFIC.from + 12 * DAY_MS })
}

function sensorPath(
  turn: number,
  { interval, from, to }: { readonly interval: string; readonly from: number; readonly to: number },
): string {
  const time = (at: number): string => new Date(at + Math.floor(turn / TRAFFIC.sensors)).toISOString()
  return `/api/trafico/sensores/${sensorAt((turn * 97) % TRAFFIC.sensors)}/historico?interval=${interval}&from=${time(from)}&to=${time(to)}&limit=1000`
}

const provinceAt = (turn: number): string => String(1 + (turn % 52)).padStart(2, '0')

/** Five stations. */
function stationsAt(turn: number): string {
  return Array.from({ length: 5 }, (_, n) => `S${String((97 * turn + 151 * n) % WEATHER_STATIONS).padStart(3, '0')}`).join()
}

function analyticBench(name: string, what: string, asked: Asked): Bench {
  return {
    name,
    about: `one uncached reply over HTTP from a warm service: ${what}; against the same SQL in DuckDB alone, its result as JSON text`,
    limit: 1.25,
    orWithin_ms: 5,
    // A reply of 20 ms varies by a fifth; the median of this many rounds varies by a few hundredths.
    rounds: asked.rounds ?? 40,
    // The first replies run uncompiled code, which these benches do not measure.
    warmUps: 5,
    setUp: fillLake,
    open: (folder, { only }) => openPair(folder, { only, asked }),
  }
}

/** Replies per round; the mean time of one counts. */
const REPLIES = 5

async function openPair(folder: string, { only, asked }: { readonly only: boolean; readonly asked: Asked }): Promise<Pair> {
  const home = homeOf(folder)
  const ours = only ? await startIncidentsService(folder, home) : await startServer('api', folder, home)
  const { origin } = new URL(ours.url)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const lake = only ? null : await benchLake(home, { standBack: true })
  const alone = only ? null : await openAlone()
  let turn = 0
  return {
    measured: inReplies(asked, (timer) => {
      const url = `${origin}${asked.path(turn++)}`
      return timer.part(() => fetchText(url, { agent, key: ours.key }))
    }),
    reference: lake && alone && inReplies(asked, (timer) => askAlone(lake, { alone, timer }, { asked, path: asked.path(turn++) })),
    async close() {
      agent.destroy()
      await ours.close()
      alone?.close()
      await lake?.close()
    },
  }
}

/** A round's work: it produces several replies, each with all its records. */
function inReplies({ member, records }: Asked, textOf: (timer: Timer) => Promise<string>): Work {
  return {
    expected: { replies: REPLIES, records: records === undefined ? { min: REPLIES } : REPLIES * records },
    repeats: REPLIES,
    async run(timer) {
      const counts: number[] = []
      while (counts.length < REPLIES) {
        const text = await textOf(timer)
        counts.push(text.split(`"${member}":`).length - 1)
        if (counts.at(-1) === 0) throw new Error(`no record in ${text.slice(0, 300)}`)
      }
      return { replies: counts.length, records: counts.reduce((sum, count) => sum + count, 0) }
    },
  }
}

/** Runs the endpoint's SQL directly, measures DuckDB's time, and returns the text of the page. */
async function askAlone(
  lake: Lake,
  { alone, timer }: { readonly alone: Alone; readonly timer: Timer },
  { asked, path }: { readonly asked: Asked; readonly path: string },
): Promise<string> {
  const { first, page, asides } = endpointSql(asked.endpoint, path, asked.covered)
  const run = async (query: Sql): Promise<string> => {
    const statement = await statementOf(lake, query)
    return timer.part(() => alone.text(statement))
  }
  const found = first ? (JSON.parse(await run(first)) as AnyRow[]) : []
  const text = await run(page(found))
  for (const query of asides(found)) await run(query)
  return text
}
