import { fork } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Step } from './child.ts'
import { BENCHES } from './list.ts'
import type { Bench, Measured } from './measure.ts'

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url))

const { values, positionals } = parseArgs({ options: { json: { type: 'boolean', default: false } }, allowPositionals: true })
const unknown = positionals.filter((name) => !BENCHES.some((bench) => bench.name === name))
if (unknown.length > 0) {
  process.stderr.write(`no bench ${unknown.join(', ')}; there are ${BENCHES.map(({ name }) => name).join(', ')}\n`)
  process.exit(2)
}
for (const bench of BENCHES) {
  if (positionals.length > 0 && !positionals.includes(bench.name)) continue
  const line = await runBench(bench)
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
  readonly measured_ms: number
  readonly reference_ms: number
}

async function runBench(bench: Bench): Promise<Line> {
  const folder = await mkdtemp(join(tmpdir(), 'traffic-bench-'))
  try {
    if (bench.setUp) await inChild(bench, 'set-up', folder)
    const { ratio, spread, measured_ms, reference_ms } = (await inChild(bench, 'ratio', folder)) as Measured
    const { rss_mb } = (await inChild(bench, 'memory', folder)) as { rss_mb: number }
    const within = bench.atLeast ? ratio >= bench.limit : ratio <= bench.limit
    const ok = within || measured_ms - reference_ms <= (bench.orWithin_ms ?? 0)
    return {
      name: bench.name,
      ratio: rounded(ratio),
      limit: bench.limit,
      ok,
      spread: rounded(spread),
      rss_mb: Math.round(rss_mb),
      measured_ms: rounded(measured_ms),
      reference_ms: rounded(reference_ms),
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function inChild(bench: Bench, step: Step, folder: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const child = fork(CHILD, [bench.name, step, folder])
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

function asText({ name, ratio, limit, ok, spread, rss_mb, measured_ms, reference_ms }: Line): string {
  const bench = BENCHES.find((one) => one.name === name) as Bench
  const promise = `${bench.atLeast ? 'at least' : 'at most'} ${limit}${bench.orWithin_ms ? ` or +${bench.orWithin_ms} ms` : ''}`
  return `${ok ? 'ok  ' : 'MISS'} ${name}: ${ratio} (${promise}), spread ${spread}, ${measured_ms} ms against ${reference_ms} ms, ${rss_mb} MB · ${bench.about}`
}
