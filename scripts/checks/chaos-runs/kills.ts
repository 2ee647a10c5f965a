import { setTimeout as sleep } from 'node:timers/promises'
import { PIPELINE_STEPS, type PipelineStep } from '../../../jobs/ingest/context.ts'
import { type ChaosWorker, judgeApart, runWorker, startWorker } from './children.ts'
import { ROLLED_UP, VERSIONED } from './chosen.ts'
import type { Halt, WorkerOrder } from './order.ts'
import type { Findings, Scenario, ScenarioOptions } from './scenario.ts'
import { openStage } from './stage.ts'

/** Random kills for each round of kills at boundaries. */
const RANDOM_PER_ROUND = 10
/** Longest life of a worker, ms, at first; then adapted so that the longest do some iterations on a busy machine too. */
const FIRST_LIFE_MS = 2500
const MOST_LIFE_MS = 10_000
const ITERATIONS = { few: 2, many: 5 }
/** A fetch reaches a step once per feed; a landing reaches it once per dataset, and again in compactions. */
const MOST_TIMES = 5
/**
 * Time between two fetches of a timetable that is published every night: mostly one fetch has a new version and the next has the
 * same.
 */
const HALF_DAY_MS = 43_200_000
const VERSIONS: Partial<WorkerOrder> = { feeds: VERSIONED.map(({ id }) => id), advance_ms: HALF_DAY_MS, corrects: true }
/** The boundaries that a derivation reaches. */
const DERIVING_STEPS = PIPELINE_STEPS.filter((step) => !['raw-kept', 'accepted', 'live-written'].includes(step))

/** Kills workers at every boundary between steps and at random moments; each successor continues from the stored state. */
export const kills: Scenario = {
  name: 'kills',
  about: 'SIGKILL at each boundary between pipeline steps, and at random moments',
  run: (options) => killAll(options, {}),
}

/** The same while whole versions land: new versions, and versions that replace existing rows. */
export const versionKills: Scenario = {
  name: 'versions',
  about: 'the same while whole versions land, new and corrected ones',
  run: (options) => killAll(options, VERSIONS),
}

/** The same while tables are derived from whole versions: at the end they equal tables that are built at once. */
export const derivationKills: Scenario = {
  name: 'derivations',
  about: 'the same while tables are derived from whole versions',
  run: (options) => killAll(options, { ...VERSIONS, derives: true }, DERIVING_STEPS),
}

/** The same while tables are rolled up by months. */
export const monthKills: Scenario = {
  name: 'months',
  about: 'the same while tables are rolled up by months',
  run: (options) => killAll(options, { feeds: ROLLED_UP.map(({ id }) => id), advance_ms: HALF_DAY_MS, derives: true }, DERIVING_STEPS),
}

async function killAll(
  { folder, rounds }: ScenarioOptions,
  work: Partial<WorkerOrder>,
  steps: readonly PipelineStep[] = PIPELINE_STEPS,
): Promise<Findings> {
  const stage = await openStage(folder)
  const order: WorkerOrder = { ...stage.order, ...work, iterations: 3, waits: true }
  const halts: (Halt | null)[] = []
  for (let round = 0; round < rounds; round++) {
    for (const at of steps) halts.push({ at, nth: 1 + (round % MOST_TIMES), by: 'SIGKILL', deriving: order.derives ?? false })
    for (let times = 0; times < RANDOM_PER_ROUND; times++) halts.push(null)
  }
  let longest_ms = FIRST_LIFE_MS
  const problems: string[] = []
  const killed: Record<string, number> = {}
  try {
    // The next worker opens while this one works, which saves its start-up time after a kill.
    let next = launch(order, halts[0] ?? null)
    for (const [at, halt] of halts.entries()) {
      const worker = next
      await worker.untilLine('open')
      next = launch(order, halts[at + 1] ?? null)
      worker.go()
      if (!halt) {
        const life_ms = Math.random() * longest_ms
        await sleep(life_ms)
        worker.signal('SIGKILL')
        const done = worker.reported.length
        if (done < ITERATIONS.few && life_ms > longest_ms / 2) longest_ms = Math.min(MOST_LIFE_MS, longest_ms * 1.3)
        if (done > ITERATIONS.many) longest_ms /= 1.3
      }
      const code = await worker.ended
      const name = halt ? halt.at : 'at random'
      if (code === null) killed[name] = (killed[name] ?? 0) + 1
      else problems.push(`a worker to be killed ${name} (${halt?.nth}) ended with ${code}`)
      for (const { failures } of worker.reported) problems.push(...failures)
    }
    next.signal('SIGKILL')
    await next.ended
    problems.push(...(await runWorker({ ...order, waits: false, iterations: 2 })))
    return await judgeApart(order, { problems, detail: { killed, longest_life_ms: Math.round(longest_ms) } })
  } finally {
    await stage.close()
  }
}

function launch(order: WorkerOrder, halt: Halt | null): ChaosWorker {
  // A worker that is killed from outside runs until then.
  return startWorker({ ...order, iterations: halt ? order.iterations : 1000, halts: halt ? [halt] : [] })
}
