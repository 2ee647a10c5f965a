import { writeSync } from 'node:fs'
import { filledBy } from '../../jobs/derive/define.ts'
import { derive } from '../../jobs/derive/derive.ts'
import { riskDerived } from '../../jobs/derive/safety/risk.ts'
import { feeds } from '../../jobs/feeds/catalog.ts'
import { prepareTables } from '../../jobs/upkeep/tasks.ts'
import type { ObjectStore } from '../../lake/store/store.ts'
import { openContext } from './context.ts'
import { MODEL_NOW, type ModelOrder, type ModelTold } from './model-order.ts'

// A model that is run in a process of its own, which kills itself where its order says.
const order = JSON.parse(process.argv[2] as string) as ModelOrder
let come = 0

// Who ordered it is gone.
process.once('disconnect', () => process.exit(1))
const context = await openContext({ ...order, publishers: null, now: () => MODEL_NOW, onStep: reach })
await prepareTables(context, [...riskDerived.from, ...filledBy(riskDerived)])
// That of a process that was killed runs out by itself, in longer than one lives here.
await context.redis.del(`lock:derive:${riskDerived.into.id}`)
writeSync(1, 'open\n')
const signal = new AbortController().signal
const { made } = await derive({ ...context, store: watched(context.store) }, riskDerived, { feeds, signal })
process.send?.({ made } satisfies ModelTold)
await context.close()
process.exit(0)

function reach(step: string): void {
  if (step === order.halt?.at && ++come === order.halt.nth) process.kill(process.pid, 'SIGKILL')
}

/** A store that tells when a file of a model is there. */
function watched(store: ObjectStore): ObjectStore {
  const told =
    <A extends readonly [string, ...unknown[]], R>(write: (...args: A) => Promise<R>, step: string) =>
    async (...args: A): Promise<R> => {
      const done = await write(...args)
      if (args[0].startsWith('models/')) reach(step)
      return done
    }
  return { ...store, put: told(store.put, 'version-kept'), putIfAbsent: told(store.putIfAbsent, 'logged') }
}
