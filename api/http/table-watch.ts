import type { Lake } from '../../lake/open.ts'
import { beginOf } from '../../lake/query/begin.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import type { TableAbout } from '../define/endpoint.ts'

/** What the tables of the published datasets say of themselves, as they were last looked at. */
export interface TablesView {
  /** By dataset id; a table that is not created yet is not among them. */
  readonly tables: ReadonlyMap<string, TableAbout>
  /** Text that changes with the tables of some datasets, of all where null. */
  version(of: readonly string[] | null): string
  /** When one of them last changed, ms since the epoch; 0 where there is none. */
  changed_at(of: readonly string[] | null): number
}

/** Follows tables by their metadata: no data file is opened for it. */
export interface TableWatch {
  /** The tables as they are known; the first to ask waits for a look at them. */
  view(): Promise<TablesView>
  /** Calls back when one of them has changed; returns what ends it. */
  onChange(tell: () => void): () => void
  close(): void
}

interface Seen {
  readonly version: number
  readonly about: TableAbout
}

/** Makes what follows the tables of datasets, looking at them every `poll_ms` from when they are first asked for. */
export function watchTables(options: {
  readonly lake: Lake
  readonly datasets: readonly Dataset[]
  readonly poll_ms: number
  /** Told of tables that cannot be read; what was known of them stays. */
  readonly onError: (error: Error) => void
}): TableWatch {
  const { lake, datasets, poll_ms, onError } = options
  const watchers = new Set<() => void>()
  let seen: ReadonlyMap<string, Seen> = new Map()
  let first: Promise<void> | null = null
  let timer: NodeJS.Timeout | null = null
  let isClosed = false

  const look = async (): Promise<void> => {
    const found = await Promise.all(
      datasets.map(async (dataset) => [dataset.id, await seeTable(lake, dataset, seen.get(dataset.id))] as const),
    )
    const there = found.flatMap(([id, table]) => (table ? [[id, table] as const] : []))
    const isSame = there.length === seen.size && there.every(([id, table]) => seen.get(id) === table)
    if (isSame) return
    seen = new Map(there)
    for (const tell of watchers) tell()
  }
  const again = (): void => {
    if (isClosed) return
    timer = setTimeout(() => {
      look()
        .catch((error: Error) => {
          if (!isClosed) onError(error)
        })
        .finally(again)
    }, poll_ms)
    timer.unref()
  }
  const begin = async (): Promise<void> => {
    try {
      await look()
    } catch (error) {
      // Whoever asks next looks again.
      first = null
      throw error
    }
    again()
  }
  const chosen = (of: readonly string[] | null): (Seen | undefined)[] => (of === null ? [...seen.values()] : of.map((id) => seen.get(id)))
  return {
    async view() {
      first ??= begin()
      await first
      return {
        tables: new Map([...seen].map(([id, { about }]) => [id, about])),
        version: (of) => (of ?? [...seen.keys()]).map((id) => `${id}.${seen.get(id)?.version ?? ''}`).join(' '),
        changed_at: (of) => Math.max(0, ...chosen(of).map((one) => one?.about.updated_at ?? 0)),
      }
    },
    onChange(tell) {
      watchers.add(tell)
      return () => void watchers.delete(tell)
    },
    close() {
      isClosed = true
      if (timer) clearTimeout(timer)
    },
  }
}

/** A table as it is now: what was seen of it before, where its metadata are of the same version. Null where it is not created yet. */
async function seeTable(lake: Lake, dataset: Dataset, before: Seen | undefined): Promise<Seen | null> {
  const found = await lake.snapshot(dataset)
  if (!found) return null
  if (before?.version === found.version) return before
  const { metadata, snapshot } = found.state
  const total = (name: string): number => Number(snapshot?.summary[name] ?? 0)
  const about = {
    rows: total('total-records'),
    bytes: total('total-files-size'),
    files: total('total-data-files'),
    snapshots: metadata.snapshots.length,
    updated_at: metadata['last-updated-ms'],
    covered_from: await beginOf(found.state, dataset),
    covered_until: found.covered_until,
    schemas: metadata.schemas,
    schema_version: metadata['current-schema-id'],
  }
  return { version: found.version, about }
}
