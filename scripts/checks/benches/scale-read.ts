import { readFile } from 'node:fs/promises'
import type { TableState } from '../../../lake/iceberg/table.ts'
import type { Lake } from '../../../lake/open.ts'
import { prunedFiles } from '../../../lake/query/relations.ts'
import { Scan } from '../../../lake/query/scan.ts'
import { render, type Sql, sql } from '../../../lake/query/sql.ts'

/** The files that queries read, out of all files. */
export interface Read {
  /** Data files that remain after pruning by partitions and bounds, and all files of the same tables. */
  readonly files: number
  readonly files_of: number
  /** Their sizes, bytes. */
  readonly bytes: number
  readonly bytes_of: number
  /** Bytes that the process read from files meanwhile, metadata included; null if the system does not count them. */
  readonly taken: number | null
}

/** A lake that records its queries, and these queries. */
export interface Asked {
  readonly lake: Pick<Lake, 'query'>
  readonly queries: readonly Sql[]
}

/** Wraps a lake so that its queries are recorded. */
export function remembering(lake: Lake): Asked {
  const queries: Sql[] = []
  return {
    lake: {
      query(query, options) {
        queries.push(query)
        return lake.query(query, options)
      },
    },
    queries,
  }
}

/** Runs work over a lake with cold caches and returns what it read. */
export async function readBy(lake: Lake, work: (lake: Pick<Lake, 'query'>) => Promise<unknown>): Promise<Read> {
  const asked = remembering(lake)
  const before = await bytesTaken()
  await work(asked.lake)
  const after = await bytesTaken()
  const kept = new Map<string, number>()
  const all = new Map<string, number>()
  for (const { dataset, filter } of asked.queries.flatMap(scansOf)) {
    const state = (await lake.snapshot(dataset))?.state as TableState
    for (const { key, bytes } of await prunedFiles(state, dataset, filter)) kept.set(key, bytes)
    for (const { key, bytes } of await prunedFiles(state, dataset, {})) all.set(key, bytes)
  }
  const sum = (files: ReadonlyMap<string, number>): number => [...files.values()].reduce((total, bytes) => total + bytes, 0)
  const taken = before === null || after === null ? null : after - before
  return { files: kept.size, files_of: all.size, bytes: sum(kept), bytes_of: sum(all), taken }
}

function scansOf(query: Sql): Scan[] {
  const scans: Scan[] = []
  render(query, (relation) => {
    if (relation instanceof Scan) scans.push(relation)
    return sql`scanned`
  })
  return scans
}

/** Bytes that this process has read so far (Linux, `rchar` of proc(5)). */
async function bytesTaken(): Promise<number | null> {
  const text = await readFile('/proc/self/io', 'utf8').catch(() => '')
  const found = /^rchar: (\d+)$/m.exec(text)
  return found ? Number(found[1]) : null
}
