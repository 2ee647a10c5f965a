import type { Redis } from 'ioredis'
import { LIVE_KEYS, logKey } from './keys.ts'
import { inOneStep } from './parts.ts'
import type { LiveChange, LiveRow } from './types.ts'

/** A change as the log holds it. */
export interface LoggedChange extends LiveChange {
  /** Where it lies in the log: pass it as `after` to go on behind it. */
  readonly cursor: string
  /** Version of the dataset that it came with. */
  readonly version: number
  readonly feed: string
  /** Publication time of the data, ms since the epoch. */
  readonly data_time: number
}

/** A piece of the log, or the word that it cannot say what came after the cursor: read the snapshot anew and go on from its version. */
export type ChangesPage =
  | { readonly reset: true }
  | { readonly reset: false; readonly entries: readonly LoggedChange[]; readonly next: string; readonly more: boolean }

/** How much earlier than the clock that wrote an entry the publisher's may be: entries are searched from so long before the time asked for. */
const CLOCK_MARGIN_MS = 86_400_000
const CURSOR = /^(?:(\d{1,15})(?:-(\d{1,15}))?)?(?:@(\d{1,15}))?$/

/**
 * Changes of a dataset after a cursor: `<version>` (all that came after that snapshot; a time in ms works too) or `<version>-<n>` (an
 * entry's); null reads from the beginning of the log. `@<ms>` (behind an entry's cursor or alone) leaves out, up to the end of the log, what
 * publications before that time brought. Resets where the log begins later than the cursor, was emptied or never held it. Throws for a
 * text that is no cursor.
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
  // A cursor from the future was given by a Redis that has since been emptied, by a clock that has since been set back.
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

/** Where in the stream reading begins. */
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
