import { createHash } from 'node:crypto'
import { type DocumentAnswer, dueDocuments, recordAnswers, spendRequests } from '../../lake/live/demand.ts'
import type { ReceivedBody } from '../../lake/raw/archive.ts'
import type { Feed, FeedBody, OnDemand } from '../feeds/define.ts'
import { type Collected, collectPlan } from './collect.ts'
import type { IngestContext } from './context.ts'
import { FetchError } from './http.ts'

/** Statuses of a document that does not exist, and of too many requests. */
const [ABSENT, TOO_MANY] = [[404, 410], 429]
/** Pause before a failed document is fetched again, ms. */
const FAILED_MS = 300_000
/** Concurrent fetches, and the most `always` documents per run, so that requested ones need not wait for them. */
const [AT_ONCE, ALWAYS_AT_ONCE] = [4, 10]

/** The documents of a run, and a callback that records whether they were accepted. */
export interface Demanded {
  readonly collected: Collected
  readonly settle: (isTaken: boolean) => Promise<void>
}

interface Fetched {
  readonly key: string
  readonly received: ReceivedBody
  readonly decoded: FeedBody
  readonly sha256: string
}

/**
 * Fetches a feed's due documents, up to the publisher's rate limit. Skips documents whose bytes did not change. Throws
 * `FetchError` if none could be fetched.
 */
export async function collectDemanded(
  context: IngestContext,
  feed: Feed,
  asking: { readonly userAgent: string; readonly signal: AbortSignal },
): Promise<Demanded> {
  const { redis } = context
  const { always, keptFor_s, limit } = feed.onDemand as OnDemand
  const now = context.now()
  const due = await dueDocuments(redis, feed.id, { always, alwaysAtOnce: ALWAYS_AT_ONCE, now, most: limit.perMinute })
  const [wanted, others] = [true, false].map((is) => [...due.keys()].filter((key) => due.get(key)?.isWanted === is)) as [string[], string[]]
  const granted = await spendRequests(redis, limit, { count: wanted.length, now })
  // Half of the publisher's limit is left for the next requests.
  const spare = await spendRequests(redis, limit, { count: others.length, now, reserved: Math.ceil(limit.perMinute / 2) })
  const keys = [...wanted.slice(0, granted), ...others.slice(0, spare)]
  const { fetched, answers, failure } = await fetchAll(context, feed, { keys, ...asking })
  const until = now + 1000 * keptFor_s
  const news = fetched.filter(({ key, sha256 }) => due.get(key)?.last?.sha256 !== sha256)
  for (const { key, sha256 } of fetched) if (due.get(key)?.last?.sha256 === sha256) answers.set(key, { outcome: 'FETCHED', until, sha256 })
  await recordAnswers(redis, feed.id, answers)
  if (fetched.length === 0 && failure) throw failure
  if (news.length === 0) return { collected: { kind: 'unchanged', fetched_at: now }, settle: async () => undefined }
  return {
    collected: {
      kind: 'bodies',
      fetched_at: context.now(),
      received: news.map(({ received }) => received),
      decoded: news.map(({ decoded }) => decoded),
    },
    async settle(isTaken) {
      const answer = ({ sha256 }: Fetched): DocumentAnswer =>
        isTaken ? { outcome: 'FETCHED', until, sha256 } : { outcome: 'FAILED', until: now + FAILED_MS }
      await recordAnswers(redis, feed.id, new Map(news.map((one) => [one.key, answer(one)])))
    },
  }
}

/** Fetches documents concurrently. Missing and failed ones are answered at once. */
async function fetchAll(
  context: IngestContext,
  feed: Feed,
  { keys, userAgent, signal }: { readonly keys: readonly string[]; readonly userAgent: string; readonly signal: AbortSignal },
): Promise<{ readonly fetched: readonly Fetched[]; readonly answers: Map<string, DocumentAnswer>; readonly failure: FetchError | null }> {
  const { request, isAbsent, keptFor_s } = feed.onDemand as OnDemand
  const answers = new Map<string, DocumentAnswer>()
  const fetched: Fetched[] = []
  const queue = [...keys]
  let failure: FetchError | null = null
  const absent = (): DocumentAnswer => ({ outcome: 'ABSENT', until: context.now() + 1000 * keptFor_s })
  const take = async (): Promise<void> => {
    for (let key = queue.shift(); key !== undefined; key = queue.shift()) {
      try {
        const options = { ...context, replays: context.mode === 'replay', last: null, signal, userAgent }
        const page = await collectPlan({ requests: [{ ...request(key), name: key }] }, options)
        if (page.kind !== 'bodies') continue
        const [received, decoded] = [page.received[0] as ReceivedBody, page.decoded[0] as FeedBody]
        if (isAbsent?.(decoded)) answers.set(key, absent())
        else fetched.push({ key, received, decoded, sha256: createHash('sha256').update(received.received).digest('hex') })
      } catch (error) {
        if (!(error instanceof FetchError)) throw error
        if (ABSENT.includes(error.status ?? 0)) answers.set(key, absent())
        else {
          failure = error
          answers.set(key, { outcome: 'FAILED', until: context.now() + FAILED_MS })
          if (error.status === TOO_MANY) queue.length = 0
        }
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, take))
  fetched.sort((one, other) => keys.indexOf(one.key) - keys.indexOf(other.key))
  return { fetched, answers, failure }
}
