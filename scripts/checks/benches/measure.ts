import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** The result of a run as counts by name: rows written, replies received. Never a time. */
export type Done = Readonly<Record<string, number>>

/** The expected result of a run: each count exactly, or at least `min`. */
export type Expected = Readonly<Record<string, number | { readonly min: number }>>

/** Times parts of a run, if only some of its time counts. */
export interface Timer {
  /** Times a part; once one is timed, only parts count. */
  part<T>(work: () => Promise<T>): Promise<T>
}

/** Work whose time is measured. */
export interface Work {
  readonly expected: Expected
  /** Does the work once and returns its counts. All of its time counts unless it uses the timer. */
  run(timer: Timer): Promise<Done>
  /** A clock that replaces wall time, such as a server's processor time; ms so far. */
  clock?(): Promise<number>
  /** Repetitions of the timed operation in a run; 1 by default. */
  readonly repeats?: number
  /** True if the slowest hundredth of the parts counts instead of their sum. */
  readonly slowestHundredth?: boolean
}

/** The result and time of a run. */
interface RunTime {
  readonly done: Done
  readonly ms: number
}

/** Does work once and times it. Throws if its counts are not as expected, or if its time is impossible. */
export async function runOnce(name: string, work: Work): Promise<RunTime> {
  const parts: number[] = []
  const timer: Timer = {
    async part(one) {
      const from = performance.now()
      const result = await one()
      parts.push(performance.now() - from)
      return result
    },
  }
  const clock = work.clock ?? (async () => performance.now())
  const before = await clock()
  const done = await work.run(timer)
  const whole_ms = (await clock()) - before
  checkDone(name, done, work.expected)
  if (work.slowestHundredth) return { done, ms: checkedTime(name, slowestHundredth(parts)) }
  const ms = parts.length > 0 && !work.clock ? parts.reduce((sum, one) => sum + one, 0) : whole_ms
  return { done, ms: checkedTime(name, ms) / (work.repeats ?? 1) }
}

/** Throws if the counts are not as expected. */
export function checkDone(name: string, done: Done, expected: Expected): void {
  const counts = Object.entries(expected)
  if (counts.length === 0) throw new Error(`nothing is expected of ${name}`)
  for (const [what, wanted] of counts) {
    const found = done[what]
    const least = typeof wanted === 'number' ? wanted : wanted.min
    if (!(least > 0)) throw new Error(`${least} ${what} are expected of ${name}: the work could be left out`)
    const isDone = found !== undefined && (typeof wanted === 'number' ? found === wanted : found >= wanted.min)
    if (!isDone) throw new Error(`${name} did ${found ?? 'no'} ${what}, expected ${typeof wanted === 'number' ? '' : 'at least '}${least}`)
  }
}

function checkedTime(name: string, ms: number): number {
  if (!(ms > 0)) throw new Error(`${name} took ${ms} ms, which is no time`)
  return ms
}

function slowestHundredth(parts: readonly number[]): number {
  return [...parts].sort((one, other) => one - other)[Math.floor(parts.length * 0.99)] ?? Number.NaN
}

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
  close(): Promise<void>
}

/** What every bench states. */
interface Promised {
  readonly name: string
  readonly about: string
  /** Measured rounds, or processes whose memory is measured. */
  readonly rounds?: number
  /** Writes the work's input to disk, once, in a separate process. */
  setUp?(folder: string): Promise<void>
}

/** A promise about speed: the time (or speed) of the work is at most (or at least) `limit` times that of a reference. */
export interface Bench extends Promised {
  readonly limit: number
  /** True if the ratio must reach the limit (requests per second) instead of staying below it (time). */
  readonly atLeast?: boolean
  /** Milliseconds that the measured work may take in all, at any ratio. */
  readonly orAtMost_ms?: number
  /** Peak memory that the measured work may take, MB; measured in another process unless the pair gives it. */
  readonly limit_mb?: number
  /** Uncounted rounds before the others; 2 by default. */
  readonly warmUps?: number
  /** Opens the work. `only` is true in the process whose memory is measured: it runs only the measured work. */
  open(folder: string, options: { readonly only: boolean }): Promise<Pair>
}

/** A promise about memory or space: a process that only does this work never exceeds the limit, or its result does not. */
export interface MemoryBench extends Promised {
  /** Peak resident memory, or the size that `run` returns as `mb`, MB. */
  readonly limit_mb: number
  readonly expected: Expected
  /** Does the work once, in a process and folder of its own, and returns its counts; `made` is the folder that `setUp` filled. */
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
  /** The highest peak of the measured runs; null if they ran in the measuring process. */
  readonly peak_mb: number | null
}

/** The output line of a bench; of one whose work or reference failed: its error. Times in ms, memory in MB. */
export interface Line extends Partial<Omit<Measured, 'peak_mb'>> {
  readonly name: string
  readonly ok: boolean
  readonly error?: string
  readonly limit?: number
  /** Peak memory, or the size that was measured; absent if it has no limit. */
  readonly rss_mb?: number
}

/** The steps of a bench, each in a separate process. */
export type Step = 'set-up' | 'ratio' | 'memory'

/** Runs a step of a bench over folders and returns its result; throws if it failed. */
export type StepRunner = (bench: AnyBench, step: Step, ...folders: readonly string[]) => Promise<unknown>

const WARM_UPS = 2
const ROUNDS = 7
const MEMORY_ROUNDS = 5
/** Runs of the measured work of a bench in the process whose memory is measured. */
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
export async function measure(bench: Bench, { measured: work, reference, alike = [], peak_mb }: Pair): Promise<Measured> {
  if (reference === null) throw new Error('there is no reference in this process')
  const runs = {
    measured: () => runOnce('the measured work', work),
    reference: async () => ('limit_ms' in reference ? { done: {}, ms: reference.limit_ms } : await runOnce('the reference', reference)),
  }
  const rounds: { readonly measured: RunTime; readonly reference: RunTime }[] = []
  const peaks: number[] = []
  for (let round = -(bench.warmUps ?? WARM_UPS); round < (bench.rounds ?? ROUNDS); round++) {
    // The second run finds the machine as the first one left it, so their order alternates.
    const early = round % 2 === 0 ? null : await runs.reference()
    const measured = await runs.measured()
    const reference = early ?? (await runs.reference())
    for (const count of alike) checkDone('the measured work', measured.done, { [count]: reference.done[count] ?? Number.NaN })
    if (round < 0) continue
    rounds.push({ measured, reference })
    if (peak_mb) peaks.push(await peak_mb())
  }
  const ratios = rounds.map(({ measured, reference }) => (bench.atLeast ? reference.ms / measured.ms : measured.ms / reference.ms))
  return {
    ...middleOf(ratios, 'ratio'),
    measured_ms: median(rounds.map(({ measured }) => measured.ms)),
    reference_ms: median(rounds.map(({ reference }) => reference.ms)),
    peak_mb: peaks.length > 0 ? Math.max(...peaks) : null,
  }
}

/** Runs a bench over its input, in a folder. A failed bench returns a line too, so that the others are run. */
export async function runBench(
  bench: AnyBench,
  { step, input, folder }: { readonly step: StepRunner; readonly folder: string; input(bench: AnyBench): Promise<string> },
): Promise<Line> {
  const { name } = bench
  try {
    const made = await input(bench)
    if (!('run' in bench)) return await ratioLine(bench, made, step)
    const peaks: number[] = []
    for (let round = 0; round < (bench.rounds ?? MEMORY_ROUNDS); round++) {
      const own = await mkdtemp(join(folder, 'run-'))
      peaks.push(checkedMemory(await step(bench, 'memory', own, made)))
      await rm(own, { recursive: true, force: true })
    }
    const { peak, spread } = middleOf(peaks, 'peak')
    const [ok, ratio] = [peak <= bench.limit_mb, rounded(peak / bench.limit_mb)]
    return { name, ok, ratio, limit: 1, spread: rounded(spread), rss_mb: Math.round(peak) }
  } catch (error) {
    return { name, ok: false, error: error instanceof Error ? error.message : String(error) }
  }
}

async function ratioLine(bench: Bench, folder: string, step: StepRunner): Promise<Line> {
  const { peak_mb, ...measured } = (await step(bench, 'ratio', folder)) as Measured
  const { name, limit, limit_mb, orAtMost_ms = 0 } = bench
  const peak = limit_mb === undefined || peak_mb !== null ? peak_mb : await step(bench, 'memory', folder)
  const rss_mb = peak === null ? null : Math.round(checkedMemory(peak))
  const isFast = (bench.atLeast ? measured.ratio >= limit : measured.ratio <= limit) || measured.measured_ms <= orAtMost_ms
  const ok = isFast && (rss_mb ?? 0) <= (limit_mb ?? Number.POSITIVE_INFINITY)
  const figures = Object.fromEntries(Object.entries(measured).map(([figure, value]) => [figure, rounded(value)]))
  return { name, ok, limit, ...figures, ...(rss_mb === null ? {} : { rss_mb }) }
}

/** The median, and the largest relative deviation from it. */
function middleOf<N extends string>(values: readonly number[], name: N): Record<N | 'spread', number> {
  if (values.length === 0) throw new Error('no round was run')
  const middle = median(values)
  const spread = Math.max(...values.map((one) => Math.abs(one / middle - 1)))
  return { [name]: middle, spread } as Record<N | 'spread', number>
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const half = sorted.length / 2
  return ((sorted[Math.ceil(half) - 1] as number) + (sorted[Math.floor(half)] as number)) / 2
}

/** Checks that a peak memory value is possible, MB. */
function checkedMemory(found: unknown): number {
  if (!(typeof found === 'number' && found > 0 && Number.isFinite(found))) throw new Error(`${found} MB is not a memory peak`)
  return found
}

function rounded(value: number): number {
  return Number(value.toPrecision(3))
}

/** A line as text for people. */
export function asText({ name, ratio, limit, ok, spread, rss_mb, measured_ms, reference_ms, error }: Line, bench: AnyBench): string {
  if (error !== undefined) return `FAIL ${name}: ${error} · ${bench.about}`
  const isAtLeast = 'atLeast' in bench && bench.atLeast
  const orAtMost = 'orAtMost_ms' in bench ? ` or ${bench.orAtMost_ms} ms` : ''
  const found = [
    `${ratio} (${isAtLeast ? 'at least' : 'at most'} ${limit}${orAtMost})`,
    `spread ${spread}`,
    ...(measured_ms === undefined ? [] : [`${measured_ms} ms against ${reference_ms} ms`]),
    ...(rss_mb === undefined ? [] : [`${rss_mb} MB${bench.limit_mb === undefined ? '' : ` (at most ${bench.limit_mb})`}`]),
  ]
  return `${ok ? 'ok  ' : 'MISS'} ${name}: ${found.join(', ')} · ${bench.about}`
}
