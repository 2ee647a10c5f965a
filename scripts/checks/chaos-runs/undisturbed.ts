import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { codeCommit } from '../../../jobs/derive/land.ts'
import { openContext, type ScratchContext } from '../scratch/context.ts'
import { startProcess } from './children.ts'
import { removeLeftOvers } from './oracle.ts'
import type { TaskOrder } from './order.ts'
import type { Findings, Scenario, ScenarioOptions } from './scenario.ts'
import { openStage } from './stage.ts'
import { TASKS, type Task, type TaskContent, type TaskReport } from './tasks.ts'
import { checkTable } from './whole.ts'

/** Random kills of each round, before one kill at each boundary: a hundred in ten rounds, fewer in each round of a short run. */
const RANDOM_KILLS = { least: 4, most: 10 } as const

/** A task and its lake, before it is known where the process halts. */
type Where = Omit<TaskOrder, 'halt'>

/** A backfill that is repeatedly killed and resumed has the same result as an undisturbed one. */
export const backfillKills: Scenario = {
  name: 'backfill',
  about: 'SIGKILL of backfills at random and at each boundary: the same tables as of an undisturbed one',
  run: (options) => killAndCompare(['madrid_counts', 'madrid_history'].slice(0, options.rounds), options),
}

/** A model that is killed while it trains, stores and lands, and is then run again, has the same result as an undisturbed one. */
export const modelKills: Scenario = {
  name: 'models',
  about:
    'SIGKILL of models at random and at each boundary: the same tables, log and versions as of an undisturbed one, and never half a version',
  run: (options) => killAndCompare(['better', 'worse'], options),
}

/** Runs tasks undisturbed, then one of them in each round with kills, and compares what is in the lake. */
async function killAndCompare(names: readonly string[], { folder, rounds }: ScenarioOptions): Promise<Findings> {
  const stage = await openStage(folder)
  const common = { redisUrl: stage.redis.url, publishers: stage.publishers.url, commit: await codeCommit() }
  const problems: string[] = []
  const killed: Record<string, number> = {}
  const begin = async (task: string, name: string): Promise<Where> => {
    const where = { ...common, task, folder: join(folder, name) }
    await withContext(where, (context) => (TASKS[task] as Task).begin(context, () => toItsEnd(where)))
    return where
  }
  try {
    const alone: { readonly before: TaskContent | null; readonly after: TaskContent; readonly ms: number; readonly note: string }[] = []
    for (const task of names) {
      const where = await begin(task, `alone-${task}`)
      const before = TASKS[task]?.isWhole ? await contentOf(where) : null
      const { report, ms } = await toItsEnd(where)
      const after = await contentOf(where, { isOver: true })
      alone.push({ before, after, ms, note: `${report.note}${after.note}` })
      problems.push(...report.problems, ...after.problems)
    }
    for (let round = 0; round < rounds; round++) {
      const at = round % names.length
      const { before, after, ms } = alone[at] as (typeof alone)[number]
      const where = await begin(names[at] as string, `round-${round}`)
      const found: string[] = []
      for (const kill of killsOf(TASKS[where.task] as Task, { round, rounds, ms })) {
        const name = await killOne(where, kill)
        if (name !== null) killed[name] = (killed[name] ?? 0) + 1
        if (before) found.push(...halvesOf(await contentOf(where), { before, after }))
      }
      const { report } = await toItsEnd(where)
      const { report: again } = await toItsEnd(where)
      if (again.done > 0) found.push(`${again.done} pieces of work were done again`)
      const content = await contentOf(where, { isOver: true })
      for (const [name, part] of content.parts) if (part !== after.parts.get(name)) found.push(`${name} differs from an undisturbed run`)
      problems.push(...[...found, ...report.problems, ...again.problems, ...content.problems].map((one) => `round ${round}: ${one}`))
    }
    return { problems, detail: { undisturbed: Object.fromEntries(names.map((name, at) => [name, alone[at]?.note])), killed } }
  } finally {
    await stage.close()
  }
}

/** A kill: after some time, or at a visit of a boundary. */
type Kill = { readonly life_ms: number } | NonNullable<TaskOrder['halt']>

/**
 * The kills of a round. Random ones are first: together those processes live up to half the time of an undisturbed one, so that
 * work is left for the kills at boundaries; a few live long, so that some reach the later steps.
 */
function killsOf({ steps, nthMost }: Task, { round, rounds, ms }: { round: number; rounds: number; ms: number }): Kill[] {
  const count = Math.min(RANDOM_KILLS.most, Math.max(RANDOM_KILLS.least, rounds))
  const ends = Array.from({ length: count }, () => (Math.random() * ms) / 2).sort((one, other) => one - other)
  const random = ends.map((end, at) => ({ life_ms: end - (ends[at - 1] ?? 0) }))
  return [...random, ...steps.map((at) => ({ at, nth: 1 + (round % nthMost(at)) }))]
}

/** Runs a task until it is killed, and returns where that was; null if it ended before. */
async function killOne(where: Where, kill: Kill): Promise<string | null> {
  const halt = 'at' in kill ? kill : null
  const process = startProcess<TaskReport>('task.ts', { ...where, halt })
  await process.untilLine('open')
  if ('life_ms' in kill) {
    await sleep(kill.life_ms)
    process.signal('SIGKILL')
  }
  return (await process.ended) === null ? (halt?.at ?? 'at random') : null
}

/** Runs a task to its end; returns how long that took once it was open, ms. */
async function toItsEnd(where: Where): Promise<{ readonly report: TaskReport; readonly ms: number }> {
  const process = startProcess<TaskReport>('task.ts', { ...where, halt: null })
  await process.untilLine('open')
  const began = performance.now()
  const code = await process.ended
  const [report] = process.reported
  if (code !== 0 || !report) throw new Error(`an undisturbed ${where.task} ended with ${code ?? 'a signal'}`)
  return { report, ms: performance.now() - began }
}

async function withContext<T>(where: Where, work: (context: ScratchContext) => Promise<T>): Promise<T> {
  const context = await openContext({ ...where, now: (TASKS[where.task] as Task).now })
  try {
    return await work(context)
  } finally {
    await context.close()
  }
}

/** What is in the lake of a task; once it is over, without the files that killed processes left. */
function contentOf(where: Where, { isOver = false } = {}): Promise<TaskContent> {
  return withContext(where, async (context) => {
    const { tables, content } = TASKS[where.task] as Task
    const problems = isOver ? (await removeLeftOvers(context, tables)).problems.slice() : []
    for (const dataset of tables) problems.push(...(await checkTable(context, dataset)))
    const found = await content(context)
    return { ...found, problems: [...problems, ...found.problems] }
  })
}

/** Contents that equal neither the state before nor the state after. */
function halvesOf(found: TaskContent, { before, after }: { readonly before: TaskContent; readonly after: TaskContent }): string[] {
  const halves = [...found.parts].filter(([name, part]) => part !== before.parts.get(name) && part !== after.parts.get(name))
  return [...found.problems, ...halves.map(([name]) => `${name} is half a version`)]
}
