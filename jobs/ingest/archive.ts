import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { AcceptedFetch } from '../../lake/raw/archive.ts'
import { madridDate } from '../../lake/schema/time.ts'
import type { Archive, ArchiveFile, DayRange, Feed, FeedRequest } from '../feeds/define.ts'
import { type Listing, listingOf } from '../feeds/periods.ts'
import { type Collected, type CollectOptions, collectPages, collectPlan } from './collect.ts'
import type { IngestContext } from './context.ts'
import { FetchError } from './http.ts'
import { type FetchOutcome, outcomeOf, USER_AGENT } from './pipeline.ts'

/** Statuses that mean "no such file". */
const ABSENT = [404, 410]
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
  // The publisher may offer another file for the period by now; a 304 to the former one's validators would say nothing of it.
  const last = former?.bodies.every(({ url }) => url === context.origin(file.url)) ? former : null
  try {
    const { isAbsent, next } = feed.archive as Archive
    const collected = next
      ? await collectPages({ request, next }, collecting(context, null, signal))
      : await collectPlan({ requests: [request] }, collecting(context, last, signal))
    return isAbsent && collected.kind === 'bodies' && collected.decoded.every(isAbsent) ? null : collected
  } catch (error) {
    if (error instanceof FetchError && ABSENT.includes(error.status ?? 0)) return null
    throw error
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

const unpack = promisify(gunzip)

/** A part that an operator imports: its period, its bytes packed by gzip, and the name of the file that it is from. */
export interface ImportedPart {
  readonly period: string
  readonly bytes: Buffer
  readonly from: string
}

/** An imported part in the form of a publisher's reply, fetched at an instant (ms). */
export async function importedReply(
  { period, bytes, from }: ImportedPart,
  fetched_at: number,
): Promise<Extract<Collected, { readonly kind: 'bodies' }>> {
  const received = { name: period, url: `import:${from}`, status: 200, headers: {}, received: bytes }
  return { kind: 'bodies', fetched_at, received: [received], decoded: [{ name: period, bytes: await unpack(bytes) }] }
}
