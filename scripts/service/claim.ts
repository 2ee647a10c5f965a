import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { takeMark } from '../../lake/process-mark.ts'

/**
 * Takes a data folder for this process and gives what lets it go again: two services on one folder would share Redis and port. Throws
 * where a running process has it; the mark of one that died is taken over.
 */
export function claimFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true })
  const taken = takeMark(join(folder, 'service.pid'))
  if (typeof taken !== 'string') return taken
  const [pid] = taken.split('-')
  throw new Error(`a service is running on ${folder} already (process ${pid}): stop it, or choose another --data folder`)
}
