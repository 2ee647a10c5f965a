import type { AcceptedFetch, ReceivedBody } from '../../lake/raw/archive.ts'
import { madridDate } from '../../lake/schema/time.ts'
import {
  type Archive,
  type ArchiveFile,
  type DayRange,
  type DownloadStep,
  type Feed,
  type FeedBody,
  type FeedRequest,
  FormatError,
} from '../feeds/define.ts'
import { type Listing, listingOf } from '../feeds/periods.ts'
import { type Collected, type CollectOptions, collectPlan } from './collect.ts'
import type { IngestContext } from './context.ts'
import { FetchError } from './http.ts'
import { type FetchOutcome, outcomeOf, USER_AGENT } from './pipeline.ts'

/** Statuses that mean "no such file". */
const ABSENT = [404, 410]
/** A file of more pages than this never ends. */
const MOST_PAGES = 200
const EVER = '0001-01-01'

/** The files that a publisher lists for a range of days, up to today. Throws `FetchError` and `FormatError`. */
export async function listFiles(
  context: IngestContext,
  feed: Feed,
  asked: { readonly range: DayRange; readonly signal: AbortSignal },
): Promise<Listing> {
  const { unit, index, files } = feed.archive as Archive
  const { signal } = asked
  const today = madridDate(context.now())
  const range = { from: asked.range.from, to: asked.range.to < today ? asked.range.to : today }
  const answer = index.length === 0 ? null : await collectPlan({ requests: index }, collecting(context, null, signal))
  return listingOf(unit, files(answer?.kind === 'bodies' ? answer.decoded : [], range), range)
}

/** The newest files of an archive, up to its declared number, oldest first. */
export async function recentFiles(context: IngestContext, feed: Feed, signal: AbortSignal): Promise<readonly ArchiveFile[]> {
  const range = { from: EVER, to: madridDate(context.now()) }
  const { files } = await listFiles(context, feed, { range, signal })
  return files.slice(-(feed.archive as Archive).recent)
}

/**
 * Fetches a file of an archive, page by page, if it changed since the last fetch of its period. Null if the publisher has
 * none; throws `FetchError`.
 */
export async function collectFile(
  context: IngestContext,
  feed: Feed,
  asked: { readonly file: ArchiveFile; readonly former: AcceptedFetch | null; readonly signal: AbortSignal },
): Promise<Collected | null> {
  const { file, former, signal } = asked
  const request = { ...(feed.plans[0]?.requests[0] as FeedRequest), name: file.period, url: file.url }
  try {
    const { isAbsent, next } = feed.archive as Archive
    const collected = next
      ? await collectPages(context, feed, { request, signal })
      : await collectPlan({ requests: [request] }, collecting(context, former, signal))
    return isAbsent && collected.kind === 'bodies' && collected.decoded.every(isAbsent) ? null : collected
  } catch (error) {
    if (error instanceof FetchError && ABSENT.includes(error.status ?? 0)) return null
    throw error
  }
}

/**
 * Fetches all pages of a file, in order. Unconditional: an unchanged first page does not mean that the others are unchanged.
 */
async function collectPages(
  context: IngestContext,
  feed: Feed,
  asked: { readonly request: FeedRequest; readonly signal: AbortSignal },
): Promise<Collected> {
  const { request, signal } = asked
  const received: ReceivedBody[] = []
  const decoded: FeedBody[] = []
  for (let url = request.url; ; ) {
    const name = received.length === 0 ? request.name : `${request.name}.${received.length + 1}`
    const page = await collectPlan({ requests: [{ ...request, name, url }] }, collecting(context, null, signal)).catch((error: unknown) => {
      // A missing page of an existing file is a failure, not a gap.
      throw error instanceof FetchError && received.length > 0 ? new FetchError(error.message, { retryable: true, cause: error }) : error
    })
    if (page.kind !== 'bodies') throw new FetchError(`${url} answered 304 to an unconditional request`, { retryable: true })
    received.push(...page.received)
    decoded.push(...page.decoded)
    const next = nextOf(feed, page.decoded[0] as FeedBody, url)
    if (next === null) return { kind: 'bodies', fetched_at: page.fetched_at, received, decoded }
    if ('refused' in next) {
      const status = received.length === 1 ? (next.status ?? null) : null
      throw new FetchError(`${url} answered: ${next.refused}`, { retryable: next.retryable, status })
    }
    if (received.length === MOST_PAGES) throw new FetchError(`${request.url} has more than ${MOST_PAGES} pages`, { retryable: false })
    url = next.url
  }
}

function nextOf(feed: Feed, page: FeedBody, url: string): DownloadStep | null {
  try {
    return (feed.archive as Archive).next?.(page, url) ?? null
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    throw new FetchError(`${url}: ${error.message}`, { retryable: false, cause: error })
  }
}

function collecting(context: IngestContext, last: AcceptedFetch | null, signal: AbortSignal): CollectOptions {
  return { ...context, replays: context.mode === 'replay', last, signal, userAgent: USER_AGENT }
}

/** The outcome of checking several files of an archive: the worst one, else one that brought data. */
export function outcomeOfAll(outcomes: readonly FetchOutcome[], now: number): FetchOutcome {
  for (const kind of ['failed', 'rejected', 'accepted', 'unchanged'] as const) {
    const found = outcomes.findLast(({ outcome }) => outcome === kind)
    if (found) return found
  }
  return outcomeOf('failed', now, { reason: 'the publisher has none of the files of the archive' })
}
