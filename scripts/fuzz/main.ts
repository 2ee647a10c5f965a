import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { atExit } from '../chaos-runs/at-exit.ts'
import { fuzzPlan } from './plan.ts'
import { type FuzzedService, startFuzzedService } from './service.ts'

const HELP = `Sends requests to a service of its own that Schemathesis makes up from /openapi.json, valid and invalid, and holds every reply against it.

  scripts/check-fuzz [--seed n] [--max-examples n] [operation …]

  --seed n          repeats a run; another one each time unless told
  --max-examples n  requests of each operation in the random phase, 50 unless told; there are some 200 systematic ones besides
  operation         operationId of what is tested, such as incidents; all unless told
`
const SEED_MOST = 1_000_000

/** What Schemathesis reports of a run. */
interface Report {
  readonly operations: { readonly tested: number; readonly total: number; readonly errored: number }
  readonly test_cases: { readonly generated: number; readonly unique_failures: number }
}

/** What the hooks count. */
interface Figures {
  readonly statuses: Readonly<Record<string, number>>
  readonly refusals_beyond_schema: number
  /** Operations that were answered with anything but a refusal, by operationId. */
  readonly answered: readonly string[]
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130))
await main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
})

async function main(): Promise<void> {
  const { values, positionals: operations } = parseArgs({
    options: {
      seed: { type: 'string', default: String(randomInt(SEED_MOST)) },
      'max-examples': { type: 'string', default: '50' },
      help: { type: 'boolean', short: 'h', default: false },
    },
    allowPositionals: true,
  })
  if (values.help) return void process.stdout.write(HELP)
  const seed = count('--seed', values.seed, 0)
  const examples = count('--max-examples', values['max-examples'], 1)
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'fuzz-')))
  const callOff = atExit(() => rmSync(folder, { recursive: true, force: true }))
  try {
    await fuzz(folder, { seed, examples, operations })
  } finally {
    callOff()
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

async function fuzz(
  folder: string,
  asked: { readonly seed: number; readonly examples: number; readonly operations: readonly string[] },
): Promise<void> {
  const { seed, examples, operations } = asked
  const began = performance.now()
  say(`seed ${seed}; a service with the data of every feed is started ...`)
  const complaints: string[] = []
  const service = await startFuzzedService(folder, (line) => complaints.push(line))
  try {
    const [plan, figures, report] = ['plan.json', 'figures.json', 'report.json'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ]
    await writeFile(plan, JSON.stringify(await fuzzPlan(service, figures)))
    const tried = operations.length > 0 ? operations : await operationsOf(service)
    const code = await runSchemathesis(folder, plan, [
      ...['run', `${service.url}/openapi.json`, '--seed', String(seed), '--max-examples', String(examples)],
      ...['--checks', 'all', '--phases', 'examples,coverage,fuzzing,stateful', '--continue-on-failure', '--workers', '2'],
      ...['--generation-database', 'none', '--output-truncate', 'true', '--warnings', 'off', '--no-color'],
      ...['--report', 'json', '--report-json-path', report],
      // By name, as it leaves out that of the description itself where it may choose.
      ...tried.flatMap((id) => ['--include-operation-id', id]),
    ])
    const isUp = service.isUp()
    if (!isUp) say('the API did not survive')
    const { operations: of, test_cases } = JSON.parse(await readFile(report, 'utf8')) as Report
    const { statuses, refusals_beyond_schema, answered } = JSON.parse(await readFile(figures, 'utf8')) as Figures
    // Of an operation that only refuses nothing is known but how it does so.
    const never = tried.filter((id) => !answered.includes(id))
    const errors = complaints.filter((line) => isError(line))
    for (const line of errors.slice(0, 20)) say(`the API logged: ${line.slice(0, 2000)}`)
    if (never.length > 0) say(`never answered but with a refusal: ${never.join(', ')}`)
    say(`replies by status: ${JSON.stringify(statuses)}; ${refusals_beyond_schema} refusals of what no schema can say were right`)
    const seconds = Math.round((performance.now() - began) / 1000)
    const { tested, total, errored } = of
    say(
      `${tested} of ${total} operations, ${test_cases.generated} cases, ${test_cases.unique_failures} failures, ${errored} errors, ${errors.length} errors in the log; seed ${seed}, ${seconds} s`,
    )
    process.exitCode = code === 0 && isUp && errors.length === 0 && never.length === 0 ? 0 : 1
  } finally {
    await service.close()
  }
}

/** The operations of the description, by operationId. */
async function operationsOf({ url }: FuzzedService): Promise<string[]> {
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>
  }
  return Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId))
}

/** True for a line of the API's log that tells of a mistake of ours, or is no line of the log at all. */
function isError(line: string): boolean {
  try {
    return (JSON.parse(line) as { readonly level: number }).level >= 50
  } catch {
    return true
  }
}

async function runSchemathesis(folder: string, plan: string, args: readonly string[]): Promise<number | null> {
  const beside = (name: string): string => join(import.meta.dirname, name)
  const program = process.env['FUZZ_SCHEMATHESIS'] ?? 'schemathesis'
  const child = spawn(program, ['--config-file', beside('schemathesis.toml'), ...args], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, FUZZ_PLAN: plan, SCHEMATHESIS_HOOKS: beside('hooks.py'), PYTHONDONTWRITEBYTECODE: '1' },
  })
  const callOff = atExit(() => child.kill('SIGKILL'))
  const [code] = (await once(child, 'exit')) as [number | null]
  callOff()
  return code
}

function count(name: string, text: string, least: number): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < least || value > SEED_MOST)
    throw new Error(`${name} ${text}: a whole number from ${least} to ${SEED_MOST}`)
  return value
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
