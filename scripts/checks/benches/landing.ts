import { readFileSync } from 'node:fs'
import { feedById } from '../../../jobs/feeds/catalog.ts'
import { makeRunner } from '../../../jobs/ingest/runner.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { readConfig } from '../../../lake/config.ts'
import { openParts, serviceLog } from '../../commands/parts.ts'

/**
 * Cost of landing one publication: ms until it was accepted, ms until all its tables were committed, and the process's peak
 * memory.
 */
export interface Landing {
  readonly judged_ms: number
  readonly landed_ms: number
  readonly peak_mb: number
  readonly rows: Readonly<Record<string, number>>
}

/** Runs in a separate process, started like the worker: fetches a feed of a stand-in once, lands it, and sends the cost. */
const [, , id = '', folder = '', publishers = '', redisUrl = ''] = process.argv
if (!process.send) throw new Error('landing.ts is started by a bench')
const config = readConfig({ DATA_DIR: folder, PUBLISHERS_URL: publishers, REDIS_URL: redisUrl, LOG_LEVEL: 'error' })
const parts = await openParts(config, { process: 'worker', redisUrl, log: serviceLog(config, 'bench') })
const feed = feedById(id)
await prepareTables(parts.context, feed.into)
const runner = makeRunner(parts.context)
const never = new AbortController().signal
const began = performance.now()
const { outcome, reason, rows } = await runner.fetch(feed, never)
const judged = performance.now()
if (outcome !== 'accepted') throw new Error(`${id}: ${outcome}: ${reason}`)
const landed = await runner.land(feed, never)
const ended = performance.now()
for (const [dataset, count] of Object.entries(rows))
  if (landed[dataset] !== count) throw new Error(`${dataset}: ${landed[dataset]} of ${count} rows landed`)
process.send({ judged_ms: judged - began, landed_ms: ended - judged, peak_mb: peakOf(), rows } satisfies Landing)
process.disconnect()
await parts.close()

/** Peak resident memory, MB; a child's `maxRSS` starts at its parent's value. */
function peakOf(): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024
}
