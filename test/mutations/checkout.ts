import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOMS } from './select.ts'

/** A copy of what is committed in a checkout, to be changed and thrown away. */
export interface Scratch {
  readonly folder: string
  /** A folder for the temporary files of its tests; short, for sockets lie in it. */
  readonly temporary: string
  /** Empties that folder: tests that were stopped leave theirs behind. */
  clear(): void
  remove(): void
}

/** The commit that a checkout is at. Throws where its product code is not as committed: a copy would not have it. */
export function commitOf(root: string): string {
  const rooms = ROOMS.map((room) => `:(glob)${room}/**`)
  const changed = git(root, 'status', '--porcelain', '--', ...rooms)
  if (changed !== '') throw new Error(`${root} has product code that is not committed:\n${changed}`)
  return git(root, 'rev-parse', 'HEAD')
}

/** Copies what is committed in a checkout into a new folder, with its packages linked one by one: a test may write beside them. */
export function makeScratch(root: string): Scratch {
  const base = mkdtempSync(join(tmpdir(), 'mutants-'))
  const [folder, temporary] = [join(base, 'project'), join(base, 't')]
  git(root, 'clone', '--quiet', '--no-checkout', root, folder)
  git(folder, 'checkout', '--quiet', '--detach', git(root, 'rev-parse', 'HEAD'))
  const packages = join(folder, 'node_modules')
  mkdirSync(packages)
  for (const name of readdirSync(join(root, 'node_modules')))
    if (!name.startsWith('.vite')) symlinkSync(join(root, 'node_modules', name), join(packages, name))
  mkdirSync(temporary)
  return {
    folder,
    temporary,
    clear() {
      rmSync(temporary, { recursive: true, force: true })
      mkdirSync(temporary)
    },
    remove: () => rmSync(base, { recursive: true, force: true }),
  }
}

function git(folder: string, ...args: readonly string[]): string {
  return execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' }).trim()
}
