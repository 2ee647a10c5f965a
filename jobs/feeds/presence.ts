import { FormatError } from './define.ts'

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
