import { FormatError } from '../feeds/define.ts'
import { badByte, decodeUtf8, firstBadByte } from './text.ts'

/** The value of a JSON document in UTF-8, called `name` in messages. Throws `FormatError`. */
export function readJson(bytes: Buffer, name: string): unknown {
  const text = decodeUtf8(bytes)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new FormatError(`${name} is no JSON`, { cause })
  }
}

/** The object of such a document. Throws `FormatError` for any other value too. */
export function readJsonObject(bytes: Buffer, name: string): Readonly<Record<string, unknown>> {
  const value = readJson(bytes, name)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new FormatError(`${name} is no object`)
  return value as Readonly<Record<string, unknown>>
}

/** A JSON object with one long list: the object without it, and the list's items in order, a batch at a time. */
interface LongList {
  readonly envelope: Readonly<Record<string, unknown>>
  /** Null if the object has no such list. Throws `FormatError` if items are not JSON. */
  readonly batches: Iterable<readonly unknown[]> | null
}

/** Bytes parsed at a time: small enough that a piece is not one of V8's large objects, which cost a quarter more. */
const PIECE_BYTES = 65_536
/** Most pieces joined after wrong cuts; beyond that the whole rest is read at once. */
const MOST_JOINED = 4
/** The boundary between items if the publisher writes no blanks; with blanks the list is read in one piece. */
const BETWEEN_ITEMS = '},{'

/**
 * Reads a JSON object with a long list of objects (`list`) piece by piece, without building the whole tree. UTF-8; bad bytes
 * after the last list (in the ministry's closing note) become U+FFFD. Throws `FormatError`, with the offset of a bad byte. Cuts
 * are made between objects and verified: a piece that is not valid JSON is joined with the next.
 */
export function readLongList(
  given: Buffer,
  { list, pieceBytes = PIECE_BYTES }: { readonly list: string; readonly pieceBytes?: number },
): LongList {
  const bytes = readable(given)
  const start = listStart(bytes, list)
  const cuts = start < 0 ? [] : findCuts(bytes, start, pieceBytes)
  const last = cuts.at(-1)
  const tail = last === undefined ? undefined : tryParse(`${decodeUtf8(bytes.subarray(0, start))}${bytes.toString('utf8', last)}`)
  const { [list]: rest, ...envelope } = objectOf(tail ?? parseJson(decodeUtf8(bytes), bytes))
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
      items = parseJson(piece(from, to), bytes)
    }
    yield items as unknown[]
    from = to
  }
  yield rest
}

/** The bytes if they are UTF-8; bad bytes after the last list are replaced. */
function readable(bytes: Buffer): Buffer {
  const bad = firstBadByte(bytes)
  if (bad < 0) return bytes
  const lists = bytes.lastIndexOf(']')
  if (lists < 0 || bad < lists) throw badByte(bytes, bad)
  return Buffer.from(bytes.toString('utf8'))
}

/** The start of the list's first item; -1 if the name is not followed by a list. */
function listStart(bytes: Buffer, list: string): number {
  const name = JSON.stringify(list)
  const at = bytes.indexOf(name)
  if (at < 0) return -1
  const opening = /^\s*:\s*\[/.exec(bytes.toString('latin1', at + name.length, at + name.length + 32))
  return opening ? at + name.length + opening[0].length : -1
}

/** Possible start of a piece: after the comma between two objects. */
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

/** The value of a JSON text that `bytes` contain. Throws `FormatError` with the end of the bytes, where they may be cut off. */
export function parseJson(text: string, bytes: Buffer): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new FormatError(`${bytes.length} bytes that end in ${JSON.stringify(decodeUtf8(bytes.subarray(-40)))} are no JSON`, { cause })
  }
}
