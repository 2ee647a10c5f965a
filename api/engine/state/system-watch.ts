import type { Lake } from '../../../lake/open.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { type Watch, watch } from '../../kernel/http/watch.ts'
import type { SearchViews } from '../../kernel/reads/search-view.ts'
import { type SeenQuality, seeQuality } from './seen-quality.ts'
import { type SeenTables, seeTables } from './seen-tables.ts'

/** The sources of answers about the service itself, besides its state. They are polled from their first use. */
export interface SystemWatch {
  readonly tables: Watch<SeenTables>
  readonly quality: Watch<SeenQuality>
  readonly search: Watch<SearchViews>
  close(): void
}

/** Makes the watches of datasets' tables and of quality statistics. */
export function watchSystem(options: {
  readonly lake: Lake
  readonly datasets: readonly Dataset[]
  /** Makes the views of the search index from the last ones. */
  readonly search: { look(before: SearchViews | null): Promise<SearchViews> }
  readonly poll_ms: number
  /** Time between two checks of the search index's data, in ms. */
  readonly searchPoll_ms: number
  readonly onError: (error: Error) => void
}): SystemWatch {
  const { lake, datasets, search, searchPoll_ms } = options
  const watches = {
    tables: watch({ ...options, look: (before: SeenTables | null) => seeTables(lake, datasets, before) }),
    quality: watch({ ...options, look: (before: SeenQuality | null) => seeQuality(lake.store, before) }),
    search: watch({ ...options, poll_ms: searchPoll_ms, look: (before: SearchViews | null) => search.look(before) }),
  }
  return {
    ...watches,
    close: () => {
      for (const one of Object.values(watches)) one.close()
    },
  }
}
