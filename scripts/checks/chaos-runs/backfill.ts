import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { feedById } from '../../../jobs/feeds/catalog.ts'
import type { Feed } from '../../../jobs/feeds/define.ts'
import { PIPELINE_STEPS } from '../../../jobs/ingest/context.ts'
import { landedIn } from '../../../jobs/ingest/tables.ts'
import { formatSeqs } from '../../../lake/landed.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, join as joined, sql } from '../../../lake/query/sql.ts'
import { acceptedAfter } from '../../../lake/raw/archive.ts'
import { BACKFILLED, type Backfilled, type BackfillOrder, type BackfillReport } from './backfill-order.ts'
import { startProcess } from './children.ts'
import { type ChaosContext, openContext } from './context.ts'
import { removeLeftOvers } from './oracle.ts'
import type { Scenario } from './scenario.ts'
import { openStage } from './stage.ts'
import { checkWhole } from './whole.ts'

/** Random kills of each round, before one kill at each boundary: a hundred in ten rounds, fewer in each round of a short run. */
const RANDOM_KILLS = { least: 4, most: 10 } as const
/** A process that is killed at a boundary reaches it once or twice before it lands something. */
const MOST_TIMES = 2

/** The order of a backfill without its halt. */
type Where = Omit<BackfillOrder, 'halt'>

/** A backfill that is repeatedly killed and resumed has the same result as an undisturbed one. */
export const backfillKills: Scenario = {
  name: 'backfill',
  about: 'SIGKILL of backfills at random and at each boundary: the same tables as of an undisturbed one',
  async run({ folder, rounds }) {
    const stage = await openStage(folder)
    const where = (archive: Backfilled, name: string): Where => ({
      archive,
      folder: join(folder, name),
      redisUrl: stage.redis.url,
      publishers: stage.publishers.url,
    })
    const problems: string[] = []
    const killed: Record<string, number> = {}
    try {
      const alone: { readonly archive: Backfilled; readonly result: BackfillReport; readonly ms: number; readonly expected: Content }[] = []
      for (const archive of BACKFILLED.slice(0, rounds)) {
        const order = where(archive, `alone-${archive.feed}`)
        const { result, ms } = await toItsEnd(order)
        alone.push({ archive, result, ms, expected: await contentOf(order) })
      }
      const times = Math.min(RANDOM_KILLS.most, Math.max(RANDOM_KILLS.least, rounds))
      for (let round = 0; round < rounds; round++) {
        const { archive, ms, expected } = alone[round % alone.length] as (typeof alone)[number]
        const order = where(archive, `round-${round}`)
        for (const name of await killAll(order, { round, times, half_ms: ms / 2 })) killed[name] = (killed[name] ?? 0) + 1
        const { result } = await toItsEnd(order)
        const { result: again } = await toItsEnd(order)
        problems.push(...[...result.failures, ...again.failures].map((failure) => `round ${round}: ${failure}`))
        if (again.asked > 0) problems.push(`round ${round}: ${again.asked} files were requested again`)
        const found = await contentOf(order)
        problems.push(...found.problems.map((problem) => `round ${round}: ${problem}`))
        if (found.digest !== expected.digest)
          problems.push(`round ${round}: ${found.rows} rows differ from the ${expected.rows} of an undisturbed run`)
      }
      return {
        problems: [...alone.flatMap(({ result, expected }) => [...result.failures, ...expected.problems]), ...problems],
        detail: {
          archives: alone.map(({ archive, result, expected }) => ({
            feed: archive.feed,
            files: result.asked,
            gaps: result.gaps,
            rows: expected.rows,
          })),
          killed,
        },
      }
    } finally {
      await stage.close()
    }
  },
}

/** The round, how many of its kills are random, and how long the randomly killed processes live together, ms. */
interface Kills {
  readonly round: number
  readonly times: number
  readonly half_ms: number
}

/**
 * Starts and kills one process after another; returns where each was. Random kills are first. Together those processes live up to
 * `half_ms`, half the time of an undisturbed backfill, so that work is left for the kills at boundaries.
 */
async function killAll(where: Where, { round, times, half_ms }: Kills): Promise<string[]> {
  const killed: string[] = []
  for (const life_ms of livesOf(times, half_ms)) {
    const process = startProcess<BackfillReport>('backfiller.ts', { ...where, halt: null })
    await process.until('it was open', (messages) => messages.includes('open'))
    await sleep(life_ms)
    process.signal('SIGKILL')
    if ((await process.ended) === null) killed.push('at random')
  }
  for (const at of PIPELINE_STEPS) {
    const process = startProcess<BackfillReport>('backfiller.ts', { ...where, halt: { at, nth: 1 + (round % MOST_TIMES) } })
    if ((await process.ended) === null) killed.push(at)
  }
  return killed
}

/** Random lifetimes, ms, that sum up to about `whole_ms`; a few are long, so that some processes reach the later steps. */
function livesOf(count: number, whole_ms: number): number[] {
  const ends = Array.from({ length: count }, () => Math.random() * whole_ms).sort((one, other) => one - other)
  return ends.map((end, at) => end - (ends[at - 1] ?? 0))
}

/** Runs a backfill to its end; returns how long that took once it was open, ms. */
async function toItsEnd(where: Where): Promise<{ readonly result: BackfillReport; readonly ms: number }> {
  const process = startProcess<BackfillReport>('backfiller.ts', { ...where, halt: null })
  await process.until('it was open', (messages) => messages.includes('open'))
  const began = performance.now()
  const code = await process.ended
  const result = process.told.find((one) => typeof one !== 'string')
  if (code !== 0 || !result) throw new Error(`an undisturbed backfill ended with ${code ?? 'a signal'}`)
  return { result, ms: performance.now() - began }
}

/** The content of a store for an archive: its rows without the ids of their fetches, and its problems. */
interface Content {
  readonly rows: number
  readonly digest: string
  readonly problems: readonly string[]
}

async function contentOf(where: Where): Promise<Content> {
  const feed = feedById(where.archive.feed)
  const context = await openContext({ ...where, publishers: null, now: Date.now })
  try {
    const problems = [...(await checkWhole(context, [feed])), ...(await checkLog(context, feed))]
    const hash = createHash('sha256')
    let rows = 0
    for (const dataset of feed.into) {
      const names = joined(Object.keys(dataset.columns).map((name) => column(dataset, name)))
      for await (const batch of context.lake.stream(sql`SELECT ${names} FROM ${scan(dataset)} ORDER BY ALL`)) {
        rows += batch.length
        for (const row of batch) hash.update(JSON.stringify(row))
      }
    }
    problems.push(...(await removeLeftOvers(context, feed.into)).problems, ...(await checkWhole(context, [feed])))
    return { rows, digest: hash.digest('hex'), problems }
  } finally {
    await context.close()
  }
}

/** Checks that each period was accepted once, its bytes were stored once, and each fetch landed. */
async function checkLog(context: ChaosContext, feed: Feed): Promise<string[]> {
  const problems: string[] = []
  const accepted = await acceptedAfter(context.store, feed.id, 0)
  const periods = new Set(accepted.map(({ period }) => period))
  if (periods.size !== accepted.length) problems.push(`${accepted.length} fetches of ${periods.size} periods`)
  let objects = 0
  for await (const _ of context.store.list(`raw/${feed.id}/bytes/`)) objects++
  if (objects !== accepted.length) problems.push(`${objects} objects of bytes for ${accepted.length} fetches`)
  for (const dataset of feed.into) {
    const { seqs, lost } = await landedIn(context, dataset, feed.id)
    if (formatSeqs(seqs) !== `1-${accepted.length}` || lost.length > 0) problems.push(`${dataset.id} says that ${formatSeqs(seqs)} landed`)
  }
  return problems
}
