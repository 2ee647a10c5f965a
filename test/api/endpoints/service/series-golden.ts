import type { derive } from '../../../../jobs/derive/derive.ts'
import { v16Beacons } from '../../../../lake/datasets/road/v16.ts'
import { weatherObservations } from '../../../../lake/datasets/weather/weather-stations.ts'
import type { AnyRow, Dataset } from '../../../../lake/schema/dataset.ts'
import { dayBounds } from '../../../../lake/schema/time.ts'
import { figures } from '../../../helpers/figures.ts'
import type { TestService } from '../../service.ts'

/** A requested series, and the SQL over the tables' files that gives the same records, with the members that it names. */
interface Row {
  readonly path: string
  readonly golden: string
}

/** A domain: its tables' contents, its roll-ups, and its rows. To add a history, add a row. */
export interface Domain {
  readonly tables: readonly Dataset[]
  readonly rollups?: readonly Parameters<typeof derive>[1][]
  readonly land: (service: TestService, rows: 'before' | 'since') => Promise<void>
  readonly rows: readonly Row[]
}

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
/** A leap day, and both changes of the clock; rolled up to the end of 2028-10-29. */
const SPANS = [
  ['2028-02-29', '2028-03-02'],
  ['2028-03-26', '2028-03-27'],
  ['2028-10-28', '2028-10-31'],
] as const
export const ROLLED = dayBounds('2028-10-29').end
export const END = dayBounds('2028-10-30').end
export const YEAR = 'from=2028-01-01&to=2029-01-01&limit=1000'
export const AUTUMN = 'from=2028-10-28&to=2028-10-31&limit=1000'

export const next = figures(9)
/** A whole number below `most`. */
export const whole = (most: number): number => Math.floor(most * next())
/** The value, or null one time in ten. */
export const some = <T>(value: T): T | null => (next() < 0.1 ? null : value)
/** One of some values. */
export const pick = <T>(of: readonly T[]): T => of[whole(of.length)] as T

/** Instants of the spans, at the given distance. */
export function* instants(every: number): Generator<number> {
  for (const [from, to] of SPANS) for (let at = dayBounds(from).start; at < Math.min(END, dayBounds(to).start); at += every) yield at
}

/** Lands the rows before the roll-ups, or those after them. */
export const part = (service: TestService, dataset: Dataset, rows: readonly AnyRow[], when: 'before' | 'since'): Promise<void> => {
  const isBefore = (row: AnyRow): boolean => Number(row[dataset.time]) < ROLLED + HOUR
  return service.land(
    dataset,
    rows.filter((row) => isBefore(row) === (when === 'before')),
    when === 'before' ? ROLLED + HOUR : END,
    [...(dataset === weatherObservations ? ['aemet_observation'] : dataset === v16Beacons ? ['dgt_incidents'] : ['madrid_traffic'])],
  )
}

export const madrid = (at: string): string => `timezone('Europe/Madrid', ${at})`
/** SQL of an instant as replies show it. */
export const iso = (at: string): string => `strftime(timezone('UTC', ${at}), '%Y-%m-%dT%H:%M:%S.000Z')`
const UNITS = { '15m': '15 minutes', '1h': '1 hour', '1d': 'day', '1w': 'week', '1mo': 'month', '1y': 'year' } as const
export type Unit = keyof typeof UNITS
/** SQL of the begin of the step of an instant, by Madrid's calendar. */
export const begin = (step: Unit, at: string): string =>
  step === '15m' || step === '1h' ? `time_bucket(INTERVAL ${UNITS[step]}, ${at})` : madrid(`date_trunc('${UNITS[step]}', ${madrid(at)})`)
/** SQL of the length of the step that begins at `begun`, in seconds. */
export const seconds = (step: Unit): string =>
  step === '15m' ? '900' : step === '1h' ? '3600' : `(epoch(${madrid(`${madrid('begun')} + INTERVAL 1 ${UNITS[step]}`)}) - epoch(begun))`
/** SQL of `coverage`. */
export const share = (of: string): string => `CAST(least(1, ${of}) AS DECIMAL(9, 6)) AS coverage`
