import { BENCHES } from './list.ts'
import { type Bench, type MemoryBench, measure } from './measure.ts'

/** What a bench's child process is asked to do. */
export type Step = 'set-up' | 'ratio' | 'memory'

/** Runs in a process of its own, so that nothing else is in its memory: does one step of one bench and sends what it found. */
const [, , name, step, folder, made = folder] = process.argv as [string, string, string, Step, string, string?]
const bench = BENCHES.find((one) => one.name === name)
if (!bench || !process.send) throw new Error(`child.ts is started by main.ts; no bench ${name}`)
process.send(await run(bench, step, folder))
process.disconnect()

async function run(bench: Bench | MemoryBench, step: Step, folder: string): Promise<unknown> {
  if (step === 'set-up') return (await bench.setUp?.(folder)) ?? null
  if ('run' in bench) {
    await bench.run(folder, made)
    return { rss_mb: process.resourceUsage().maxRSS / 1024 }
  }
  const pair = await bench.open(folder, { only: step === 'memory' })
  try {
    if (step === 'ratio') return await measure(bench, pair)
    for (let run = 0; run < 3; run++) await pair.measured()
    return { rss_mb: process.resourceUsage().maxRSS / 1024 }
  } finally {
    await pair.close()
  }
}
