import { expect, test } from 'vitest'
import type { Feed } from '../../../jobs/feeds/define.ts'
import { listCheckpoints } from '../../../jobs/ingest/checkpoint.ts'
import { ruleOf } from '../../../jobs/ingest/completeness-groups.ts'
import { type IngestContext, PIPELINE_STEPS, type PipelineStep } from '../../../jobs/ingest/context.ts'
import { liveRows } from '../../../jobs/ingest/fold.ts'
import { land } from '../../../jobs/ingest/land.ts'
import { type FeedMemory, openMemory } from '../../../jobs/ingest/memory.ts'
import { makeRunner, type Runner } from '../../../jobs/ingest/runner.ts'
import { acceptedAfter } from '../../../lake/raw/archive.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { openTestContext, type TestContext, tableRows } from '../../helpers/pipeline.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { byTier } from '../../helpers/tier.ts'
import { dice, type Edition, editionsOf, expecting, feed, listing, shuffled } from './editions.ts'
import { never, openStage, type Stage, withoutCheckpoints } from './stage.ts'

/** A thing that happens between two editions. */
type Event =
  | { readonly kind: 'land' | 'restart' | 'flush' | 'repeat' | 'not-modified' | 'compare' }
  | { readonly kind: 'crash'; readonly at: PipelineStep; readonly nth: number }
  | { readonly kind: 'withdraw' | 'damage'; readonly which: number; readonly how: number }
  | { readonly kind: 'worker'; readonly worker: number }

/** Editions in the order in which they come, with what happens after each. */
function storyOf(seed: number, letters: string, length: number): [Edition, readonly Event[]][] {
  const roll = dice(seed * 31 + 5)
  const pick = <T>(all: readonly T[]): T => all[Math.floor(roll() * all.length)] as T
  return shuffled(editionsOf(seed, length, letters), roll).map((edition) => {
    const events: Event[] = []
    if (roll() < 0.15) events.push({ kind: pick(['repeat', 'not-modified']) })
    if (roll() < 0.2) events.push({ kind: 'crash', at: pick(PIPELINE_STEPS), nth: Math.floor(roll() * 3) })
    if (roll() < 0.6) events.push({ kind: 'land' })
    if (roll() < 0.1) events.push({ kind: 'withdraw', which: roll(), how: 0 })
    if (roll() < 0.15) events.push({ kind: 'damage', which: roll(), how: Math.floor(roll() * 3) })
    if (roll() < 0.15) events.push({ kind: 'flush' })
    if (roll() < 0.25) events.push({ kind: 'worker', worker: Math.floor(roll() * 2) })
    if (roll() < 0.3) events.push({ kind: 'restart' }, { kind: 'compare' })
    return [edition, events]
  })
}

const nameOf = (row: AnyRow): string => String(row['source_id'] ?? row['sensor_id'])
const byName = (rows: readonly AnyRow[]): AnyRow[] => rows.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))

/** What a memory shows and would land, without values that differ only while they have no effect. */
function facts(memory: FeedMemory): unknown {
  const parts = [...memory.parts.values()].map(({ dataset, state, landed, pending }) => ({
    live: byName([...liveRows(dataset, state, ruleOf(memory.feed, dataset.id))].map(([, row]) => row)),
    absent: [...state.entries].flatMap(([key, { status, absent }]) => (status === 'ACTIVE' && absent > 0 ? [[key, absent]] : [])).sort(),
    missing: state.blocks.missing,
    until: state.data_time,
    landed,
    pending: pending.map(({ seq, gives, rows }) => [seq, gives, rows && byName(rows)]),
  }))
  return JSON.parse(JSON.stringify({ parts, last: memory.last, seq: memory.seq }))
}

/** A result: tables and live state, the outcome of each step, and how many memories were opened from a checkpoint. */
interface Outcome {
  readonly written: Record<string, unknown>
  readonly trace: readonly string[]
  readonly fromCheckpoint: number
  readonly opened: number
}

async function outcomeOf(story: ReturnType<typeof storyOf>, one: Feed, usesCheckpoints: boolean): Promise<Outcome> {
  const stage = await openStage()
  const contexts = [stage.context, await stage.process()]
  if (!usesCheckpoints) for (const context of contexts) Object.assign(context, { store: withoutCheckpoints(context).store })
  const runners = contexts.map((context) => makeRunner(context))
  const trace: string[] = []
  const counts = { fromCheckpoint: 0, opened: 0 }
  let worker = 0
  let crash: { at: PipelineStep; nth: number } | null = null
  for (const context of contexts)
    Object.assign(context, {
      onStep(step: PipelineStep) {
        if (crash?.at !== step || crash.nth-- > 0) return
        crash = null
        throw new Error(`killed at ${step}`)
      },
    })
  /** Runs a step; a process that is killed in it starts anew. */
  const run = async (name: string, step: (runner: Runner) => Promise<unknown>): Promise<void> => {
    try {
      trace.push(`${name}: ${String(await step(runners[worker] as Runner))}`)
    } catch (error) {
      trace.push(`${name}: ${(error as Error).message}`)
      if ((error as Error).message.startsWith('killed')) runners[worker] = makeRunner(contexts[worker] as TestContext)
    }
  }
  const publish = ([count, document]: Edition) =>
    run(`edition ${count}`, async (runner) => {
      stage.runner = runner
      const { outcome, fetch_id } = await stage.publish(one, count, document)
      if (outcome !== 'rejected') return outcome
      await runner.accept(one, fetch_id as string)
      return 'accepted late'
    })
  const happen = async (event: Event, edition: Edition): Promise<void> => {
    const context = contexts[worker] as TestContext
    if (event.kind === 'land') await run('land', async (runner) => void (await runner.land(one, never)))
    else if (event.kind === 'restart') runners[worker] = makeRunner(context)
    else if (event.kind === 'flush') await context.redis.flushall()
    else if (event.kind === 'repeat') await publish(edition)
    else if (event.kind === 'not-modified') {
      stage.publisher.status = 304
      await publish(edition)
      stage.publisher.status = null
    } else if (event.kind === 'crash') crash = { ...event }
    else if (event.kind === 'worker') worker = event.worker
    else if (event.kind === 'withdraw') {
      const all = await acceptedAfter(context.store, one.id, 0)
      const { fetch_id } = all[Math.floor(event.which * all.length)] ?? { fetch_id: `${one.id}.none` }
      await run('withdraw', (runner) => runner.withdraw(one, fetch_id, () => runner.land(one, never)))
    } else if (event.kind === 'damage' && usesCheckpoints) await damage(context, one, event)
    else if (event.kind === 'compare' && usesCheckpoints) {
      const [with_, without] = [await openMemory(context, one), await openMemory(withoutCheckpoints(context), one)]
      counts.opened++
      if (with_.checkpoint) counts.fromCheckpoint++
      expect(without.checkpoint).toBeNull()
      expect(facts(with_), trace.slice(-12).join('\n')).toEqual(facts(without))
    }
  }
  try {
    for (const [edition, events] of story) {
      await publish(edition)
      for (const event of events) await happen(event, edition)
    }
    crash = null
    for (const [at, context] of contexts.entries()) runners[at] = makeRunner(context)
    await run('last landing', (runner) =>
      runner
        .land(one, never)
        .then(() => runner.land(one, never))
        .then(() => runner.heal([one])),
    )
    const written = await readWritten(stage, one)
    expect(await recomputed(stage, one), trace.join('\n')).toEqual(tablesOf(written, one))
    return { written, trace, ...counts }
  } finally {
    await stage.close()
  }
}

/** Deletes a stored checkpoint, cuts it off, or turns one of its bits. */
async function damage({ store }: IngestContext, { id }: Feed, { which, how }: { which: number; how: number }): Promise<void> {
  const stored = await listCheckpoints(store, id)
  const key = stored[Math.floor(which * which * stored.length)]?.key
  const bytes = key && (await store.get(key))
  if (!key || !bytes) return
  if (how === 0) return store.delete(key)
  const at = Math.floor(which * bytes.length)
  if (how === 1) return store.put(key, bytes.subarray(0, at))
  await store.put(key, Buffer.from(bytes.map((byte, nth) => (nth === at ? byte ^ 4 : byte))))
}

async function readWritten(stage: Stage, one: Feed): Promise<Record<string, unknown>> {
  const written: Record<string, unknown> = {}
  for (const { id, ...dataset } of one.into) {
    written[id] = await tableRows(stage.context, { id, ...dataset })
    written[`live ${id}`] = byName((await stage.live(id)) ?? [])
  }
  return written
}

const tablesOf = (written: Record<string, unknown>, { into }: Feed): unknown[] => into.map(({ id }) => written[id])

/** The tables of a fresh lake that is landed from a copy of the raw archive alone. */
async function recomputed(stage: Stage, one: Feed): Promise<unknown[]> {
  const { store, now } = stage.context
  const fresh = await openTestContext({ folder: tempFolder(), redisUrl: 'redis://127.0.0.1:1', publisher: '', now })
  try {
    for await (const { key } of store.list('raw/')) await fresh.store.put(key, (await store.get(key)) as Buffer)
    await land({ ...fresh }, await openMemory({ ...fresh }, one))
    return await Promise.all(one.into.map((dataset) => tableRows(fresh, dataset)))
  } finally {
    await fresh.close()
  }
}

const FEEDS = [
  ['blocks', feed, 'ab'],
  ['blocks that the lake expects', expecting, 'ab'],
  ['things in no block', feed, 'abc'],
  ['things in several blocks', listing, 'abd'],
] as const
const SEEDS = Array.from({ length: byTier(1, 4) }, (_, at) => at + 1)

let fromCheckpoint = 0

test.each(SEEDS.flatMap((seed) => FEEDS.slice(byTier(2, 0)).map((of) => [seed, ...of] as const)))(
  'tables and live state are those of the tables alone, whatever happens to processes and checkpoints (seed %i, %s)',
  async (seed, _, one, letters) => {
    const story = storyOf(seed, letters, byTier(8, 24))
    const found = await outcomeOf(story, one, true)
    const expected = await outcomeOf(story, one, false)
    expect(found.trace).toEqual(expected.trace)
    expect(found.written).toEqual(expected.written)
    expect(expected.fromCheckpoint).toBe(0)
    fromCheckpoint += found.fromCheckpoint
  },
)

test('processes of these stories started from checkpoints', () => expect(fromCheckpoint).toBeGreaterThan(0))
