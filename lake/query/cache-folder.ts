import { mkdir, readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { isRunning, processMark, takeMark } from '../process-mark.ts'

/** A folder that one cache has to itself. */
export interface CacheFolder {
  readonly path: string
  /** Lets it go: what is in it stays for the next of its name, or goes where it was a further process's own. */
  release(): Promise<void>
}

/** `<name>-<mark of a process>-<number>`: the folder of a further process. */
const OWN = /-(\d+-\d+)-\d+$/
let opened = 0

/**
 * Takes the folder of a name inside `root`; where a running process has it, one that is this process's own and goes with it. Own folders
 * of processes that ended are removed.
 */
export async function claimCacheFolder(root: string, name: string): Promise<CacheFolder> {
  await mkdir(root, { recursive: true })
  for (const found of await readdir(root)) {
    const mark = OWN.exec(found)?.[1]
    if (mark && !isRunning(mark)) await rm(join(root, found), { recursive: true, force: true })
  }
  const taken = takeMark(join(root, `${name}.pid`))
  const isShared = typeof taken !== 'string'
  const path = resolve(root, isShared ? name : `${name}-${processMark()}-${opened++}`)
  await mkdir(path, { recursive: true })
  return {
    path,
    release: async () => {
      if (isShared) taken()
      else await rm(path, { recursive: true, force: true })
    },
  }
}
