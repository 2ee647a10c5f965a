import type { ArchiveFile, Feed } from '../feeds/define.ts'
import type { FetchOutcome } from './pipeline.ts'
import type { Runner } from './runner.ts'

/** A requested file and its outcome; null if the publisher has none. */
export interface FileDone {
  readonly file: ArchiveFile
  readonly outcome: FetchOutcome | null
}

/** Options of a backfill. */
export interface BackfillOptions {
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
