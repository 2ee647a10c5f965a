import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const FILE = 'service.pid'

/**
 * Takes a data folder for this process and gives what lets it go again: two services on one folder would share Redis and port. Throws
 * where a running process has it; the mark of one that died is taken over.
 */
export function claimFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, FILE)
  const mine = `${path}.${process.pid}`
  writeFileSync(mine, String(process.pid))
  try {
    for (let attempt = 0; attempt < 3; attempt++) {
      try {
        linkSync(mine, path)
        return () => rmSync(path, { force: true })
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
      const owner = Number(readFileSync(path, 'utf8'))
      if (isService(owner))
        throw new Error(`a service is running on ${folder} already (process ${owner}): stop it, or choose another --data folder`)
      rmSync(path, { force: true })
    }
    throw new Error(`${path} cannot be taken: another start is at it`)
  } finally {
    rmSync(mine, { force: true })
  }
}

/** True where a process of that id runs and is not this one under a number that was used before. */
function isService(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('start.ts')
  } catch {
    return true
  }
}
