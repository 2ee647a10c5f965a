import { buffer } from 'node:stream/consumers'
import { pack } from 'tar-stream'

/** A tar archive (ustar) of some files. */
export function tarOf(...files: readonly { readonly name: string; readonly bytes: Buffer }[]): Promise<Buffer> {
  const archive = pack()
  for (const { name, bytes } of files) archive.entry({ name, mtime: new Date(0) }, bytes)
  archive.finalize()
  return buffer(archive)
}
