import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOMS } from './select.ts'

/** A copy of the commit of a checkout, which may be changed and is removed afterwards. */
export interface Scratch {
  readonly folder: string
  /** A folder for the temporary files of its tests; its path is short because it contains sockets. */
  readonly temporary: string
  /** Stops processes that its tests left running, such as servers in their own sessions. Works only with /proc. */
  stopProcesses(): void
  /** Empties that folder: stopped tests leave files there. */
  clear(): void
  remove(): void
}

/** In a folder of packages: the lock file of which they are. */
const INSTALLED = '.installed'

/** The commit of a checkout. Throws if its product code has uncommitted changes, which a copy would lack. */
export function commitOf(root: string): string {
  const rooms = ROOMS.map((room) => `:(glob)${room}/**`)
  const changed = git(root, 'status', '--porcelain', '--', ...rooms)
  if (changed !== '') throw new Error(`${root} has product code that is not committed:\n${changed}`)
  return git(root, 'rev-parse', 'HEAD')
}

/** Copies the commit of a checkout into a new folder. Packages are linked one by one, because a test may write beside them. */
export function makeScratch(root: string): Scratch {
  const base = mkdtempSync(join(tmpdir(), 'mutants-'))
  const [folder, temporary] = [join(base, 'project'), join(base, 't')]
  git(root, 'clone', '--quiet', '--no-checkout', root, folder)
  git(folder, 'checkout', '--quiet', '--detach', git(root, 'rev-parse', 'HEAD'))
  const packages = join(folder, 'node_modules')
  mkdirSync(packages)
  for (const name of readdirSync(join(root, 'node_modules')))
    if (!name.startsWith('.vite') && name !== INSTALLED) symlinkSync(join(root, 'node_modules', name), join(packages, name))
  // Packages of another commit count as well, else a command under test would replace them (scripts/setup.sh).
  const lock = join(folder, 'package-lock.json')
  if (existsSync(lock)) copyFileSync(lock, join(packages, INSTALLED))
  mkdirSync(temporary)
  return {
    folder,
    temporary,
    stopProcesses() {
      for (const pid of processesOf(base)) kill(pid)
    },
    clear() {
      rmSync(temporary, { recursive: true, force: true })
      mkdirSync(temporary)
    },
    remove() {
      for (const pid of processesOf(base)) kill(pid)
      rmSync(base, { recursive: true, force: true })
    },
  }
}

/**
 * Processes with a folder in their environment, which a test's processes inherit, or in their command: Redis overwrites its
 * environment.
 */
function processesOf(folder: string): number[] {
  const read = (path: string): string => textOr(path, () => readFileSync(path, 'utf8'), '')
  return textOr('/proc', (path) => readdirSync(path), [])
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => ['environ', 'cmdline'].some((file) => read(`/proc/${pid}/${file}`).includes(`${folder}/`)))
    .map(Number)
}

/** The text of a file, or `other` if it does not exist or is not readable. */
function textOr<T>(path: string, read: (path: string) => T, other: T): T {
  try {
    return read(path)
  } catch {
    return other
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function git(folder: string, ...args: readonly string[]): string {
  return execFileSync('git', ['--no-optional-locks', '-C', folder, ...args], { encoding: 'utf8' }).trim()
}
