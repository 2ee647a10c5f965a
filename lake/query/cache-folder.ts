import { mkdir, readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { isRunning, processId, takeLock } from '../process-lock.ts'

/** A folder owned by one cache. */
export interface CacheFolder {
  readonly path: string
  /** Releases it. Its files stay for the next owner of the name; the own folder of a further process is deleted. */
  release(): Promise<void>
}

/** `<name>-<mark of a process>-<number>`: the folder of a further process. */
const OWN = /-(\d+-\d+)-\d+$/
let opened = 0

/**
 * Takes the folder of a name inside `root`; if a running process has it, a folder of this process only, deleted on release. Own
 * folders of ended processes are removed.
 */
export async function claimCacheFolder(root: string, name: string): Promise<CacheFolder> {
  await mkdir(root, { recursive: true })
  for (const found of await readdir(root)) {
    const mark = OWN.exec(found)?.[1]
    if (mark && !isRunning(mark)) await rm(join(root, found), { recursive: true, force: true })
  }
  const taken = takeLock(join(root, `${name}.pid`))
  const isShared = typeof taken !== 'string'
  const path = resolve(root, isShared ? name : `${name}-${processId()}-${opened++}`)
  await mkdir(path, { recursive: true })
  return {
    path,
    release: async () => {
      if (isShared) taken()
      else await rm(path, { recursive: true, force: true })
    },
  }
}
