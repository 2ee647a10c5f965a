import type { Lake } from '../../lake/open.ts'
import { QUALITY_DAYS, type QualityDay, qualityDates, readQualityDay } from '../../lake/quality/days.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import { type SeenTables, seeTables } from './seen-tables.ts'
import { type Watch, watch } from './watch.ts'

/** What answers about the service itself are made of, besides its state: followed from when it is first asked for. */
export interface SystemWatch {
  readonly tables: Watch<SeenTables>
  /** Figures of days, the oldest first. */
  readonly quality: Watch<readonly QualityDay[]>
}

/** Makes what follows the tables of datasets and the figures of days. */
export function watchSystem(options: {
  readonly lake: Lake
  readonly datasets: readonly Dataset[]
  readonly poll_ms: number
  readonly onError: (error: Error) => void
}): SystemWatch {
  const { lake, datasets } = options
  return {
    tables: watch({ ...options, look: (before: SeenTables | null) => seeTables(lake, datasets, before) }),
    quality: watch({ ...options, look: (before: readonly QualityDay[] | null) => seeDays(lake, before) }),
  }
}

/** The figures of the days that there are; those of a day never change. */
async function seeDays({ store }: Lake, before: readonly QualityDay[] | null): Promise<readonly QualityDay[]> {
  const dates = (await qualityDates(store)).slice(-QUALITY_DAYS)
  if (before && dates.length === before.length && before.every(({ date }, at) => date === dates[at])) return before
  const known = new Map(before?.map((day) => [day.date, day]))
  const read = await Promise.all(dates.map((date) => known.get(date) ?? readQualityDay(store, date)))
  return read.flatMap((day) => day ?? [])
}
