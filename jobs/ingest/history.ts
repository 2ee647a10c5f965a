import { type Archive, type ArchiveFile, type Feed, FormatError } from '../feeds/define.ts'
import { listFiles } from './archive.ts'
import type { IngestContext } from './context.ts'
import { FetchError } from './http.ts'
import type { FetchOutcome } from './pipeline.ts'
import type { Runner } from './runner.ts'
import { waitsForTables } from './usable.ts'

/** A requested file and its outcome; null if the publisher has none. */
export interface FileDone {
  readonly file: ArchiveFile
  readonly outcome: FetchOutcome | null
}

/** Options of a backfill. */
interface BackfillOptions {
  readonly feed: Feed
  readonly files: readonly ArchiveFile[]
  /** Files fetched in parallel. */
  readonly jobs: number
  readonly signal: AbortSignal
  /** Lands the accepted fetches. */
  readonly land: () => Promise<unknown>
  readonly onFile?: (done: FileDone) => void
}

/**
 * Fetches files of an archive in parallel and lands each as soon as it is accepted. A restarted process continues where the
 * last one stopped. A file's failure is in its outcome and does not stop the others; a failure on our side stops all.
 */
export async function backfill(runner: Runner, options: BackfillOptions): Promise<readonly FileDone[]> {
  const { feed, files, jobs, signal, land, onFile } = options
  const queue = [...files]
  const done: FileDone[] = []
  let landing: Promise<unknown> = Promise.resolve()
  let failure: { readonly error: unknown } | null = null
  const work = async (): Promise<void> => {
    for (let file = queue.shift(); file; file = queue.shift()) {
      signal.throwIfAborted()
      const outcome = await runner.takeFile(feed, file, signal)
      if (outcome?.outcome === 'accepted') {
        landing = landing.then(land)
        await landing
      }
      done.push({ file, outcome })
      onFile?.({ file, outcome })
    }
  }
  const lane = async (): Promise<void> => {
    try {
      await work()
    } catch (error) {
      failure ??= { error }
      queue.length = 0
    }
  }
  await Promise.all(Array.from({ length: jobs }, lane))
  if (failure) throw (failure as { readonly error: unknown }).error
  return done
}

/** First and longest wait before a failed feed is retried, ms; it doubles, because each attempt is a download. */
const [FIRST_WAIT_MS, LONGEST_WAIT_MS] = [60_000, 3_600_000]
const ALL = { from: '0001-01-01', to: '9999-12-31' }

/** Options of a history filler. */
export interface HistoryOptions {
  readonly runner: Runner
  readonly feeds: readonly Feed[]
  /** True for a feed that this process fills; of others, it stops after the current file. */
  readonly isOwned: (feed: Feed) => boolean
  /** Lands a feed's accepted fetches; called after each file. */
  readonly land: (feed: Feed, signal: AbortSignal) => Promise<unknown>
  /** Runs a feed's derivations; called once its files have landed. */
  readonly derive: (feed: Feed, signal: AbortSignal) => Promise<unknown>
}

/** Fetches archive files from before the service began, in the background, as feeds declare it (`history`). */
export interface HistoryFiller {
  /**
   * Fetches missing files of the owned feeds one by one and reports progress; true once nothing is missing that publishers have.
   * Skips a feed that failed recently.
   */
  fill(signal: AbortSignal): Promise<boolean>
  /** False while files of an owned feed may be missing, also if another process owned it before. */
  readonly isFilled: boolean
}

/** Makes the filler of a process. Feeds with few files go first. */
export function makeHistoryFiller(context: IngestContext, { runner, feeds, isOwned, land, derive }: HistoryOptions): HistoryFiller {
  const failed = new Map<string, { readonly wait_ms: number; readonly until: number }>()
  const unfinished = new Set(feeds.filter((feed) => filesWanted(feed) > 0).sort((one, other) => filesWanted(one) - filesWanted(other)))
  const fillFeed = async (feed: Feed, signal: AbortSignal): Promise<boolean> => {
    const listed = await newestFiles(context, feed, signal)
    if (listed === null) return false
    const there = await runner.acceptedPeriods(feed)
    // The newest first: forecasts and recent means need them most.
    const missing = listed.filter(({ period }) => !there.has(period)).reverse()
    const progress = { files: listed.length, present: listed.length - missing.length }
    let failures = 0
    await runner.reportBackfill(feed, progress)
    for (const file of missing) {
      if (!isOwned(feed)) return false
      const [done] = await backfill(runner, { feed, files: [file], jobs: 1, signal, land: () => land(feed, signal) })
      const outcome = done?.outcome ?? null
      const about = { feed: feed.id, period: file.period }
      if (outcome === null) progress.files--
      else if (outcome.outcome === 'accepted' || outcome.outcome === 'unchanged') progress.present++
      else {
        failures++
        context.log.warn({ ...about, reason: outcome.reason }, 'file of an archive not backfilled')
      }
      await runner.reportBackfill(feed, progress)
      context.log.info({ ...about, ...progress }, 'backfill')
    }
    if (missing.length > 0) await derive(feed, signal)
    return failures === 0
  }
  const isFilled = (): boolean => ![...unfinished].some(isOwned)
  return {
    get isFilled() {
      return isFilled()
    },
    async fill(signal) {
      for (const feed of unfinished) {
        signal.throwIfAborted()
        if (!isOwned(feed)) continue
        const { wait_ms = FIRST_WAIT_MS / 2, until = 0 } = failed.get(feed.id) ?? {}
        if (context.now() < until || (await waitsForTables(context, feed)) !== null) continue
        const isFilled = await fillFeed(feed, signal).catch((error: Error) => {
          signal.throwIfAborted()
          context.log.warn({ feed: feed.id, reason: error.message }, 'archive not backfilled; it is tried again later')
          return false
        })
        if (isFilled) unfinished.delete(feed)
        else if (isOwned(feed)) {
          const longer_ms = Math.min(2 * wait_ms, LONGEST_WAIT_MS)
          failed.set(feed.id, { wait_ms: longer_ms, until: context.now() + longer_ms })
        }
      }
      return isFilled()
    },
  }
}

const filesWanted = (feed: Feed): number => feed.archive?.history ?? 0

/** The newest files listed by an archive, as many as its feed's history; null if the list cannot be read. */
async function newestFiles(context: IngestContext, feed: Feed, signal: AbortSignal): Promise<readonly ArchiveFile[] | null> {
  try {
    const { files } = await listFiles(context, feed, { range: ALL, signal })
    return files.slice(-((feed.archive as Archive).history as number))
  } catch (error) {
    if (!(error instanceof FetchError) && !(error instanceof FormatError)) throw error
    context.log.warn({ feed: feed.id, reason: error.message }, 'archive not backfilled')
    return null
  }
}
