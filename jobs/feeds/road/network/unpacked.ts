import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Zip } from '../../../formats/zip.ts'

/** Unpacked members of an archive. */
export interface Unpacked {
  /** The GeoPackage, or the folder with the shapefiles. */
  readonly path: string
  remove(): void
}

/** Unpacks the wanted members of an archive into a temporary folder: SQLite reads files only. Throws `FormatError`. */
export async function unpackedInto(
  zip: Pick<Zip, 'names' | 'read'>,
  wanted: (name: string) => boolean,
  onBytes: (bytes: number) => void = () => {},
): Promise<Unpacked> {
  const folder = mkdtempSync(join(tmpdir(), 'road-network-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  try {
    const names = zip.names.filter(wanted)
    for (const name of names) {
      const counted = async function* (): AsyncGenerator<Buffer> {
        for await (const piece of zip.read(name)) {
          onBytes(piece.length)
          yield piece
        }
      }
      await pipeline(Readable.from(counted()), createWriteStream(join(folder, basename(name))))
    }
    const only = names.find((name) => /\.gpkg$/i.test(name))
    return { path: only === undefined ? folder : join(folder, basename(only)), remove }
  } catch (error) {
    remove()
    throw error
  }
}
