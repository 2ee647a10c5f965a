import type { Lake } from '../../lake/open.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import { type SeenQuality, seeQuality } from './seen-quality.ts'
import { type SeenTables, seeTables } from './seen-tables.ts'
import { type Watch, watch } from './watch.ts'

/** What answers about the service itself are made of, besides its state: followed from when it is first asked for. */
export interface SystemWatch {
  readonly tables: Watch<SeenTables>
  readonly quality: Watch<SeenQuality>
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
    quality: watch({ ...options, look: (before: SeenQuality | null) => seeQuality(lake.store, before) }),
  }
}
