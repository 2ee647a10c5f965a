import type { AcceptedFetch } from '../../lake/raw/archive.ts'
import { madridDate } from '../../lake/schema/time.ts'
import type { Archive, ArchiveFile, DayRange, Feed, FeedRequest } from '../feeds/define.ts'
import { type Listing, listingOf } from '../feeds/periods.ts'
import { type Collected, type CollectOptions, collectPlan } from './collect.ts'
import type { IngestContext } from './context.ts'
import { FetchError } from './http.ts'
import { type FetchOutcome, outcomeOf, USER_AGENT } from './pipeline.ts'

/** Statuses by which a publisher says that it has no such file. */
const ABSENT = [404, 410]
const EVER = '0001-01-01'

/** What a publisher lists of an archive, in a range of days. Throws `FetchError` and `FormatError`. */
export async function listFiles(
  context: IngestContext,
  feed: Feed,
  asked: { readonly range: DayRange; readonly signal: AbortSignal },
): Promise<Listing> {
  const { unit, index, files } = feed.archive as Archive
  const { range, signal } = asked
  const answer = index.length === 0 ? null : await collectPlan({ requests: index }, collecting(context, null, signal))
  return listingOf(unit, files(answer?.kind === 'bodies' ? answer.decoded : [], range), range)
}

/** The newest files of an archive, as many as it says, the oldest of them first. */
export async function recentFiles(context: IngestContext, feed: Feed, signal: AbortSignal): Promise<readonly ArchiveFile[]> {
  const range = { from: EVER, to: madridDate(context.now()) }
  const { files } = await listFiles(context, feed, { range, signal })
  return files.slice(-(feed.archive as Archive).recent)
}

/** Asks for a file of an archive, if it is another than the former of its period. Null where the publisher has none; throws `FetchError`. */
export async function collectFile(
  context: IngestContext,
  feed: Feed,
  asked: { readonly file: ArchiveFile; readonly former: AcceptedFetch | null; readonly signal: AbortSignal },
): Promise<Collected | null> {
  const { file, former, signal } = asked
  const request = { ...(feed.plans[0]?.requests[0] as FeedRequest), name: file.period, url: file.url }
  try {
    return await collectPlan({ requests: [request] }, collecting(context, former, signal))
  } catch (error) {
    if (error instanceof FetchError && ABSENT.includes(error.status ?? 0)) return null
    throw error
  }
}

function collecting(context: IngestContext, last: AcceptedFetch | null, signal: AbortSignal): CollectOptions {
  return { ...context, replays: context.mode === 'replay', last, signal, userAgent: USER_AGENT }
}

/** How a look at several files of an archive ended: as the worst of them, else as one that brought something. */
export function outcomeOfAll(outcomes: readonly FetchOutcome[], now: number): FetchOutcome {
  for (const kind of ['failed', 'rejected', 'accepted', 'unchanged'] as const) {
    const found = outcomes.findLast(({ outcome }) => outcome === kind)
    if (found) return found
  }
  return outcomeOf('failed', now, { reason: 'the publisher has none of the files of the archive' })
}
