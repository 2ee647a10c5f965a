import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AnyBench, type Bench, type Measured, type MemoryBench, median, type Step } from './measure.ts'

/** Processes whose peak memory is compared with a limit. */
const MEMORY_ROUNDS = 5

/** Runs a step of a bench over folders and returns its result; throws if it failed. */
export type StepRunner = (bench: AnyBench, step: Step, ...folders: readonly string[]) => Promise<unknown>

/** The output line of a bench; of one whose work or reference failed: its error. */
export interface Line {
  readonly name: string
  readonly ok: boolean
  readonly error?: string
  readonly ratio?: number
  readonly limit?: number
  readonly spread?: number
  /** Peak memory, or the size that was measured, MB; absent if it has no limit. */
  readonly rss_mb?: number
  /** Run time of a process whose memory was measured, including its start, s. */
  readonly process_s?: number
  readonly measured_ms?: number
  readonly reference_ms?: number
  readonly parts_ms?: Readonly<Record<string, number>>
  readonly note?: string
}

/** The folder with the input of a bench; benches in a row with the same `setUp` share it. */
export class Inputs {
  readonly #step: StepRunner
  #setUp: Bench['setUp'] | null = null
  #folder: string | null = null

  constructor(step: StepRunner) {
    this.#step = step
  }

  /** The folder for a bench, in which its `setUp` has run. */
  async of(bench: AnyBench): Promise<string> {
    if (this.#folder !== null && bench.setUp && bench.setUp === this.#setUp) return this.#folder
    await this.remove()
    const folder = await newFolder()
    this.#folder = folder
    if (bench.setUp) await this.#step(bench, 'set-up', folder)
    this.#setUp = bench.setUp
    return folder
  }

  /** Removes the folder. */
  async remove(): Promise<void> {
    if (this.#folder !== null) await rm(this.#folder, { recursive: true, force: true })
    this.#folder = null
    this.#setUp = null
  }
}

/** Runs a bench. A failed bench returns a line too, so that the others are run. */
export async function runBench(bench: AnyBench, step: StepRunner, inputs: Pick<Inputs, 'of'>): Promise<Line> {
  try {
    const folder = await inputs.of(bench)
    return 'run' in bench ? await memoryLine(bench, step, folder) : await ratioLine(bench, step, folder)
  } catch (error) {
    return { name: bench.name, ok: false, error: error instanceof Error ? error.message : String(error) }
  }
}

async function memoryLine(bench: MemoryBench, step: StepRunner, made: string): Promise<Line> {
  const peaks: number[] = []
  const times: number[] = []
  for (let round = 0; round < (bench.rounds ?? MEMORY_ROUNDS); round++) {
    const folder = await newFolder()
    try {
      const began = performance.now()
      peaks.push(checkedMemory(await step(bench, 'memory', folder, made)))
      times.push(performance.now() - began)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
  const peak = median(peaks)
  return {
    name: bench.name,
    ratio: rounded(peak / bench.limit_mb),
    limit: 1,
    ok: peak <= bench.limit_mb,
    spread: rounded(Math.max(...peaks.map((one) => Math.abs(one / peak - 1)))),
    rss_mb: Math.round(peak),
    process_s: rounded(median(times) / 1000),
  }
}

async function ratioLine(bench: Bench, step: StepRunner, folder: string): Promise<Line> {
  const { ratio, spread, measured_ms, reference_ms, parts_ms, peak_mb, note } = (await step(bench, 'ratio', folder)) as Measured
  const { limit, limit_mb, orWithin_ms = Number.NEGATIVE_INFINITY, orAtMost_ms = 0 } = bench
  const peak = limit_mb === undefined || peak_mb !== null ? peak_mb : await step(bench, 'memory', folder)
  const rss_mb = peak === null ? null : checkedMemory(peak)
  const within = bench.atLeast ? ratio >= limit : ratio <= limit
  const isFast = within || measured_ms - reference_ms <= orWithin_ms || measured_ms <= orAtMost_ms
  return {
    name: bench.name,
    ratio: rounded(ratio),
    limit,
    ok: isFast && (rss_mb ?? 0) <= (limit_mb ?? Number.POSITIVE_INFINITY),
    spread: rounded(spread),
    ...(rss_mb === null ? {} : { rss_mb: Math.round(rss_mb) }),
    measured_ms: rounded(measured_ms),
    reference_ms: rounded(reference_ms),
    ...(parts_ms ? { parts_ms: Object.fromEntries(Object.entries(parts_ms).map(([name, ms]) => [name, rounded(ms)])) } : {}),
    ...(note === null ? {} : { note }),
  }
}

/** Checks that a peak memory value is possible, MB. */
function checkedMemory(found: unknown): number {
  if (!(typeof found === 'number' && found > 0 && Number.isFinite(found))) throw new Error(`${found} MB is not a memory peak`)
  return found
}

function newFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'traffic-bench-'))
}

function rounded(value: number): number {
  return Number(value.toPrecision(3))
}

/** A line as text for people. */
export function asText(line: Line, bench: AnyBench): string {
  const { name, ratio, limit, ok, spread, rss_mb, process_s, measured_ms, reference_ms, parts_ms, note } = line
  if (line.error !== undefined) return `FAIL ${name}: ${line.error} · ${bench.about}`
  const atLeast = 'atLeast' in bench && bench.atLeast
  const orWithin = 'orWithin_ms' in bench ? ` or +${bench.orWithin_ms} ms` : 'orAtMost_ms' in bench ? ` or ${bench.orAtMost_ms} ms` : ''
  const parts = Object.entries(parts_ms ?? {}).map(([part, ms]) => `${part} ${ms}`)
  const found = [
    `${ratio} (${atLeast ? 'at least' : 'at most'} ${limit}${orWithin})`,
    `spread ${spread}`,
    measured_ms === undefined
      ? `${process_s} s`
      : `${measured_ms} ms${parts.length > 0 ? ` (${parts.join(', ')})` : ''} against ${reference_ms} ms`,
    ...(rss_mb === undefined ? [] : [`${rss_mb} MB${bench.limit_mb === undefined ? '' : ` (at most ${bench.limit_mb})`}`]),
    ...(note === undefined ? [] : [note]),
  ]
  return `${ok ? 'ok  ' : 'MISS'} ${name}: ${found.join(', ')} · ${bench.about}`
}
