import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { commandLine, say } from '../../commands/output.ts'
import { atExit, exitBy, folderUntilExit } from '../run.ts'
import { fuzzPlan } from './plan.ts'
import { type FuzzedService, startFuzzedService } from './service.ts'

const HELP = `Starts a service, sends it requests that Schemathesis generates from /openapi.json, valid and invalid, and checks every reply against the description.

  scripts/check-fuzz [--seed n] [--max-examples n] [operation …]

  --seed n          repeats a run; random by default
  --max-examples n  requests of each operation in the random phase, 50 by default; some 200 systematic ones are added
  operation         operationId of an operation to test, such as incidents; all by default`
const MAX_SEED = 1_000_000

/** Schemathesis' report of a run. */
interface Report {
  readonly operations: { readonly tested: number; readonly total: number; readonly errored: number }
  readonly test_cases: { readonly generated: number; readonly unique_failures: number }
}

/** The counts of the hooks. */
interface Figures {
  readonly statuses: Readonly<Record<string, number>>
  readonly refusals_beyond_schema: number
  /** Operations with at least one successful answer, by operationId. */
  readonly answered: readonly string[]
}

await exitBy(main)

/** Tests a service; true if nothing is wrong. */
async function main(): Promise<boolean> {
  const seeded = { type: 'string', default: String(randomInt(MAX_SEED)) } as const
  const line = await commandLine({ usage: HELP, options: { seed: seeded, 'max-examples': { type: 'string', default: '50' } } })
  if (!line) return true
  const { args: operations, values } = line
  const seed = count('--seed', values.seed, 0)
  const examples = count('--max-examples', values['max-examples'], 1)
  return await fuzz(await folderUntilExit('fuzz-'), { seed, examples, operations })
}

async function fuzz(
  folder: string,
  asked: { readonly seed: number; readonly examples: number; readonly operations: readonly string[] },
): Promise<boolean> {
  const { seed, examples, operations } = asked
  const began = performance.now()
  say(`seed ${seed}; starting a service with the data of every feed ...`)
  const complaints: string[] = []
  const service = await startFuzzedService(folder, (line) => complaints.push(line))
  try {
    const [plan, figures, report] = [join(folder, 'plan.json'), join(folder, 'figures.json'), join(folder, 'report.json')]
    await writeFile(plan, JSON.stringify(await fuzzPlan(service, figures)))
    const tried = operations.length > 0 ? operations : await operationsOf(service)
    const code = await runSchemathesis(folder, plan, [
      ...['run', `${service.url}/openapi.json`, '--seed', String(seed), '--max-examples', String(examples)],
      ...['--checks', 'all', '--phases', 'examples,coverage,fuzzing,stateful', '--continue-on-failure', '--workers', '2'],
      ...['--generation-database', 'none', '--output-truncate', 'true', '--warnings', 'off', '--no-color'],
      ...['--report', 'json', '--report-json-path', report],
      // By name, because Schemathesis otherwise leaves out the operation of the description itself.
      ...tried.flatMap((id) => ['--include-operation-id', id]),
    ])
    const isUp = service.isUp()
    if (!isUp) say('the API process ended')
    const { operations: of, test_cases } = JSON.parse(await readFile(report, 'utf8')) as Report
    const { statuses, refusals_beyond_schema, answered } = JSON.parse(await readFile(figures, 'utf8')) as Figures
    // For an operation without a successful answer only its refusals were tested.
    const never = tried.filter((id) => !answered.includes(id))
    const errors = complaints.filter((line) => isError(line))
    for (const line of errors.slice(0, 20)) say(`the API logged: ${line.slice(0, 2000)}`)
    if (never.length > 0) say(`only answered with refusals: ${never.join(', ')}`)
    say(`replies by status: ${JSON.stringify(statuses)}; ${refusals_beyond_schema} correct refusals for reasons that no schema can express`)
    const seconds = Math.round((performance.now() - began) / 1000)
    const { tested, total, errored } = of
    say(
      `${tested} of ${total} operations, ${test_cases.generated} cases, ${test_cases.unique_failures} failures, ${errored} errors, ${errors.length} errors in the log; seed ${seed}, ${seconds} s`,
    )
    return code === 0 && isUp && errors.length === 0 && never.length === 0
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

/** True for a line of the API's log that reports an internal error, or is not in the log's format. */
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
  if (!/^\d+$/.test(text) || value < least || value > MAX_SEED)
    throw new Error(`${name} ${text}: a whole number from ${least} to ${MAX_SEED}`)
  return value
}
