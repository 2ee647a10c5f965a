import type { Dataset, FeedRow } from '../../lake/schema/dataset.ts'
import { type Batch, batch, FormatError } from './define.ts'

/** A check for fields that every record of a publication should have, fed record by record. */
export interface Presence<T> {
  see(record: T): void
  /** Throws `FormatError` if a required field was absent from all records seen; does nothing if there were no records. */
  end(): void
}

/**
 * Checks for fields that every record normally has, by the publisher's names. One record may lack a field. If all do, the
 * publisher renamed or dropped it, and the absence says nothing about the records.
 */
export function watchPresence<T>(records: string, fields: Readonly<Record<string, (record: T) => boolean>>): Presence<T> {
  const missing = new Map(Object.entries(fields))
  let isEmpty = true
  return {
    see(record) {
      isEmpty = false
      if (missing.size === 0) return
      for (const [name, isThere] of missing) if (isThere(record)) missing.delete(name)
    },
    end() {
      if (!isEmpty && missing.size > 0) throw new FormatError(`none of the ${records} has ${[...missing.keys()].join(', ')}`)
    },
  }
}

/** The rows of things that are read batch by batch; null for one without a row. Checks the rows as `watchPresence` does. */
export function* presentRows<D extends Dataset, T, R extends FeedRow<D>>(
  dataset: D,
  things: Iterable<readonly T[]>,
  { what, always, row }: RowsOf<T, R>,
): Generator<Batch> {
  const presence = watchPresence(what, always)
  for (const some of things) {
    const rows = some.flatMap((one) => row(one) ?? [])
    for (const one of rows) presence.see(one)
    yield batch(dataset, rows)
  }
  presence.end()
}

interface RowsOf<T, R> {
  readonly what: string
  readonly always: Readonly<Record<string, (row: R) => boolean>>
  readonly row: (one: T) => R | null
}
