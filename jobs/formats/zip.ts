import { createHash } from 'node:crypto'
import { pipeline, type Readable } from 'node:stream'
import { crc32, createInflateRaw } from 'node:zlib'
import { type Entry, fromBufferPromise, openPromise, type ZipFile } from 'yauzl'
import { FormatError } from '../feeds/define.ts'

/** How much an archive may hold. */
export interface ZipLimits {
  /** Most bytes of all members together, unpacked. */
  readonly maxBytes: number
  /** Most members; 1000 by default. */
  readonly maxEntries?: number
  /** Largest compression ratio of a large member; 250 by default. Blank-padded timetables reach 65, zip bombs 1000. */
  readonly maxRatio?: number
}

/** An archive in memory, its directory read and checked. */
export interface Zip {
  /** Names of the files, without folders, in the archive's order. */
  readonly names: readonly string[]
  /** A file's decompressed size (bytes) and checksum from the directory, as one text; null for an unknown name. */
  stated(name: string): string | null
  /**
   * The decompressed bytes of a member. Throws `FormatError` for an unknown name, and if the bytes do not match the directory.
   */
  read(name: string): AsyncGenerator<Buffer>
}

const MOST_ENTRIES = 1000
const MOST_RATIO = 250
/** A member of this size does no harm, however well it is packed. */
const SMALL = 1_000_000
/** Bytes decompressed at a time; with zlib's default of 16 kB, waiting for its thread takes longer than its work. */
const CHUNK_BYTES = 65_536
const [STORED, DEFLATED] = [0, 8]

/**
 * Opens an archive with yauzl: its bytes, or its path if it is too large for memory. Throws `FormatError` for an incomplete
 * archive, and for one that exceeds `limits`, repeats a name or is encrypted. The directory's sizes are enforced while reading,
 * so the limits apply to the actual bytes.
 */
export async function openZip(from: Buffer | string, limits: ZipLimits): Promise<Zip> {
  const { maxBytes, maxEntries = MOST_ENTRIES, maxRatio = MOST_RATIO } = limits
  let archive: ZipFile
  const members = new Map<string, Entry>()
  let unpacked = 0
  try {
    archive = await (typeof from === 'string' ? openPromise(from, { autoClose: false }) : fromBufferPromise(from))
    if (archive.entryCount > maxEntries) throw new FormatError(`a zip of ${archive.entryCount} members, at most ${maxEntries} are read`)
    for await (const entry of archive.eachEntry()) {
      const { fileName: name, uncompressedSize, compressedSize } = entry
      if (members.has(name)) throw new FormatError(`the zip has two members named ${name}`)
      if (entry.isEncrypted()) throw new FormatError(`${name} in the zip is encrypted`)
      unpacked += uncompressedSize
      if (unpacked > maxBytes) throw new FormatError(`the zip unpacks to more than ${maxBytes} bytes`)
      if (uncompressedSize > SMALL && uncompressedSize > maxRatio * compressedSize)
        throw new FormatError(
          `${name} in the zip unpacks to ${uncompressedSize} bytes of ${compressedSize}, at most ${maxRatio} to 1 are read`,
        )
      members.set(name, entry)
    }
  } catch (cause) {
    throw asFormatError(cause, 'not a whole zip')
  }
  return {
    names: [...members.keys()].filter((name) => !name.endsWith('/')),
    stated(name) {
      const entry = members.get(name)
      return entry ? `${entry.uncompressedSize} ${entry.crc32}` : null
    },
    async *read(name) {
      const entry = members.get(name)
      if (!entry) throw new FormatError(`the zip has no ${name}; it has ${[...members.keys()].join(', ').slice(0, 500)}`)
      let sum = 0
      let size = 0
      try {
        for await (const chunk of unpack(await archive.openReadStreamPromise(entry, { decodeFileData: false }), entry)) {
          sum = crc32(chunk, sum)
          size += chunk.length
          if (size > entry.uncompressedSize) break
          yield chunk
        }
      } catch (cause) {
        throw asFormatError(cause, `${name} in the zip is damaged`)
      }
      if (size !== entry.uncompressedSize)
        throw new FormatError(
          `${name} in the zip is damaged: it unpacks to ${size > entry.uncompressedSize ? 'more' : 'less'} than it states`,
        )
      if (sum !== entry.crc32) throw new FormatError(`${name} in the zip is damaged: its checksum differs`)
    },
  }
}

/** The name of the only CSV file in an archive. Throws `FormatError` if there is none, or several. */
export function onlyCsv({ names }: Pick<Zip, 'names'>): string {
  const found = names.filter((name) => /\.csv$/i.test(name))
  const [only, more] = found
  if (only === undefined || more !== undefined)
    throw new FormatError(`the zip has ${found.length} files of CSV, and one is expected; it has ${names.join(', ').slice(0, 300)}`)
  return only
}

/**
 * True if two archives contain the same files, byte for byte, whatever their order, compression and dates. They are
 * decompressed only if the directories match. Throws `FormatError` for a damaged member.
 */
export async function holdSameFiles(one: Zip, other: Zip): Promise<boolean> {
  if (one.names.length !== other.names.length || one.names.some((name) => one.stated(name) !== other.stated(name))) return false
  for (const name of one.names) if ((await digestOf(one, name)) !== (await digestOf(other, name))) return false
  return true
}

async function digestOf(zip: Zip, name: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of zip.read(name)) hash.update(piece)
  return hash.digest('hex')
}

function unpack(packed: Readable, { compressionMethod }: Entry): AsyncIterable<Buffer> {
  if (compressionMethod === STORED) return packed
  if (compressionMethod !== DEFLATED) throw new FormatError(`it is packed by method ${compressionMethod}; only deflate is read`)
  // Errors, and an early end, surface in the reader of the pieces.
  return pipeline(packed, createInflateRaw({ chunkSize: CHUNK_BYTES }), () => {})
}

function asFormatError(cause: unknown, what: string): FormatError {
  if (cause instanceof FormatError) return cause
  return new FormatError(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
}
