import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { FeedStandIn } from './publisher.ts'

/** A recorded capture of a feed. */
export interface Capture {
  readonly file: string
  /** When it was captured, ms. */
  readonly capturedAt: number
  readonly bytes: () => Buffer
  readonly etag: string
}

/**
 * A feed's captures, one after the other in order of their times. A capture stays current until it was served whole, then the next one
 * is; the last stays.
 */
export interface Replay {
  /** The current capture; null where the feed has none. */
  current(): Capture | null
  /** Says that a capture was served whole. */
  served(capture: Capture): void
  /** Captures not yet served whole. */
  left(): number
}

/** Reads the captures of a feed from `dir` (a folder like `../shared/feeds`). Throws where there is no such folder. */
export function openReplay(dir: string, feed: FeedStandIn): Replay {
  const captures = findCaptures(dir, feed)
  let at = 0
  let isLastServed = false
  return {
    current: () => captures[at] ?? null,
    served(capture) {
      // Two requests may have had the same capture.
      if (capture !== captures[at]) return
      if (at === captures.length - 1) isLastServed = true
      else at += 1
    },
    left: () => captures.length - at - (isLastServed ? 1 : 0),
  }
}

function findCaptures(dir: string, feed: FeedStandIn): Capture[] {
  const folder = join(dir, feed.captures.folder)
  if (!existsSync(dir)) throw new Error(`captures: no folder ${dir}`)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .map((file) => ({ file, capturedAt: feed.captures.capturedAt(file) }))
    .filter((found): found is { file: string; capturedAt: number } => found.capturedAt !== null)
    .sort((a, b) => a.capturedAt - b.capturedAt)
    .map((found) => {
      const read = (): Buffer => {
        const bytes = readFileSync(join(folder, found.file))
        // Large files lie gzipped in the folder; they came without.
        return found.file.endsWith('.gz') ? gunzipSync(bytes) : bytes
      }
      return { ...found, bytes: read, etag: `"${createHash('sha256').update(found.file).digest('hex').slice(0, 16)}"` }
    })
}
