import { checkDone, type Done, type Expected, type RunTime, runOnce, type Work } from './work.ts'

/** A reference that does no work: the time that the measured work may take. */
export interface TimeLimit {
  readonly limit_ms: number
}

/** What a bench compares, ready to run. */
export interface Pair {
  readonly measured: Work
  /** Null in the process whose memory counts, which runs only the measured work. */
  readonly reference: Work | TimeLimit | null
  /** Counts that both must have alike, where no number of them is known. */
  readonly alike?: readonly string[]
  /** Peak memory of the last measured run, MB, where it ran in a process of its own. */
  peak_mb?(): number
  close(): Promise<void>
}

/** A promise about speed: work that takes at most, or does at least, `limit` times what a reference does. */
export interface Bench {
  readonly name: string
  readonly about: string
  readonly limit: number
  /** True where the ratio has to reach the limit (requests per second) instead of staying below it (time). */
  readonly atLeast?: boolean
  /** Milliseconds that the measured work may take beyond the reference, whatever the ratio. */
  readonly orWithin_ms?: number
  /** Milliseconds that the measured work may take in all, whatever the ratio. */
  readonly orAtMost_ms?: number
  /** Peak memory that the measured work may take, MB. */
  readonly limit_mb?: number
  /** Rounds of one measured and one reference run; 7 by default. */
  readonly rounds?: number
  /** Rounds before them that do not count; 2 by default. */
  readonly warmUps?: number
  /** Makes what the work needs on disk, once, in a process of its own. */
  setUp?(folder: string): Promise<void>
  /** Opens the work. `only` is set in the process whose memory counts: it runs nothing but the measured work. */
  open(folder: string, options: { readonly only: boolean }): Promise<Pair>
}

/** A promise about memory: a process that only does this never takes more than so much. */
export interface MemoryBench {
  readonly name: string
  readonly about: string
  /** Peak resident memory, MB. */
  readonly limit_mb: number
  /** Processes whose memory is measured; 5 by default. */
  readonly rounds?: number
  /** What `run` must have done. */
  readonly expected: Expected
  /** Makes what the work needs on disk, once, in a process of its own. */
  setUp?(made: string): Promise<void>
  /** Does the work once, in a process and a folder of its own, and returns what it did; `made` is the folder that `setUp` filled. */
  run(folder: string, made: string): Promise<Done>
}

/** A promise about space: what something takes after a simulated time. */
export interface SizeBench {
  readonly name: string
  readonly about: string
  readonly limit_mb: number
  /** Makes it in a process of its own and returns its size, MB, and that of its parts. */
  size(): Promise<Sized>
}

/** What a size bench found, MB. */
export interface Sized {
  readonly mb: number
  readonly parts: Readonly<Record<string, number>>
}

/** Any promise. */
export type AnyBench = Bench | MemoryBench | SizeBench

/** What rounds of a bench gave: the median of their ratios and how far the farthest round lies from it, relative. */
export interface Measured {
  readonly ratio: number
  readonly spread: number
  readonly measured_ms: number
  readonly reference_ms: number
  /** Medians of the parts that the measured work names; null where it names none. */
  readonly parts_ms: Readonly<Record<string, number>> | null
  /** The greatest peak of the measured runs; null where they ran in the process that measures. */
  readonly peak_mb: number | null
}

const WARM_UPS = 2
const ROUNDS = 7

/**
 * Runs a pair by turns, after warming up, so that what disturbs the machine disturbs both. For `atLeast` the ratio is of speeds. Throws if a
 * run does not do what is expected of it.
 */
export async function measure(bench: Bench, pair: Pair): Promise<Measured> {
  const rounds: { measured: RunTime; reference: RunTime }[] = []
  const peaks: number[] = []
  for (let round = -(bench.warmUps ?? WARM_UPS); round < (bench.rounds ?? ROUNDS); round++) {
    // Whoever runs second finds the machine as the first left it: they take turns at that too.
    const [measured, reference] = round % 2 === 0 ? [await runMeasured(pair), await runReference(pair)] : await reversed(pair)
    for (const count of pair.alike ?? []) checkDone('the measured work', measured.done, { [count]: reference.done[count] ?? Number.NaN })
    if (round < 0) continue
    rounds.push({ measured, reference })
    if (pair.peak_mb) peaks.push(pair.peak_mb())
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

/** The middle value; of an even number the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? (sorted[middle] as number) : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}
