import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { packZip, type ZipMember } from './formats/zip.ts'
import type { CapturedArchive, FeedStandIn } from './publisher.ts'

/** Bytes of a member that are packed at once. */
const PIECE = 4_000_000

/** A recorded capture of a feed. */
export interface Capture {
  readonly file: string
  /** When it was captured, ms; null for a file of an archive, which counts as captured when it is fetched. */
  readonly capturedAt: number | null
  readonly bytes: () => Buffer
  readonly etag: string
}

/**
 * A feed's captures in order of their times. A capture is current until it has been served completely, then the next one is; the
 * last one stays.
 */
export interface Replay {
  /** The current capture; null if the feed has none. */
  current(): Capture | null
  /** Marks a capture as served completely. */
  served(capture: Capture): void
  /** Number of captures that have not been served completely. */
  left(): number
}

/** Reads the captures of a feed from `dir` (a folder like `../shared/feeds`). Throws if the folder does not exist. */
export function openReplay(dir: string, feed: FeedStandIn): Replay {
  const captures = findCaptures(dir, feed)
  let at = 0
  let isLastServed = false
  return {
    current: () => captures[at] ?? null,
    served(capture) {
      // Two requests may have got the same capture.
      if (capture !== captures[at]) return
      if (at === captures.length - 1) isLastServed = true
      else at += 1
    },
    left: () => captures.length - at - (isLastServed ? 1 : 0),
  }
}

/** A resource of a recorded archive: one of its files, or the list of them; null for unknown resources. */
export function openArchive(dir: string, feed: FeedStandIn): (resource: string) => Capture | null {
  const { folder = '', archive } = feed.captures ?? {}
  const files = archive ? filesOf(join(dir, folder), archive) : new Map<string, string>()
  return (resource) => {
    const capture = (file: string, bytes: () => Buffer): Capture => ({ file, capturedAt: null, bytes, etag: etagOf(file) })
    const list = resource === archive?.index && files.size > 0 ? archive?.list : undefined
    if (list) return capture([...files.values()].join(), () => Buffer.from(list([...files.keys()])))
    const file = files.get(resource)
    return file === undefined ? null : capture(file, () => unpacked(join(dir, folder, file)))
  }
}

/** The files of an archive in a folder by resource, in order. */
function filesOf(folder: string, { resourceOf }: CapturedArchive): Map<string, string> {
  if (!existsSync(folder)) return new Map()
  const found = readdirSync(folder).flatMap((file) => {
    const resource = resourceOf(file)
    return resource === null ? [] : [[resource, file] as const]
  })
  return new Map(found.sort(([one], [other]) => (one < other ? -1 : 1)))
}

function findCaptures(dir: string, feed: FeedStandIn): (Capture & { readonly capturedAt: number })[] {
  if (!existsSync(dir)) throw new Error(`captures: no folder ${dir}`)
  const { capturedAt, member } = feed.captures ?? {}
  const folder = join(dir, feed.captures?.folder ?? '')
  if (!capturedAt || !existsSync(folder)) return []
  return readdirSync(folder)
    .map((file) => ({ file, capturedAt: capturedAt(file) }))
    .filter((found): found is { file: string; capturedAt: number } => found.capturedAt !== null)
    .filter(({ file }) => isWhole(join(folder, file), member))
    .sort((a, b) => a.capturedAt - b.capturedAt)
    .map((found) => {
      const path = join(folder, found.file)
      let archive: Buffer | null = null
      const read = (): Buffer => {
        if (!isFolder(path)) return unpacked(path)
        archive ??= packZip(membersOf(path), found.capturedAt)
        return archive
      }
      return { ...found, bytes: read, etag: etagOf(found.file) }
    })
}

const etagOf = (file: string): string => `"${createHash('sha256').update(file).digest('hex').slice(0, 16)}"`

/** The bytes of a file as received: large ones are stored gzipped in the folder. */
function unpacked(path: string): Buffer {
  const bytes = readFileSync(path)
  return path.endsWith('.gz') ? gunzipSync(bytes) : bytes
}

/** The files of a folder, one at a time, as members of the archive from which they were extracted. */
function* membersOf(folder: string): Generator<ZipMember> {
  for (const file of readdirSync(folder).sort()) {
    const bytes = unpacked(join(folder, file))
    const pieces = Array.from({ length: Math.ceil(bytes.length / PIECE) }, (_, at) => bytes.subarray(at * PIECE, (at + 1) * PIECE))
    yield { name: basename(file, '.gz'), pieces }
  }
}

function isFolder(path: string): boolean {
  return statSync(path).isDirectory()
}

function isWhole(path: string, member: string | undefined): boolean {
  return member === undefined || !isFolder(path) || readdirSync(path).some((file) => basename(file, '.gz') === member)
}
