import { writeSync } from 'node:fs'
import { feedById } from '../../../jobs/feeds/catalog.ts'
import { listFiles } from '../../../jobs/ingest/archive.ts'
import { backfill } from '../../../jobs/ingest/backfill.ts'
import { makeRunner } from '../../../jobs/ingest/runner.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import type { BackfillOrder, BackfillReport } from './backfill-order.ts'
import { openContext } from './context.ts'

// A backfill in a separate process, run like scripts/backfill; it kills itself where its order says.
const order = JSON.parse(process.argv[2] as string) as BackfillOrder
let come = 0

// The process that ordered it has ended.
process.once('disconnect', () => process.exit(1))
const context = await openContext({
  ...order,
  now: Date.now,
  onStep: (step) => {
    if (step === order.halt?.at && ++come === order.halt.nth) process.kill(process.pid, 'SIGKILL')
  },
})
const feed = feedById(order.archive.feed)
const runner = makeRunner(context)
const { signal } = new AbortController()
await prepareTables(context, feed.into)
writeSync(1, 'open\n')
const { files, gaps } = await listFiles(context, feed, { range: order.archive.range, signal })
const there = await runner.acceptedPeriods(feed)
const wanted = files.filter(({ period }) => !there.has(period))
const land = (): Promise<unknown> => runner.land(feed, signal)
const done = await backfill(runner, { feed, files: wanted, jobs: order.archive.jobs, signal, land })
await land()
const failures = done.flatMap(({ file, outcome }) =>
  outcome?.outcome === 'accepted' ? [] : [`${file.period}: ${outcome?.outcome} ${outcome?.reason}`],
)
process.send?.({ asked: done.length, gaps, failures } satisfies BackfillReport)
await context.close()
process.exit(0)
