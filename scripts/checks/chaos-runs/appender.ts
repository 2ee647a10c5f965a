import { setTimeout as sleep } from 'node:timers/promises'
import { landedIn, landRows, replaceRows } from '../../../jobs/ingest/tables.ts'
import { compactDataset } from '../../../jobs/upkeep/compact.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { expireSnapshots, removeOrphans } from '../../../lake/iceberg/expire.ts'
import { addSeqs, countSeqs } from '../../../lake/landed.ts'
import { type Locked, withLock } from '../../../lake/live/lock.ts'
import { openContext } from '../scratch/context.ts'
import { type AppendOrder, type AppendReport, fetchOf, instantOf, rowsOf } from './append-order.ts'

// A separate process that appends to a table, or compacts, replaces and cleans it meanwhile, until its channel closes.
const order = JSON.parse(process.argv[2] as string) as AppendOrder
const { feed, appends } = order
/** Only a process that was paused leaves a file in the store for longer than this before a commit names it. */
const GRACE_MS = 30_000
/** Pause after an append, in which other processes can take the feed's lock. */
const BETWEEN_MS = 25
/** Fetches that are replaced at once. */
const RANGE = 5

let stopping = false
process.once('disconnect', () => process.exit(1))
process.once('message', () => {
  stopping = true
})
const context = await openContext(order)
const done: Record<string, number> = {}
const again: Record<string, number> = {}
const corrected: Record<string, number> = {}
if (order.role === 'append') await append()
else await upkeep()
process.send?.({ done, again, corrected } satisfies AppendReport)
await context.close()
process.exit(0)

async function append(): Promise<void> {
  for (let seq = 1; seq <= appends; ) {
    try {
      if (await locked(() => appendOne(seq)).then((turn) => turn.ran && turn.value)) {
        count(done, 'appends')
        seq++
      } else count(again, 'replaced meanwhile')
      await sleep(BETWEEN_MS)
    } catch (error) {
      count(again, (error as Error).message.replace(/[0-9a-f-]{36}|v?\d+|-[0-9a-z]{9}\b/g, '…').slice(0, 160))
      // A commit with an unknown outcome is looked up, as a worker does when it rebuilds its memory.
      const { seqs } = await landedIn(context, trafficReadings, feed)
      if (countSeqs(seqs) >= seq) seq = countSeqs(seqs) + 1
    }
  }
}

async function appendOne(seq: number): Promise<boolean> {
  const base = await landedIn(context, trafficReadings, feed)
  if (countSeqs(base.seqs) >= seq) throw new Error(`append ${seq} of ${feed} exists before it was written`)
  const next = { ...base, seqs: addSeqs(base.seqs, [seq]), until: instantOf(seq) }
  return landRows(context, trafficReadings, { feed, rows: rowsOf(feed, seq, null), base, next })
}

/** Runs work under the feed's lock, as the service's landings and replays do. */
function locked<T>(work: () => Promise<T>): Promise<Locked<T>> {
  return withLock({ redis: context.redis, name: `land:${feed}`, ttl_ms: 20_000, wait_ms: 30_000 }, work)
}

/** Compacts, replays and expires, each in a loop of its own. */
async function upkeep(): Promise<void> {
  const table = context.lake.table(trafficReadings)
  const inUse = (key: string): boolean => context.lake.inUse(key)
  const loop = async (what: string, work: (round: number) => Promise<void>): Promise<void> => {
    for (let round = 1; !stopping; round++) {
      await attempt(what, () => work(round))
      await sleep(20)
    }
  }
  await Promise.all([
    loop('compactions', () => compactDataset(context, trafficReadings)),
    // Alternates: under the feed's lock, where it succeeds, and without it, where it conflicts with landings and has to give up.
    loop('replays', async (round) => void (round % 4 < 2 ? await locked(() => replay(round)) : await replay(round))),
    loop('expiries', async () => {
      count(done, 'snapshots expired', (await expireSnapshots({ table, inUse, keep_ms: 0 })).snapshots)
      count(done, 'orphans removed', (await removeOrphans({ table, inUse, grace_ms: GRACE_MS })).length)
    }),
  ])
}

/** Derives some fetches of the feed again: every second time with a correction, otherwise with the same values. */
async function replay(round: number): Promise<void> {
  const base = await landedIn(context, trafficReadings, feed)
  const landed = countSeqs(base.seqs)
  if (landed < RANGE) return
  const first = 1 + Math.floor(Math.random() * (landed - RANGE + 1))
  const seqs = Array.from({ length: RANGE }, (_, at) => first + at)
  const speed = (seq: number): number | null => (round % 2 === 0 ? 1 + (round % 250) : (corrected[seq] ?? null))
  const rows = seqs.flatMap((seq) => rowsOf(feed, seq, speed(seq)))
  const fetchIds = seqs.map((seq) => fetchOf(feed, seq))
  const replaced = await replaceRows(context, trafficReadings, { feed, fetchIds, rows, base, next: base })
  if (!replaced) return count(again, 'landed during a replay')
  if (round % 2 === 1 && replaced.added + replaced.removed > 0)
    throw new Error(`equal rows replaced ${replaced.removed} by ${replaced.added}`)
  if (round % 2 === 0) for (const seq of seqs) corrected[seq] = speed(seq) as number
}

async function attempt(what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
    count(done, what)
  } catch (error) {
    count(again, `${what}: ${(error as Error).message}`.replace(/[0-9a-f-]{36}|v?\d+|-[0-9a-z]{9}\b/g, '…').slice(0, 160))
  }
}

function count(counts: Record<string, number>, name: string, by = 1): void {
  counts[name] = (counts[name] ?? 0) + by
}
