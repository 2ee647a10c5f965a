import { checkDone, type Done, type Expected, type RunTime, runOnce, type Work } from './work.ts'

/** A reference that does no work: the time limit of the measured work. */
export interface TimeLimit {
  readonly limit_ms: number
}

/** The two works that a bench compares, ready to run. */
export interface Pair {
  readonly measured: Work
  /** Null in a process that only measures memory. */
  readonly reference: Work | TimeLimit | null
  /** Counts that must be equal in both, if their numbers are unknown. */
  readonly alike?: readonly string[]
  /** Peak memory of the last measured run, MB, if it ran in another process. */
  peak_mb?(): number | Promise<number>
  /** What else the output states, such as the files that were read. */
  note?(): Promise<string>
  close(): Promise<void>
}

/** A promise about speed: the time (or speed) of the work is at most (or at least) `limit` times that of a reference. */
export interface Bench {
  readonly name: string
  readonly about: string
  readonly limit: number
  /** True if the ratio must reach the limit (requests per second) instead of staying below it (time). */
  readonly atLeast?: boolean
  /** Milliseconds that the measured work may take beyond the reference, at any ratio. */
  readonly orWithin_ms?: number
  /** Milliseconds that the measured work may take in all, at any ratio. */
  readonly orAtMost_ms?: number
  /** Peak memory that the measured work may take, MB; measured in another process unless the pair gives it. */
  readonly limit_mb?: number
  /** Rounds of one measured and one reference run; 7 by default. */
  readonly rounds?: number
  /** Uncounted rounds before them; 2 by default. */
  readonly warmUps?: number
  /** Writes the work's input to disk, once, in a separate process. */
  setUp?(folder: string): Promise<void>
  /** Opens the work. `only` is true in the process whose memory is measured: it runs only the measured work. */
  open(folder: string, options: { readonly only: boolean }): Promise<Pair>
}

/** A promise about memory or space: a process that only does this work never exceeds the limit, or its result does not. */
export interface MemoryBench {
  readonly name: string
  readonly about: string
  /** Peak resident memory, or the size that `run` returns as `mb`, MB. */
  readonly limit_mb: number
  /** Processes whose memory is measured; 5 by default. */
  readonly rounds?: number
  /** The expected result of `run`. */
  readonly expected: Expected
  /** Writes the work's input to disk, once, in a separate process. */
  setUp?(made: string): Promise<void>
  /**
   * Does the work once, in a separate process and folder, and returns the counts of what it did; `made` is the folder that
   * `setUp` filled.
   */
  run(folder: string, made: string): Promise<Done>
}

/** A bench of any kind. */
export type AnyBench = Bench | MemoryBench

/** The result of a bench's rounds: the median of their ratios, and the largest relative deviation from it. */
export interface Measured {
  readonly ratio: number
  readonly spread: number
  readonly measured_ms: number
  readonly reference_ms: number
  /** Medians of the named parts of the measured work; null if it names none. */
  readonly parts_ms: Readonly<Record<string, number>> | null
  /** The highest peak of the measured runs; null if they ran in the measuring process. */
  readonly peak_mb: number | null
  readonly note: string | null
}

/** The steps of a bench, each in a separate process. */
export type Step = 'set-up' | 'ratio' | 'memory'

const WARM_UPS = 2
const ROUNDS = 7
const MEMORY_RUNS = 3

/** Runs one step of a bench in a folder; `made` is the folder that the set-up of a memory bench filled. */
export async function runStep(bench: AnyBench, step: Step, folder: string, made: string): Promise<unknown> {
  if (step === 'set-up') return (await bench.setUp?.(folder)) ?? null
  if ('run' in bench) {
    const done = await bench.run(folder, made)
    checkDone(bench.name, done, bench.expected)
    return done['mb'] ?? peakMemory()
  }
  const pair = await bench.open(folder, { only: step === 'memory' })
  try {
    if (step === 'ratio') return await measure(bench, pair)
    for (let run = 0; run < MEMORY_RUNS; run++) await runOnce('the measured work', pair.measured)
    return peakMemory()
  } finally {
    await pair.close()
  }
}

function peakMemory(): number {
  return process.resourceUsage().maxRSS / 1024
}

/**
 * Runs a pair alternately, after warm-up rounds, so that disturbances affect both. For `atLeast` the ratio is of speeds. Throws
 * if a run's counts are not as expected.
 */
export async function measure(bench: Bench, pair: Pair): Promise<Measured> {
  const rounds: { measured: RunTime; reference: RunTime }[] = []
  const peaks: number[] = []
  for (let round = -(bench.warmUps ?? WARM_UPS); round < (bench.rounds ?? ROUNDS); round++) {
    // The second run finds the machine as the first one left it, so their order alternates.
    const [measured, reference] = round % 2 === 0 ? [await runMeasured(pair), await runReference(pair)] : await reversed(pair)
    for (const count of pair.alike ?? []) checkDone('the measured work', measured.done, { [count]: reference.done[count] ?? Number.NaN })
    if (round < 0) continue
    rounds.push({ measured, reference })
    if (pair.peak_mb) peaks.push(await pair.peak_mb())
  }
  if (rounds.length === 0) throw new Error('no round was run')
  const ratios = rounds.map(({ measured, reference }) => (bench.atLeast ? reference.ms / measured.ms : measured.ms / reference.ms))
  const ratio = median(ratios)
  return {
    ratio,
    spread: Math.max(...ratios.map((one) => Math.abs(one / ratio - 1))),
    measured_ms: median(rounds.map(({ measured }) => measured.ms)),
    reference_ms: median(rounds.map(({ reference }) => reference.ms)),
    parts_ms: medianParts(rounds.map(({ measured }) => measured.parts_ms)),
    peak_mb: peaks.length > 0 ? Math.max(...peaks) : null,
    note: (await pair.note?.()) ?? null,
  }
}

function runMeasured({ measured }: Pair): Promise<RunTime> {
  return runOnce('the measured work', measured)
}

async function runReference({ reference }: Pair): Promise<RunTime> {
  if (reference === null) throw new Error('there is no reference in this process')
  return 'limit_ms' in reference ? { done: {}, ms: reference.limit_ms, parts_ms: null } : runOnce('the reference', reference)
}

async function reversed(pair: Pair): Promise<[measured: RunTime, reference: RunTime]> {
  const second = await runReference(pair)
  return [await runMeasured(pair), second]
}

function medianParts(parts: readonly RunTime['parts_ms'][]): Measured['parts_ms'] {
  const named = parts.filter((one) => one !== null)
  if (named.length === 0) return null
  const names = Object.keys(named[0] as Record<string, number>)
  return Object.fromEntries(names.map((name) => [name, median(named.map((one) => one[name] as number))]))
}

/** The median; for an even number of values the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? (sorted[middle] as number) : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}
