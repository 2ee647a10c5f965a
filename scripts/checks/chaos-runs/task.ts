import { writeSync } from 'node:fs'
import { openContext } from '../scratch/context.ts'
import type { TaskOrder } from './order.ts'
import { TASKS, type Task } from './tasks.ts'

// A task in a separate process, which kills itself where its order says.
const order = JSON.parse(process.argv[2] as string) as TaskOrder
const task = TASKS[order.task] as Task
let come = 0

// The process that ordered it has ended.
process.once('disconnect', () => process.exit(1))
const context = await openContext({ ...order, now: task.now, onStep: reach })
writeSync(1, 'open\n')
process.send?.(await task.run(context, reach))
await context.close()
process.exit(0)

function reach(step: string): void {
  if (step === order.halt?.at && ++come === order.halt.nth) process.kill(process.pid, 'SIGKILL')
}
