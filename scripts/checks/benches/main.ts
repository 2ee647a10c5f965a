import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { FEED_PROCESS } from '../../commands/memory.ts'
import { asText, Inputs, runBench } from './lines.ts'
import type { AnyBench } from './measure.ts'
import { LAKE_SIZES, type LakeSize } from './scale.ts'
import { runScale } from './scale-main.ts'
import type { Answer, Step } from './steps.ts'

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url))

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
if (values.rows !== undefined && !/^[1-9]\d{0,9}$/.test(values.rows)) {
  process.stderr.write('--rows must be a whole number\n')
  process.exit(2)
}
// Passed to the processes that measure.
if (values.rows !== undefined) process.env['EXPORT_ROWS'] = values.rows
// Imported after the setting, which it reads.
const { BENCHES } = await import('./list.ts')
if (values.help) {
  const lines = BENCHES.map(({ name, about }) => `  ${name.padEnd(30)}${about}`)
  const sizes = Object.keys(LAKE_SIZES).join('|')
  const scale = `--lake: times queries of generated readings of all of Madrid's sensors; a year has some 643 million, 6 GB of disk; --in stores the lake in a folder for the next run`
  process.stdout.write(
    `scripts/bench [--json] [--rows n] [name...]\nscripts/bench [--json] --lake ${sizes} [--in folder]\n\n${lines.join('\n')}\n\n${scale}\n`,
  )
  process.exit(0)
}
if (values.lake !== undefined) {
  if (!Object.hasOwn(LAKE_SIZES, values.lake) || positionals.length > 0) {
    process.stderr.write(`--lake must be one of ${Object.keys(LAKE_SIZES).join(', ')}, without names of benches\n`)
    process.exit(2)
  }
  await runScale(values.lake as LakeSize, { json: values.json, keptIn: values.in ?? null })
  process.exit()
}
/** True for the bench of a name, and for all of a group: `analytic` has `analytic/fuel`. */
const isNamed = (bench: AnyBench, name: string): boolean => bench.name === name || bench.name.startsWith(`${name}/`)
const unknown = positionals.filter((name) => !BENCHES.some((bench) => isNamed(bench, name)))
if (unknown.length > 0) {
  process.stderr.write(`no bench ${unknown.join(', ')}; the benches are ${BENCHES.map(({ name }) => name).join(', ')}\n`)
  process.exit(2)
}
const inputs = new Inputs(inChild)
try {
  for (const bench of BENCHES) {
    if (positionals.length > 0 && !positionals.some((name) => isNamed(bench, name))) continue
    const line = await runBench(bench, inChild, inputs)
    process.stdout.write(values.json ? `${JSON.stringify(line)}\n` : `${asText(line, bench)}\n`)
    if (!line.ok) process.exitCode = 1
  }
} finally {
  await inputs.remove()
}

function inChild(bench: AnyBench, step: Step, ...folders: readonly string[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    // Memory that has a limit is measured with the worker's flags, speed with Node's defaults.
    const how =
      step === 'memory' && 'limit_mb' in bench ? { execArgv: [...FEED_PROCESS.flags], env: { ...process.env, ...FEED_PROCESS.env } } : {}
    const child = fork(CHILD, [bench.name, step, ...folders], how)
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
