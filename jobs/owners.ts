import { createHash } from 'node:crypto'
import type { WorkerEntry } from '../lake/live/workers.ts'

/**
 * The id of the worker that owns a feed or task: of those that can run it, the one with the highest hash of both names; null if
 * none can. Rendezvous hashing (Thaler and Ravishankar, 1998): when a worker joins or leaves, only what it owns moves. Of a name
 * `<name>@<other>`, `<other>` is hashed: both have the same owner if the same workers can run them.
 */
export function ownerOf(name: string, workers: readonly Pick<WorkerEntry, 'id' | 'runs'>[]): string | null {
  let [owner, highest] = [null as string | null, '']
  const hashed = name.split('@').at(-1)
  for (const { id, runs = [] } of workers) {
    if (!runs.includes(name)) continue
    const weight = createHash('sha256').update(`${id} ${hashed}`).digest('hex')
    if (weight > highest) [owner, highest] = [id, weight]
  }
  return owner
}

/** The names that a worker owns among living workers. */
export function ownedBy(id: string, workers: readonly Pick<WorkerEntry, 'id' | 'runs'>[]): Set<string> {
  const own = workers.find((worker) => worker.id === id)
  return new Set((own?.runs ?? []).filter((name) => ownerOf(name, workers) === id))
}
