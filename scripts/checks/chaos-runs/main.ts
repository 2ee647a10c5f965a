import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { commandLine } from '../../commands/output.ts'
import { exitBy, folderUntilExit } from '../run.ts'
import { SCENARIOS } from './list.ts'
import type { Findings, Scenario, ScenarioOptions } from './scenario.ts'

const HELP = `Breaks things on purpose and checks that nothing is lost, duplicated or unreadable.

  scripts/chaos [--rounds n] [--json] [name …]

  --rounds n   how thorough, 10 by default: each boundary between pipeline steps is killed n times; by ten rounds backfills
               and roll-ups are also killed 100 times each at random
  --json       results as lines of JSON
${SCENARIOS.map(({ name, about }) => `  ${name.padEnd(12)} ${about}`).join('\n')}`

interface Result extends Record<string, unknown> {
  readonly name: string
  readonly ok: boolean
  readonly problems: readonly string[]
  readonly seconds: number
}

await exitBy(main)
// An interrupted process may leave open handles; everything that it started has ended.
process.exit()

/** Runs the scenarios; true if none found a problem. */
async function main(): Promise<boolean> {
  const options = { rounds: { type: 'string', default: '10' }, json: { type: 'boolean', default: false } } as const
  const line = await commandLine({ usage: HELP, options })
  if (!line) return true
  const { args, values } = line
  const rounds = Number(values.rounds)
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 1000) throw new Error(`--rounds ${values.rounds}: a whole number from 1 to 1000`)
  const unknown = args.filter((name) => !SCENARIOS.some((one) => one.name === name))
  if (unknown.length > 0) throw new Error(`no scenario ${unknown.join(', ')}; choose from ${SCENARIOS.map(({ name }) => name).join(', ')}`)
  const folder = await folderUntilExit('chaos-')
  let isGood = true
  for (const scenario of SCENARIOS) {
    if (args.length > 0 && !args.includes(scenario.name)) continue
    const result = await runScenario(scenario, { folder: join(folder, scenario.name), rounds })
    process.stdout.write(values.json ? `${JSON.stringify(result)}\n` : asText(result))
    isGood &&= result.ok
  }
  return isGood
}

async function runScenario(scenario: Scenario, options: ScenarioOptions): Promise<Result> {
  await mkdir(options.folder)
  const began = performance.now()
  let findings: Findings
  try {
    findings = await scenario.run(options)
  } catch (error) {
    findings = { problems: [(error as Error).stack ?? String(error)], detail: {} }
  }
  await rm(options.folder, { recursive: true, force: true, maxRetries: 3 })
  const { problems, skipped, detail } = findings
  const ok = problems.length === 0
  const seconds = Math.round((performance.now() - began) / 100) / 10
  return { name: scenario.name, ok, ...(skipped === undefined ? {} : { skipped }), seconds, ...detail, problems: problems.slice(0, 20) }
}

function asText({ name, ok, problems, seconds, skipped, ...detail }: Result): string {
  const summary = skipped === undefined ? JSON.stringify(detail) : `SKIPPED: ${skipped}`
  return [
    `${ok ? 'ok  ' : 'FAIL'} ${name}: ${seconds} s, ${summary}`,
    ...problems.map((problem) => `     ${problem.slice(0, 1000)}`),
    '',
  ].join('\n')
}
