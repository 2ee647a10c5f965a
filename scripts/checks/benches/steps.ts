import { type AnyBench, measure } from './measure.ts'
import { checkDone, runOnce } from './work.ts'

/** The steps of a bench, each in a separate process. */
export type Step = 'set-up' | 'ratio' | 'memory' | 'size'

/** The message of a child process: the result of the step, or the reason of its failure. */
export type Answer = { readonly found: unknown } | { readonly failed: string }

const MEMORY_RUNS = 3

/** Runs one step of a bench in a folder; `made` is the folder that the set-up of a memory bench filled. */
export async function runStep(bench: AnyBench, step: Step, folder: string, made: string): Promise<unknown> {
  if ('size' in bench) return bench.size()
  if (step === 'set-up') return (await bench.setUp?.(folder)) ?? null
  if ('run' in bench) {
    checkDone(bench.name, await bench.run(folder, made), bench.expected)
    return { rss_mb: peakMemory() }
  }
  const pair = await bench.open(folder, { only: step === 'memory' })
  try {
    if (step === 'ratio') return await measure(bench, pair)
    for (let run = 0; run < MEMORY_RUNS; run++) await runOnce('the measured work', pair.measured)
    return { rss_mb: peakMemory() }
  } finally {
    await pair.close()
  }
}

function peakMemory(): number {
  return process.resourceUsage().maxRSS / 1024
}
