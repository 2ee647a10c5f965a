import { FormatError } from './define.ts'

/** What every record of a publication has, looked for in one after the other. */
export interface Presence<T> {
  see(record: T): void
  /** Throws `FormatError` where none of the records seen had something that all should have; says nothing where there was no record. */
  end(): void
}

/**
 * Watches for what all records of a publication are known to have, by the publisher's names. A record may lack it; where all do,
 * the publisher has renamed or dropped it, and its absence is no news of what the records are about.
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
