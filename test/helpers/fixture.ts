import { readFileSync } from 'node:fs'
import { packTar } from '../../scripts/stand-in/formats/tar.ts'
import { membersOf, zipOfFolder } from './zip.ts'

/** The bytes of a fixture; for a folder `….zip` or `….tar` an archive of its files. */
export function fixtureBytes(path: string): Buffer {
  if (path.endsWith('.zip')) return zipOfFolder(path)
  return path.endsWith('.tar') ? packTar(membersOf(path), 0) : readFileSync(path)
}
