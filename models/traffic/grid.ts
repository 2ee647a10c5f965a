import type { CountDay } from './counts.sql.ts'

const DAY_MS = 86_400_000
const HOURS = 24

/** Kinds of series, by the letter at the end of their names: the direction of a count station, a sensor or a corridor. */
export const TRAFFIC_KINDS = { 1: 'COUNT_STATION', 2: 'COUNT_STATION', S: 'SENSOR', C: 'CORRIDOR' } as const

/** Counts of all series by day and local hour, in a compact form that can be sent to a thread. */
export interface Grid {
  /** Id and a letter for the kind (see `TRAFFIC_KINDS`), such as `ES01 1`, in order. */
  readonly series: readonly string[]
  /** First day, as days since 1970, and number of days. */
  readonly firstDay: number
  readonly days: number
  /** By series: vehicles by day and hour; NaN if unknown. */
  readonly counts: readonly Float32Array<ArrayBuffer>[]
}

/** A day of a series for a grid. */
export interface GridDay {
  readonly name: string
  /** Days since 1970. */
  readonly day: number
  /** Vehicles by local hour; null if unknown. */
  readonly vehicles: readonly (number | null)[]
}

/** Collects days into a grid between two days, both inclusive (days since 1970); days outside are ignored. */
export function makeGrid(firstDay: number, lastDay: number): { add(day: GridDay): void; end(): Grid } {
  const days = lastDay - firstDay + 1
  const counts = new Map<string, Float32Array<ArrayBuffer>>()
  return {
    add({ name, day, vehicles }) {
      if (day < firstDay || day > lastDay) return
      const of = counts.get(name) ?? new Float32Array(days * HOURS).fill(Number.NaN)
      counts.set(name, of)
      for (const [hour, count] of vehicles.entries()) if (count !== null) of[(day - firstDay) * HOURS + hour] = count
    },
    end() {
      const series = [...counts.keys()].sort()
      return { series, firstDay, days, counts: series.map((name) => counts.get(name) as Float32Array<ArrayBuffer>) }
    },
  }
}

/** The grid of all days of count stations; throws if there are none. */
export function gridOfCounts(rows: readonly CountDay[]): Grid {
  const dayOf = ({ local_date }: CountDay): number => Date.parse(local_date) / DAY_MS
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const row of rows) {
    first = Math.min(first, dayOf(row))
    last = Math.max(last, dayOf(row))
  }
  if (rows.length === 0) throw new RangeError('no counts to put on a board')
  const grid = makeGrid(first, last)
  for (const row of rows) grid.add({ name: `${row.station_id} ${row.direction}`, day: dayOf(row), vehicles: row.vehicles })
  return grid.end()
}

/** The grid of some series of another, in the given order, without missing ones. */
export function partOf(grid: Grid, series: readonly string[]): Grid {
  const numbers = new Map(grid.series.map((name, at) => [name, at]))
  const there = series.filter((name) => numbers.has(name))
  return { ...grid, series: there, counts: there.map((name) => grid.counts[numbers.get(name) as number] as Float32Array<ArrayBuffer>) }
}

/** Number of days of a grid with any data. */
export function daysOf({ counts, days }: Grid): number {
  const isKnown = (day: number): boolean =>
    counts.some((of) => of.subarray(day * HOURS, (day + 1) * HOURS).some((count) => !Number.isNaN(count)))
  return Array.from({ length: days }, (_, day) => day).filter(isKnown).length
}
