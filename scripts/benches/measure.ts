/** A piece of work; it may give the milliseconds that count where not all of its time does. */
export type Work = () => Promise<number | void>

/** What a run in a process of its own took: peak resident memory, MB, and ms by part. */
export interface Told {
  readonly peak_mb: number
  readonly parts_ms: Readonly<Record<string, number>>
}

/** What a bench compares, ready to run. */
export interface Pair {
  readonly measured: Work
  readonly reference: Work
  /** What the last measured run told of itself, where it ran in a process of its own: that one's peak memory (MB), and ms by its parts. */
  told?(): Told
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
  /** Rounds of one measured and one reference run; 7 unless told. */
  readonly rounds?: number
  /** Rounds before them that do not count; 2 unless told. */
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
  /** Processes whose memory is measured; 5 unless told. */
  readonly rounds?: number
  /** Makes what the work needs on disk, once, in a process of its own. */
  setUp?(made: string): Promise<void>
  /** The work, once, in a process and a folder of its own; `made` is the folder that `setUp` filled. */
  run(folder: string, made: string): Promise<void>
}

/** What rounds of a bench gave: the median of their ratios and how far the farthest round lies from it, relative. */
export interface Measured {
  readonly ratio: number
  readonly spread: number
  readonly measured_ms: number
  readonly reference_ms: number
  /** What the measured runs told of themselves: the greatest peak, the medians of the parts. Absent where they told nothing. */
  readonly told?: Told
}

const WARM_UPS = 2
const ROUNDS = 7

/** Runs a pair by turns, after warming up, so that what disturbs the machine disturbs both. For `atLeast` the ratio is of speeds. */
export async function measure(bench: Bench, pair: Pair): Promise<Measured> {
  const rounds: { measured: number; reference: number }[] = []
  const told: Told[] = []
  for (let round = -(bench.warmUps ?? WARM_UPS); round < (bench.rounds ?? ROUNDS); round++) {
    // Whoever runs second finds the machine as the first left it: they take turns at that too.
    const [measured, reference] = round % 2 === 0 ? [await timed(pair.measured), await timed(pair.reference)] : await reversed(pair)
    if (round < 0) continue
    rounds.push({ measured, reference })
    if (pair.told) told.push(pair.told())
  }
  const ratios = rounds.map(({ measured, reference }) => (bench.atLeast ? reference / measured : measured / reference))
  const ratio = median(ratios)
  return {
    ratio,
    spread: Math.max(...ratios.map((one) => Math.abs(one / ratio - 1))),
    measured_ms: median(rounds.map(({ measured }) => measured)),
    reference_ms: median(rounds.map(({ reference }) => reference)),
    ...(told.length > 0 ? { told: together(told) } : {}),
  }
}

function together(told: readonly Told[]): Told {
  const names = Object.keys(told[0]?.parts_ms ?? {})
  return {
    peak_mb: Math.max(...told.map(({ peak_mb }) => peak_mb)),
    parts_ms: Object.fromEntries(names.map((name) => [name, median(told.map(({ parts_ms }) => parts_ms[name] as number))])),
  }
}

async function reversed({ measured, reference }: Pair): Promise<[measured: number, reference: number]> {
  const second = await timed(reference)
  return [await timed(measured), second]
}

async function timed(work: Work): Promise<number> {
  const began = performance.now()
  const counted = await work()
  return counted ?? performance.now() - began
}

/** The middle value; of an even number the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? (sorted[middle] as number) : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}
