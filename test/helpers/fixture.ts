import { readFileSync } from 'node:fs'
import { packTar } from '../../scripts/stand-in/formats/tar.ts'
import { membersOf, zipOfFolder } from './zip.ts'

/** The bytes of a fixture: of a folder `….zip` or `….tar` those of an archive of what is in it. */
export function fixtureBytes(path: string): Buffer {
  if (path.endsWith('.zip')) return zipOfFolder(path)
  return path.endsWith('.tar') ? packTar(membersOf(path), 0) : readFileSync(path)
}
