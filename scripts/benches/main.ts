import { fork } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { FEED_PROCESS } from '../service/memory.ts'
import type { Step } from './child.ts'
import { BENCHES } from './list.ts'
import { type Bench, type Measured, type MemoryBench, median } from './measure.ts'
import { LAKE_SIZES, type LakeSize } from './scale.ts'
import { runScale } from './scale-main.ts'

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url))
/** Processes whose peak memory is compared with a limit. */
const MEMORY_ROUNDS = 5

const { values, positionals } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    lake: { type: 'string' },
    in: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
  allowPositionals: true,
})
if (values.help) {
  const lines = BENCHES.map(({ name, about }) => `  ${name.padEnd(28)}${about}`)
  const sizes = Object.keys(LAKE_SIZES).join('|')
  const scale = `--lake: times over generated readings of all of Madrid's sensors; a year is some 643 million, 6 GB of disk; --in keeps the lake in a folder, for the next run`
  process.stdout.write(
    `scripts/bench [--json] [name...]\nscripts/bench [--json] --lake ${sizes} [--in folder]\n\n${lines.join('\n')}\n\n${scale}\n`,
  )
  process.exit(0)
}
if (values.lake !== undefined) {
  if (!Object.hasOwn(LAKE_SIZES, values.lake) || positionals.length > 0) {
    process.stderr.write(`--lake is one of ${Object.keys(LAKE_SIZES).join(', ')}, without names of benches\n`)
    process.exit(2)
  }
  await runScale(values.lake as LakeSize, { json: values.json, keptIn: values.in ?? null })
  process.exit()
}
const unknown = positionals.filter((name) => !BENCHES.some((bench) => bench.name === name))
if (unknown.length > 0) {
  process.stderr.write(`no bench ${unknown.join(', ')}; there are ${BENCHES.map(({ name }) => name).join(', ')}\n`)
  process.exit(2)
}
for (const bench of BENCHES) {
  if (positionals.length > 0 && !positionals.includes(bench.name)) continue
  const line = 'run' in bench ? await runMemory(bench) : await runBench(bench)
  process.stdout.write(values.json ? `${JSON.stringify(line)}\n` : `${asText(line)}\n`)
  if (!line.ok) process.exitCode = 1
}

interface Line {
  readonly name: string
  readonly ratio: number
  readonly limit: number
  readonly ok: boolean
  readonly spread: number
  readonly rss_mb: number
  /** How long a process took whose memory was measured, with its start, s. */
  readonly process_s?: number
  /** Absent where it is memory that was measured. */
  readonly measured_ms?: number
  readonly reference_ms?: number
  readonly parts_ms?: Readonly<Record<string, number>>
}

async function runMemory(bench: MemoryBench): Promise<Line> {
  const peaks: number[] = []
  const times: number[] = []
  const made = await mkdtemp(join(tmpdir(), 'traffic-bench-'))
  try {
    if (bench.setUp) await inChild(bench, 'set-up', made)
    for (let round = 0; round < (bench.rounds ?? MEMORY_ROUNDS); round++) {
      const folder = await mkdtemp(join(tmpdir(), 'traffic-bench-'))
      try {
        const began = performance.now()
        const { rss_mb } = (await inChild(bench, 'memory', folder, made)) as { rss_mb: number }
        times.push(performance.now() - began)
        peaks.push(rss_mb)
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    }
  } finally {
    await rm(made, { recursive: true, force: true })
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

async function runBench(bench: Bench): Promise<Line> {
  const folder = await mkdtemp(join(tmpdir(), 'traffic-bench-'))
  try {
    if (bench.setUp) await inChild(bench, 'set-up', folder)
    const { ratio, spread, measured_ms, reference_ms, told } = (await inChild(bench, 'ratio', folder)) as Measured
    const { rss_mb } = told ? { rss_mb: told.peak_mb } : ((await inChild(bench, 'memory', folder)) as { rss_mb: number })
    const within = bench.atLeast ? ratio >= bench.limit : ratio <= bench.limit
    const isFast = within || measured_ms - reference_ms <= (bench.orWithin_ms ?? 0) || measured_ms <= (bench.orAtMost_ms ?? 0)
    const ok = isFast && rss_mb <= (bench.limit_mb ?? Number.POSITIVE_INFINITY)
    return {
      name: bench.name,
      ratio: rounded(ratio),
      limit: bench.limit,
      ok,
      spread: rounded(spread),
      rss_mb: Math.round(rss_mb),
      measured_ms: rounded(measured_ms),
      reference_ms: rounded(reference_ms),
      ...(told ? { parts_ms: Object.fromEntries(Object.entries(told.parts_ms).map(([name, ms]) => [name, rounded(ms)])) } : {}),
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function inChild(bench: Bench | MemoryBench, step: Step, ...folders: readonly string[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    // Memory counts as the worker runs; speed as any process does.
    const how =
      'run' in bench && step === 'memory' ? { execArgv: [...FEED_PROCESS.flags], env: { ...process.env, ...FEED_PROCESS.env } } : {}
    const child = fork(CHILD, [bench.name, step, ...folders], how)
    let answer: { readonly found: unknown } | null = null
    child.on('message', (found) => {
      answer = { found }
    })
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      if (code === 0 && answer) resolve(answer.found)
      else reject(new Error(`bench ${bench.name}, ${step}: ended with ${signal ?? code}`))
    })
  })
}

function rounded(value: number): number {
  return Number(value.toPrecision(3))
}

function asText({ name, ratio, limit, ok, spread, rss_mb, process_s, measured_ms, reference_ms, parts_ms }: Line): string {
  const bench = BENCHES.find((one) => one.name === name) as Bench | MemoryBench
  const atLeast = 'atLeast' in bench && bench.atLeast
  const orWithin = 'orWithin_ms' in bench ? ` or +${bench.orWithin_ms} ms` : 'orAtMost_ms' in bench ? ` or ${bench.orAtMost_ms} ms` : ''
  const parts = parts_ms
    ? ` (${Object.entries(parts_ms)
        .map(([part, ms]) => `${part} ${ms}`)
        .join(', ')})`
    : ''
  const times = measured_ms === undefined ? `, ${process_s} s` : `, ${measured_ms} ms${parts} against ${reference_ms} ms`
  const most_mb = bench.limit_mb === undefined || !('limit' in bench) ? '' : ` (at most ${bench.limit_mb})`
  const found = `${ratio} (${atLeast ? 'at least' : 'at most'} ${limit}${orWithin}), spread ${spread}${times}, ${rss_mb} MB${most_mb}`
  return `${ok ? 'ok  ' : 'MISS'} ${name}: ${found} · ${bench.about}`
}
