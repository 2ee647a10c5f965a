import { hourOf } from '../../../lake/minutes/objects.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { readUsage, type UsageMinute, type UsagePart } from '../../../lake/usage/objects.ts'
import { perDay } from '../limits/policy.ts'
import type { UsageRecorder } from './recorder.ts'

/** Units by minute, in order of time; `minute_s` is the start of the minute, in s since the epoch. */
export type MinuteCounts = readonly { readonly minute_s: number; readonly count: number }[]

const DAY_MS = 86_400_000
/** How long one read serves all slots, in ms: usage counted meanwhile is missing from it. */
const SHARED_MS = 2000
/** How long objects stay in memory after their last use, in ms. */
const KEPT_MS = 600_000
/** A slot of a key. Semaphore of addresses are not recorded. */
const KEY_SLOT = /^[0-9a-f]{64}\.\d+$/
const NOTHING: MinuteCounts = Object.freeze([])

/**
 * Makes the function that returns the daily units charged to a slot by all processes, for each minute of slightly more than the
 * last 24 hours. The store is listed at most every two seconds, and each object is read once.
 */
export function recordedUsage(options: {
  readonly store: ObjectStore
  readonly recorder: Pick<UsageRecorder, 'mark' | 'pending'>
  readonly clock: () => number
}): (slot: string) => Promise<MinuteCounts> {
  const { store, recorder, clock } = options
  let known: ReadonlyMap<string, Taken> = new Map()
  let shared: Look | null = null
  let forgetting: NodeJS.Timeout | undefined

  const look = async (): Promise<ReadonlyMap<string, MinuteCounts>> => {
    // Before the store is read: usage written meanwhile is then in both.
    const own = recorder.pending()
    const now = clock()
    const from = hourOf(now - DAY_MS - perDay(1).bucket_s * 1000)
    known = await readUsage(store, { from, to: Number.POSITIVE_INFINITY, take: unitsAlone, known })
    const mine = new Set(
      [...known.values()].flatMap(({ mark, minutes }) => (mark.startsWith(recorder.mark) ? minutes.map((one) => one.minute_s) : [])),
    )
    const unwritten = own.filter(({ minute_s }) => !mine.has(minute_s)).map(unitsOfMinute)
    return countsOf([...[...known.values()].flatMap(({ minutes }) => minutes), ...unwritten])
  }

  return async (slot) => {
    if (!KEY_SLOT.test(slot)) return NOTHING
    clearTimeout(forgetting)
    forgetting = setTimeout(() => {
      known = new Map()
      shared = null
    }, KEPT_MS)
    forgetting.unref()
    if (!shared || shared.at < performance.now() - SHARED_MS) {
      const asked: Look = { at: performance.now(), counts: look() }
      asked.counts.catch(() => {
        if (shared === asked) shared = null
      })
      shared = asked
    }
    return (await shared.counts).get(slot) ?? NOTHING
  }
}

/** A read of the record. */
interface Look {
  /** When it began, by `performance.now()`. */
  readonly at: number
  readonly counts: Promise<ReadonlyMap<string, MinuteCounts>>
}

/** The daily units charged to each slot in a minute. */
interface Units {
  readonly minute_s: number
  readonly units: ReadonlyMap<string, number>
}

/** The content of an object that stays in memory. */
interface Taken {
  readonly mark: string
  readonly minutes: readonly Units[]
}

function unitsAlone({ mark, minutes }: UsagePart): Taken {
  return { mark, minutes: minutes.map(unitsOfMinute) }
}

function unitsOfMinute({ minute_s, rows }: UsageMinute): Units {
  const units = new Map<string, number>()
  for (const { slot, day_units } of rows) if (slot !== null && day_units > 0) units.set(slot, (units.get(slot) ?? 0) + day_units)
  return { minute_s, units }
}

function countsOf(minutes: readonly Units[]): ReadonlyMap<string, MinuteCounts> {
  const counts = new Map<string, { readonly minute_s: number; readonly count: number }[]>()
  for (const { minute_s, units } of minutes)
    for (const [slot, count] of units) {
      const of = counts.get(slot)
      if (of) of.push({ minute_s, count })
      else counts.set(slot, [{ minute_s, count }])
    }
  return counts
}
