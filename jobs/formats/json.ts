import { FormatError } from '../feeds/define.ts'
import { badByte, decodeUtf8, firstBadByte } from './text.ts'

/** A JSON object with one long list: the object without it, and the list's items in order, a batch at a time. */
interface LongList {
  readonly envelope: Readonly<Record<string, unknown>>
  /** Null where the object has no such list. Throws `FormatError` where items are no JSON. */
  readonly batches: Iterable<readonly unknown[]> | null
}

/** Bytes parsed at a time: what they give dies young, and a text of this size is none of V8's large objects, which cost a quarter more. */
const PIECE_BYTES = 65_536
/** Pieces read together because of wrong cuts; where that is not enough, all that is left is read at once. */
const MOST_JOINED = 4
/** How items are told apart where the publisher writes no blanks; with blanks the list is read in one piece. */
const BETWEEN_ITEMS = '},{'

/** Which list to read, by the name of the object's member; the size of a piece is for tests. */
interface LongListOptions {
  readonly list: string
  readonly pieceBytes?: number
}

/**
 * Reads a JSON object that holds a long list of objects piece by piece, so that the tree of the whole is never held.
 * UTF-8, with or without byte order mark; bad bytes behind the last list (the ministry's closing note can have some) become U+FFFD.
 * Throws `FormatError` where the document is no JSON object, and with the offset of the first bad byte where it is no UTF-8.
 *
 * The bytes are cut where one object seems to end and the next to begin. That each piece is JSON by itself proves the cut: one within a
 * string or a nested list leaves its piece unfinished, and that piece is then read together with the next.
 */
export function readLongList(given: Buffer, { list, pieceBytes = PIECE_BYTES }: LongListOptions): LongList {
  const bytes = readable(given)
  const start = listStart(bytes, list)
  const cuts = start < 0 ? [] : findCuts(bytes, start, pieceBytes)
  const last = cuts.at(-1)
  const tail = last === undefined ? undefined : tryParse(`${decodeUtf8(bytes.subarray(0, start))}${bytes.toString('utf8', last)}`)
  const { [list]: rest, ...envelope } = objectOf(tail ?? parse(decodeUtf8(bytes), bytes))
  if (!Array.isArray(rest)) return { envelope, batches: null }
  return { envelope, batches: tail === undefined ? [rest] : batchesOf(bytes, [start, ...cuts], rest) }
}

function* batchesOf(bytes: Buffer, bounds: readonly number[], rest: readonly unknown[]): Generator<readonly unknown[]> {
  const piece = (from: number, to: number): string => `[${bytes.toString('utf8', bounds[from], (bounds[to] as number) - 1)}]`
  const last = bounds.length - 1
  for (let from = 0; from < last; ) {
    let to = from + 1
    let items = tryParse(piece(from, to))
    while (items === undefined && to < last && to - from < MOST_JOINED) items = tryParse(piece(from, ++to))
    if (items === undefined) {
      to = last
      items = parse(piece(from, to), bytes)
    }
    yield items as unknown[]
    from = to
  }
  yield rest
}

/** The bytes where they are UTF-8; where they are not behind their last list only, those put right. */
function readable(bytes: Buffer): Buffer {
  const bad = firstBadByte(bytes)
  if (bad < 0) return bytes
  const lists = bytes.lastIndexOf(']')
  if (lists < 0 || bad < lists) throw badByte(bytes, bad)
  return Buffer.from(bytes.toString('utf8'))
}

/** Where the list's first item begins; -1 where the name is not followed by a list. */
function listStart(bytes: Buffer, list: string): number {
  const name = JSON.stringify(list)
  const at = bytes.indexOf(name)
  if (at < 0) return -1
  const opening = /^\s*:\s*\[/.exec(bytes.toString('latin1', at + name.length, at + name.length + 32))
  return opening ? at + name.length + opening[0].length : -1
}

/** Where a piece may begin: behind the comma between two objects. */
function findCuts(bytes: Buffer, start: number, pieceBytes: number): number[] {
  const cuts: number[] = []
  for (let at = bytes.indexOf(BETWEEN_ITEMS, start + pieceBytes); at >= 0; at = bytes.indexOf(BETWEEN_ITEMS, at + pieceBytes))
    cuts.push(at + 2)
  return cuts
}

function objectOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new FormatError('JSON, but no object')
  return value as Record<string, unknown>
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function parse(text: string, bytes: Buffer): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new FormatError(`${bytes.length} bytes that end in ${JSON.stringify(decodeUtf8(bytes.subarray(-40)))} are no JSON`, { cause })
  }
}
