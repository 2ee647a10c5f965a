import { derivations } from '../../../jobs/derive/catalog.ts'
import { shareDeriver } from '../../../jobs/derive/sharing.ts'
import { feeds } from '../../../jobs/feeds/catalog.ts'
import type { PipelineStep } from '../../../jobs/ingest/context.ts'
import { openContext } from '../scratch/context.ts'

/** What a process derives: it owns a derivation and ends when that is built, or helps others until its input ends. */
export interface DeriveOrder {
  readonly folder: string
  readonly redisUrl: string
  /** Id of the derived dataset. */
  readonly into: string
  readonly isOwner: boolean
  /** DuckDB's threads, and its memory in bytes. */
  readonly threads: number
  readonly memory: number
  /** The step at which it is killed. */
  readonly diesAt?: PipelineStep
}

/** What a process built. */
export interface DeriveReport {
  readonly made: readonly string[]
  readonly ms: number
  /** Greatest memory of the process, MB. */
  readonly peak_mb: number
}

// A worker's part that derives, in a process of its own. It prints `ready`, waits for a line, and prints a report at its end.
const order = JSON.parse(process.argv[2] as string) as DeriveOrder
const context = await openContext({
  ...{ folder: order.folder, redisUrl: order.redisUrl, idKey: Buffer.alloc(32), logLevel: 'silent' },
  engine: { threads: order.threads, memory: order.memory, spill: 8 * 1024 ** 3, slots: 1 },
  onStep: (step) => {
    if (step === order.diesAt) process.kill(process.pid, 'SIGKILL')
  },
})
const made: string[] = []
const info = context.log.info.bind(context.log)
context.log.info = ((fields: { readonly made?: readonly string[] }, text: string) => {
  if (text === 'derived') made.push(...(fields.made ?? []))
  info(fields, text)
}) as typeof context.log.info
const ending = new AbortController()
const ended = new Promise<void>((resolve) => process.stdin.once('end', resolve))
const deriver = shareDeriver(context, {
  ...{ redisUrl: order.redisUrl, derivations, feeds, signal: ending.signal },
  isOwned: ({ into }) => order.isOwner && into.id === order.into,
  inTurn: (work) => work(),
})
await deriver.listening
process.stdout.write('ready\n')
await new Promise((resolve) => process.stdin.once('data', resolve))
const began = performance.now()
if (order.isOwner) await deriver.all(ending.signal)
else await ended
ending.abort()
await deriver.close()
const report: DeriveReport = { made, ms: Math.round(performance.now() - began), peak_mb: Math.round(process.resourceUsage().maxRSS / 1000) }
process.stdout.write(`${JSON.stringify(report)}\n`)
await context.close()
process.exit(0)
