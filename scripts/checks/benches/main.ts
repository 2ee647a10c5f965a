import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { FEED_PROCESS } from '../../commands/memory.ts'
import { asText, Inputs, runBench } from './lines.ts'
import { type AnyBench, runStep, type Step } from './measure.ts'
import type { LakeSize } from './scale.ts'

/** The message of a process that runs a step: the result, or the reason of its failure. */
type Answer = { readonly found: unknown } | { readonly failed: string }

const SIZES = ['week', 'month', 'year'] satisfies LakeSize[]
const USAGE = `scripts/bench [--json] [--rows n] [name...]
scripts/bench [--json] --lake ${SIZES.join('|')} [--in folder] [name...]
`
const SCALE = `--lake: times queries of generated readings of all of Madrid's sensors; a year has some 643 million, 6 GB of disk; --in stores the lake in a folder for the next run`

if (process.send) await runInChild()
else await runAll()

async function runAll(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      lake: { type: 'string' },
      in: { type: 'string' },
      rows: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
    allowPositionals: true,
  })
  const { lake, rows } = values
  if (rows !== undefined && !/^[1-9]\d{0,9}$/.test(rows)) return fail('--rows must be a whole number')
  if (lake !== undefined && !(SIZES as string[]).includes(lake)) return fail(`--lake must be one of ${SIZES.join(', ')}`)
  // Passed to the processes that measure; the benches read it when they are imported.
  if (rows !== undefined) process.env['EXPORT_ROWS'] = rows
  if (lake !== undefined) process.env['LAKE_SIZE'] = lake
  const { BENCHES } = await import('./list.ts')
  const { scaleInput } = await import('./scale.ts')
  const benches = BENCHES.filter(({ name }) => name.startsWith('scale/') === (lake !== undefined))
  if (values.help) {
    const lines = BENCHES.map(({ name, about }) => `  ${name.padEnd(30)}${about}`)
    process.stdout.write(`${USAGE}\n${lines.join('\n')}\n\n${SCALE}\n`)
    return
  }
  /** True for the bench of a name, and for all of a group: `analytic` has `analytic/readings`. */
  const isNamed = (bench: AnyBench, name: string): boolean => bench.name === name || bench.name.startsWith(`${name}/`)
  const unknown = positionals.filter((name) => !benches.some((bench) => isNamed(bench, name)))
  if (unknown.length > 0) return fail(`no bench ${unknown.join(', ')}; the benches are ${benches.map(({ name }) => name).join(', ')}`)
  const temporary = new Inputs(inChild)
  const inputs = lake === undefined || values.in === undefined ? temporary : scaleInput(values.in, inChild)
  try {
    for (const bench of benches) {
      // Queries of a lake need its roll-ups.
      const isNeeded = positionals.length === 0 || bench.name === 'scale/roll-up' || positionals.some((name) => isNamed(bench, name))
      if (!isNeeded) continue
      const line = await runBench(bench, inChild, inputs)
      process.stdout.write(values.json ? `${JSON.stringify(line)}\n` : `${asText(line, bench)}\n`)
      if (!line.ok) process.exitCode = 1
    }
  } finally {
    await temporary.remove()
  }
}

function fail(reason: string): void {
  process.stderr.write(`${reason}\n`)
  process.exitCode = 2
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
