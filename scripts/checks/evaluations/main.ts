import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Figure, Window } from '../../../models/figures.ts'
import { runCommand, say, table, type Values } from '../../commands/output.ts'
import { openScratchLake } from '../scratch/lake.ts'
import { evaluateFuel } from './fuel.ts'
import { evaluateRisk } from './risk.ts'
import { evaluateRoads } from './roads.ts'
import { evaluateTraffic } from './traffic.ts'

/** Models that can be evaluated. */
const MODELS = { fuel: evaluateFuel, traffic: evaluateTraffic, risk: evaluateRisk, roads: evaluateRoads } as const
const CAPTURES = join(import.meta.dirname, '../../../shared/feeds')
const DAY = /^\d{4}-\d{2}-\d{2}$/
const USAGE = `scripts/evaluate <model> [--data <folder>] [--test <from>:<to>] [--json]

Evaluates a model out of sample against simple baselines; each forecast uses only earlier data. Models: ${Object.keys(MODELS).join(', ')}.
  --data   folder of files in the layouts of the captures, for roads of GeoPackages (the simulated network without any); ../shared/feeds by default; without that default folder nothing is measured
  --test   days of the outcomes, both inclusive; by default the last 104 weeks (fuel), 2023-03 to 05 and 06 to 08 (traffic), the newest year (risk)
  --json   a line of JSON for each figure
What cannot be measured is reported on standard error. The exit code is 1 if a figure misses its limit, if there are no figures, or if the arguments are wrong.`

/** True for an existing day: 30 February is none. */
function isDay(text: string): boolean {
  const at = DAY.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}

function windowOf(text: string | undefined): Window | null {
  if (text === undefined) return null
  const [from = '', to = '', more] = text.split(':')
  for (const day of [from, to])
    if (!isDay(day) || more !== undefined) throw new Error(`--test ${text}: expected two valid days, such as 2022-07-11:2024-07-01`)
  if (to < from) throw new Error(`--test ${text}: the second day is before the first`)
  return { from, to }
}

function limitText({ limit }: Figure): string {
  if (limit === null) return ''
  return [...(limit.min === undefined ? [] : [`≥ ${limit.min}`]), ...(limit.max === undefined ? [] : [`≤ ${limit.max}`])].join(' ')
}

const OPTIONS = { data: { type: 'string' }, test: { type: 'string' }, json: { type: 'boolean', default: false } } as const

async function main([name, ...more]: readonly string[], values: Values<typeof OPTIONS>): Promise<void> {
  if (name === undefined) throw new Error(`name a model: ${Object.keys(MODELS).join(', ')}; see --help`)
  if (more.length > 0) throw new Error(`one model at a time: ${name}, without ${more.join(', ')}`)
  if (!Object.hasOwn(MODELS, name)) throw new Error(`no model ${name}; the models are ${Object.keys(MODELS).join(', ')}`)
  const window = windowOf(values.test)
  const data = values.data ?? CAPTURES
  if (values.data === undefined && !existsSync(data)) return say(`skipped: there are no captures in ${data}; --data names another folder`)
  if (!statSync(data, { throwIfNoEntry: false })?.isDirectory()) throw new Error(`--data ${data}: no such folder`)
  const folder = mkdtempSync(join(tmpdir(), 'evaluate-'))
  const lake = await openScratchLake(folder)
  try {
    const report = (line: string): void => void process.stderr.write(`${line}\n`)
    const figures = await MODELS[name as keyof typeof MODELS](lake, { data, window, say: report })
    if (figures.length === 0)
      throw new Error(`${name}: nothing to measure in ${data}${window ? ` from ${window.from} to ${window.to}` : ''}`)
    if (values.json) for (const figure of figures) say(JSON.stringify(figure))
    else
      say(
        table(
          ['series', 'window', 'horizon', 'metric', 'value', 'baseline', 'limit', 'ok', 'points'],
          figures.map((one) => [
            ...[one.series, one.window, one.horizon, one.metric, one.value.toFixed(4), one.baseline?.toFixed(4) ?? '', limitText(one)],
            ...[one.limit === null ? '' : one.ok ? 'yes' : 'NO', one.points],
          ]),
        ),
      )
    if (figures.some(({ ok }) => !ok)) process.exitCode = 1
  } finally {
    await lake.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

await runCommand({ usage: USAGE, options: OPTIONS }, main)
