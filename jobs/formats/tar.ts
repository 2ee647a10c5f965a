import { extract } from 'tar-stream'
import { FormatError } from '../feeds/define.ts'

/** A file of a tar archive. */
export interface TarFile {
  readonly name: string
  readonly bytes: Buffer
}

const MAX_ENTRIES = 10_000
const BLOCK_BYTES = 512
/** Two blocks of zeros end an archive (POSIX.1, pax interchange format). */
const END_BYTES = 2 * BLOCK_BYTES

/**
 * Reads the files of a plain tar archive, in order, without folders and links. Throws `FormatError` for a damaged or truncated
 * archive, and for one with no files, too many entries or a repeated name.
 */
export async function readTar(bytes: Buffer): Promise<TarFile[]> {
  if (bytes.length % BLOCK_BYTES !== 0 || bytes.length < END_BYTES || bytes.subarray(-END_BYTES).some((byte) => byte !== 0))
    throw new FormatError('not a whole tar: its end is missing')
  const reader = extract()
  reader.end(bytes)
  const files = new Map<string, Buffer>()
  let entries = 0
  try {
    for await (const entry of reader) {
      entries++
      if (entries > MAX_ENTRIES) throw new FormatError(`the tar has more than ${MAX_ENTRIES} entries`)
      const chunks: Buffer[] = []
      for await (const chunk of entry as AsyncIterable<Buffer>) chunks.push(chunk)
      const { name, type } = entry.header
      if (type !== 'file') continue
      if (files.has(name)) throw new FormatError(`the tar has two files named ${name}`)
      files.set(name, Buffer.concat(chunks))
    }
  } catch (cause) {
    if (cause instanceof FormatError) throw cause
    throw new FormatError(`not a whole tar: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
  if (files.size === 0) throw new FormatError('the tar has no files')
  return [...files].map(([name, content]) => ({ name, bytes: content }))
}
