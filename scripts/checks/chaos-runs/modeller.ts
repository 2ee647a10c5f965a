import { writeSync } from 'node:fs'
import { filledBy } from '../../../jobs/derive/define.ts'
import { derive } from '../../../jobs/derive/derive.ts'
import { riskDerived } from '../../../jobs/derive/safety/risk.ts'
import { feeds } from '../../../jobs/feeds/catalog.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { openContext } from './context.ts'
import { MODEL_NOW, type ModelOrder, type ModelReport } from './model-order.ts'

// A model in a separate process, which kills itself where its order says.
const order = JSON.parse(process.argv[2] as string) as ModelOrder
let come = 0

// The process that ordered it has ended.
process.once('disconnect', () => process.exit(1))
const context = await openContext({ ...order, publishers: null, now: () => MODEL_NOW, onStep: reach })
await prepareTables(context, [...riskDerived.from, ...filledBy(riskDerived)])
// The lock of a killed process would expire by itself, but later than the processes of this test live.
await context.redis.del(`lock:derive:${riskDerived.into.id}`)
writeSync(1, 'open\n')
const signal = new AbortController().signal
const { made } = await derive({ ...context, store: watched(context.store) }, riskDerived, { feeds, signal })
process.send?.({ made } satisfies ModelReport)
await context.close()
process.exit(0)

function reach(step: string): void {
  if (step === order.halt?.at && ++come === order.halt.nth) process.kill(process.pid, 'SIGKILL')
}

/** A store that reports each file that a model writes. */
function watched(store: ObjectStore): ObjectStore {
  const reporting =
    <A extends readonly [string, ...unknown[]], R>(write: (...args: A) => Promise<R>, step: string) =>
    async (...args: A): Promise<R> => {
      const done = await write(...args)
      if (args[0].startsWith('models/')) reach(step)
      return done
    }
  return { ...store, put: reporting(store.put, 'version-kept'), putIfAbsent: reporting(store.putIfAbsent, 'logged') }
}
