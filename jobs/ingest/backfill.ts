import type { ArchiveFile, Feed } from '../feeds/define.ts'
import type { FetchOutcome } from './pipeline.ts'
import type { Runner } from './runner.ts'

/** A file that was asked for: what became of it, null where the publisher has none. */
export interface FileDone {
  readonly file: ArchiveFile
  readonly outcome: FetchOutcome | null
}

/** What a backfill is told. */
export interface BackfillOptions {
  readonly feed: Feed
  readonly files: readonly ArchiveFile[]
  /** Files asked for at once. */
  readonly jobs: number
  readonly signal: AbortSignal
  /** Lands what was accepted. */
  readonly land: () => Promise<unknown>
  readonly onFile?: (done: FileDone) => void
}

/**
 * Takes files of an archive, several at once, and lands each when it is accepted: what a process that is killed leaves undone is what the next
 * one does. What fails for one file is told in its outcome and stops no other; what fails on our side stops all.
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
