import type { Redis } from 'ioredis'
import { LIVE_KEYS, logKey } from './keys.ts'
import { inOneStep } from './parts.ts'
import type { LiveChange, LiveRow } from './types.ts'

/** A change as stored in the log. */
export interface LoggedChange extends LiveChange {
  /** Its position in the log: pass it as `after` to continue after it. */
  readonly cursor: string
  /** Version of the dataset that contained it. */
  readonly version: number
  readonly feed: string
  /** Publication time of the data, ms since the epoch. */
  readonly data_time: number
}

/**
 * A page of the log, or a reset: the log does not know all changes after the cursor, so read the snapshot and continue from its
 * version.
 */
export type ChangesPage =
  | { readonly reset: true }
  | { readonly reset: false; readonly entries: readonly LoggedChange[]; readonly next: string; readonly more: boolean }

/** Greatest time by which a publisher's clock may be behind the clock of an entry; searches start this much earlier. */
const CLOCK_MARGIN_MS = 86_400_000
const CURSOR = /^(?:(\d{1,15})(?:-(\d{1,15}))?)?(?:@(\d{1,15}))?$/

/**
 * Changes of a dataset after a cursor: `<version>` (or a time in ms) or `<version>-<n>` (an entry's); null starts at the log's
 * beginning. `@<ms>` (appended to an entry's cursor, or alone) skips publications before that time. Resets if the log lacks
 * changes after the cursor. Throws for an invalid cursor.
 */
export async function readChanges(
  redis: Redis,
  dataset: string,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<ChangesPage> {
  const cursor = after === null ? [] : CURSOR.exec(after)
  if (!cursor || after === '') throw new Error(`cursor ${after?.slice(0, 40)}: expected <version>, <version>-<n> or either with @<ms>`)
  const since = cursor[3] === undefined ? null : Number(cursor[3])
  const version = cursor[1] === undefined ? null : Number(cursor[1])
  const place = cursor[2] === undefined ? Number.POSITIVE_INFINITY : Number(cursor[2])
  const [current, start, found, time] = (await inOneStep(
    redis
      .multi()
      .hget(LIVE_KEYS.versions, dataset)
      .hget(LIVE_KEYS.logStart, dataset)
      .xrange(logKey(dataset), begin({ version, place, since }), '+', 'COUNT', limit + 1)
      .time(),
  )) as [string | null, string | null, [string, string[]][], [number, number]]
  if (current === null || start === null) return { reset: true }
  const [startVersion = 0, startPlace = 0, startTime = startVersion] = start.split(/[- ]/).map(Number)
  if (version !== null && (version < startVersion || (version === startVersion && place < startPlace))) return { reset: true }
  if (version === null && since !== null && since < startTime) return { reset: true }
  // A cursor from the future is from a Redis that was emptied since, while the clock was set back.
  if (version !== null && version > Math.max(Number(current), Number(time[0]) * 1000 + 1000)) return { reset: true }
  const mark = since === null ? '' : `@${since}`
  const read = found.slice(0, limit)
  const entries = read
    .map(([id, fields]) => ({ id, named: namedFields(fields) }))
    .filter(({ named }) => since === null || Number(named['data_time']) >= since)
    .map(({ id, named }) => loggedChange(id, named, mark))
  const more = found.length > limit
  const end = version !== null && version > Number(current) ? (after as string) : current
  return { reset: false, entries, next: more ? `${(read.at(-1) as [string, string[]])[0]}${mark}` : end, more }
}

/** The stream position at which reading begins. */
function begin({ version, place, since }: { version: number | null; place: number; since: number | null }): string {
  if (version !== null) return place === Number.POSITIVE_INFINITY ? `${version + 1}-0` : `(${version}-${place}`
  return since === null ? '-' : `${Math.max(0, since - CLOCK_MARGIN_MS)}-0`
}

function namedFields(fields: readonly string[]): Record<string, string> {
  const named: Record<string, string> = {}
  for (let at = 0; at < fields.length; at += 2) named[fields[at] as string] = fields[at + 1] as string
  return named
}

function loggedChange(id: string, named: Readonly<Record<string, string>>, mark: string): LoggedChange {
  return {
    cursor: `${id}${mark}`,
    version: Number(id.split('-')[0]),
    kind: named['kind'] as LoggedChange['kind'],
    key: named['key'] as string,
    row: JSON.parse(named['row'] as string) as LiveRow,
    changed: JSON.parse(named['changed'] as string) as string[],
    feed: named['feed'] as string,
    data_time: Number(named['data_time']),
  }
}
