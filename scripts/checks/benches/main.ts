import { fork } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runCommand, type Values } from '../../commands/output.ts'
import { openReport } from '../../commands/progress.ts'
import { FEED_PROCESS } from '../../service/processes.ts'
import { inputsIn } from './inputs.ts'
import { type AnyBench, asText, runBench, runStep, type Step } from './measure.ts'
import type { LakeSize } from './scale.ts'

/** The message of a process that runs a step: the result, or the reason of its failure. */
type Answer = { readonly found: unknown } | { readonly failed: string }

/** Benches that make what the queries of a lake need. */
const ROLL_UPS: readonly string[] = ['scale/hours', 'scale/roll-up']
const SIZES = ['week', 'month', 'year'] satisfies LakeSize[]
const USAGE = `scripts/bench [--json] [name...]
scripts/bench [--json] --lake ${SIZES.join('|')} [--in folder] [name...]
`
const SCALE = `--lake: times queries of generated readings of all of Madrid's sensors; a year has some 643 million, 6 GB of disk; --in stores the lake in a folder for the next run`
const OPTIONS = { json: { type: 'boolean', default: false }, lake: { type: 'string' }, in: { type: 'string' } } as const

if (process.send) await runInChild()
else await runCommand({ usage, options: OPTIONS }, runAll)

async function usage(): Promise<string> {
  const { BENCHES } = await import('./list.ts')
  return `${USAGE}\n${BENCHES.map(({ name, about }) => `  ${name.padEnd(30)}${about}`).join('\n')}\n\n${SCALE}`
}

async function runAll(named: readonly string[], values: Values<typeof OPTIONS>): Promise<void> {
  const { lake } = values
  if (lake !== undefined && !(SIZES as string[]).includes(lake)) throw new Error(`--lake must be one of ${SIZES.join(', ')}`)
  // Passed to the processes that measure; the benches read it when they are imported.
  if (lake !== undefined) process.env['LAKE_SIZE'] = lake
  const { BENCHES } = await import('./list.ts')
  const benches = BENCHES.filter(({ name }) => name.startsWith('scale/') === (lake !== undefined))
  /** True for the bench of a name, and for all of a group: `list` has `list/incidents`. */
  const isNamed = (bench: AnyBench, name: string): boolean => bench.name === name || bench.name.startsWith(`${name}/`)
  const unknown = named.filter((name) => !benches.some((bench) => isNamed(bench, name)))
  if (unknown.length > 0) throw new Error(`no bench ${unknown.join(', ')}; the benches are ${benches.map(({ name }) => name).join(', ')}`)
  const asked = benches.filter((bench) => named.length === 0 || named.some((name) => isNamed(bench, name)))
  // Queries of a lake need its roll-ups.
  const needed = asked.some(({ name }) => name.startsWith('scale/') && name !== 'scale/hours' && name !== 'scale/two-workers')
    ? ROLL_UPS
    : []
  const isWanted = (bench: AnyBench): boolean => asked.includes(bench) || needed.includes(bench.name)
  const folder = await mkdtemp(join(tmpdir(), 'traffic-bench-'))
  const input = inputsIn(folder, inChild, lake === undefined || values.in === undefined ? null : join(values.in, lake))
  const wanted = benches.filter(isWanted)
  const report = openReport('bench', values.json)
  const progress = report.start('bench', { unit: 'benches', total: wanted.length })
  const missed: string[] = []
  try {
    for (const bench of wanted) {
      progress.add(0, bench.name)
      const line = await runBench(bench, { step: inChild, input, folder })
      report.print(asText(line, bench), line)
      if (!line.ok) missed.push(bench.name)
      progress.add(1, `${missed.length} missed`)
    }
    if (missed.length > 0) process.exitCode = 1
  } finally {
    progress.end()
    await rm(folder, { recursive: true, force: true })
  }
  const again = `scripts/bench${lake === undefined ? '' : ` --lake ${lake}`} ${missed.join(' ')}`
  const next = missed.length > 0 ? [`${again} on a machine without other work`] : ['scripts/check-load measures the whole service']
  report.finish({ lines: [], facts: { benches: wanted.length, missed }, next })
}

/** Runs one step of one bench in a separate process, so that its memory contains nothing else. */
function inChild(bench: AnyBench, step: Step, ...folders: readonly string[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    // Memory that has a limit is measured with the worker's flags, speed with Node's defaults.
    const how =
      step === 'memory' && !bench.name.startsWith('scale/')
        ? { execArgv: [...FEED_PROCESS.flags], env: { ...process.env, ...FEED_PROCESS.env } }
        : {}
    const child = fork(fileURLToPath(import.meta.url), [bench.name, step, ...folders], how)
    let answer: Answer | null = null
    child.on('message', (message) => {
      answer = message as Answer
    })
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      if (answer && 'failed' in answer) reject(new Error(`${step}: ${answer.failed}`))
      else if (code === 0 && answer) resolve(answer.found)
      else reject(new Error(`${step}: the process ended with ${signal ?? code}`))
    })
  })
}

async function runInChild(): Promise<void> {
  const { BENCHES } = await import('./list.ts')
  const [, , name, step, folder, made = folder] = process.argv as [string, string, string, Step, string, string?]
  let answer: Answer
  try {
    answer = { found: await runStep(BENCHES.find((one) => one.name === name) as AnyBench, step, folder, made) }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
    answer = { failed: error instanceof Error ? error.message : String(error) }
  }
  // Resources that a failed step left open would keep the process alive.
  process.send?.(answer, () => ('failed' in answer ? process.exit(1) : process.disconnect()))
}
