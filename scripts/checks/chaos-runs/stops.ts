import type { PipelineStep } from '../../../jobs/ingest/context.ts'
import { landedIn } from '../../../jobs/ingest/tables.ts'
import { countSeqs } from '../../../lake/landed.ts'
import { readFeedStates } from '../../../lake/live/freshness.ts'
import { livePart } from '../../../lake/live/write.ts'
import { openContext, type ScratchContext } from '../scratch/context.ts'
import { judgeApart, runWorker, startWorker } from './children.ts'
import { CHOSEN } from './chosen.ts'
import type { WorkerOrder } from './order.ts'
import type { Scenario } from './scenario.ts'
import { openStage } from './stage.ts'

/** Where a worker is paused: after it stored bytes, accepted a fetch, or wrote a commit's files or manifests. */
const STEPS: readonly PipelineStep[] = ['raw-kept', 'accepted', 'parquet-written', 'manifests-written']
/** Short, so that others wait little for the lock of a paused worker. */
const LOCK_MS = 2500
/** On a busy machine a worker may miss the renewal of such a short lock; it then starts again, as it should. */
const LOCK_LOST = /the lock .* was lost/

/** Pauses workers for longer than their lock while another one works, then resumes them. */
export const stops: Scenario = {
  name: 'stops',
  about: 'SIGSTOP of a worker past its lock, while another one works',
  async run({ folder, rounds }) {
    const stage = await openStage(folder)
    const order: WorkerOrder = { ...stage.order, lock_ms: LOCK_MS }
    const problems: string[] = []
    const gaveUp: Record<string, number> = {}
    let stopped = 0
    const watcher = await openContext({ folder, redisUrl: stage.redis.url })
    try {
      for (let round = 0; round < Math.ceil(rounds / 3); round++)
        for (const at of STEPS) {
          const sleeper = startWorker({ ...order, halts: [{ at, nth: 1 + round, by: 'SIGSTOP' }] })
          await sleeper.untilLine(`halted at ${at}`)
          stopped++
          problems.push(...(await goOn(order, 4)))
          const before = await factsOf(watcher)
          sleeper.signal('SIGCONT')
          if ((await sleeper.ended) !== 0) problems.push(`a worker that was paused at ${at} ended with ${await sleeper.ended}`)
          const after = await factsOf(watcher)
          for (const [name, value] of before)
            if ((after.get(name) ?? -1) < value)
              problems.push(`${name} fell from ${value} to ${after.get(name)} after the worker at ${at} resumed`)
          for (const { failures } of sleeper.reported) if (failures.length > 0) gaveUp[at] = (gaveUp[at] ?? 0) + 1
        }
      problems.push(...(await goOn({ ...order, lock_ms: 60_000 }, 2)))
      return await judgeApart(order, { problems, detail: { stopped, gave_up: gaveUp } })
    } finally {
      await watcher.close()
      await stage.close()
    }
  },
}

async function goOn(order: WorkerOrder, iterations: number): Promise<string[]> {
  return (await runWorker({ ...order, iterations })).filter((failure) => !LOCK_LOST.test(failure))
}

/** Values that must never decrease, by name. */
async function factsOf(context: ScratchContext): Promise<Map<string, number>> {
  const facts = new Map<string, number>()
  const states = await readFeedStates(context.redis)
  for (const feed of CHOSEN) {
    facts.set(`data time in the freshness of ${feed.id}`, states.get(feed.id)?.data_time ?? 0)
    for (const dataset of feed.into) {
      const part = await livePart(context.redis, dataset.id, feed.id)
      facts.set(`fetch of live ${dataset.id}`, part?.seq ?? 0)
      facts.set(`data time of live ${dataset.id}`, part?.data_time ?? 0)
      facts.set(`fetches landed in ${dataset.id}`, countSeqs((await landedIn(context, dataset, feed.id)).seqs))
    }
  }
  return facts
}
