import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { overBudget, slowdown, slowest, sum } from '../test/helpers/budget.ts'
import type { FileResult, RunResult } from '../test/helpers/report.ts'
import { DURATIONS } from '../test/helpers/sequencer.ts'

const MESSAGE_LINES = 5
const MESSAGE_LENGTH = 600
const SLOWEST = 10
const MAX_OUTPUT = 64 * 1024 * 1024
/** Shorter files are not recorded, and need not start first; ms. */
const RECORDED_MS = 3000

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { deep: { type: 'boolean' }, update: { type: 'boolean' }, record: { type: 'boolean' } },
})
const files = positionals.map((path) => path.replace(/^\.\//, ''))
const isWhole = files.length === 0

const counts = { passed: 0, failed: 0, skipped: 0 }
/** The failures and their reasons, printed again at the end, where a reader of a long log looks first. */
const failures: string[] = []
const say = (line: string): void => void process.stdout.write(`${line}\n`)

function fail(what: string): void {
  counts.failed++
  failures.push(what)
}

/** Runs a checker and prints its output when it ends; it counts as one test. */
async function check(name: string, [command, ...args]: readonly [string, ...string[]]): Promise<void> {
  const { error, printed } = await new Promise<{ readonly error: Error | null; readonly printed: string }>((resolve) =>
    execFile(command, args, { maxBuffer: MAX_OUTPUT }, (error, stdout, stderr) => resolve({ error, printed: stdout + stderr })),
  )
  say(`\n== ${name}\n${printed}`)
  if (error === null) counts.passed++
  else fail(`${name} failed`)
}

/** Runs Vitest over the files whose paths contain one of the names (by default all of the tier), and counts the results. */
function vitest(): void {
  const paths = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.test.ts'))
  const unknown = files.filter((name) => !paths.some((path) => join('test', path).includes(name)))
  if (unknown.length > 0) return fail(`no test file is named like ${unknown.join(' or ')}`)
  say('\n== tests')
  const tier = options.deep ? { TEST_TIER: 'deep' } : isWhole ? { TEST_TIER: 'default' } : {}
  try {
    const { files: results, errors, status } = runVitest(files, tier)
    const failed = results.flatMap(failuresOf)
    failures.push(...failed, ...errors)
    counts.failed += failed.length + errors.length
    for (const { state } of results.flatMap((file) => file.tests)) {
      if (state === 'passed') counts.passed++
      else if (state !== 'failed') counts.skipped++
    }
    if (status !== 0 && counts.failed === 0) fail(`Vitest ended with ${status} though no test failed`)
    summarise(results)
  } catch (error) {
    fail(`Vitest left no report: ${(error as Error).message}`)
  }
}

/**
 * Runs Vitest over the files whose paths contain one of the names, by default all, and reads its report. Throws without a report.
 */
function runVitest(
  names: readonly string[],
  tier: Readonly<Record<string, string>>,
): RunResult & { readonly status: number | string | null } {
  const folder = mkdtempSync(join(tmpdir(), 'traffic-tests-'))
  try {
    const report = join(folder, 'report.json')
    const command = ['run', ...(options.update ? ['--update'] : []), '--config', 'test/vitest.config.ts', ...names]
    const env = { ...process.env, ...tier, TEST_REPORT: report }
    const { status, signal } = spawnSync('vitest', command, { stdio: 'inherit', env })
    return { ...(JSON.parse(readFileSync(report, 'utf8')) as RunResult), status: status ?? signal }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns the failed tests of a file, and its failures outside of tests. */
function failuresOf(file: FileResult): string[] {
  const brief = (message: string | undefined): string =>
    (message ?? '').split('\n').slice(0, MESSAGE_LINES).join('\n').slice(0, MESSAGE_LENGTH)
  const tests = file.tests.filter((test) => test.state === 'failed').map((test) => `${file.path} > ${test.name}: ${brief(test.errors[0])}`)
  const outside = file.errors.map((message) => `${file.path}: ${brief(message)}`)
  return tests.length + outside.length === 0 && file.state === 'failed' ? [`${file.path} failed`] : [...tests, ...outside]
}

/**
 * Prints where the time went and which default tests exceed their budget, and records the slow files on request. A budget fails
 * nothing: a busy machine exceeds it too.
 */
function summarise(results: readonly FileResult[]): void {
  if (!isWhole) return
  say(
    `\nSlowest files (of ${results.length}, ${Math.round(sum(results) / 1000)} s of workers; machine ${slowdown(results).toFixed(1)} × as slow as the reference):`,
  )
  for (const line of slowest(results, SLOWEST)) say(line)
  if (!options.deep) for (const line of overBudget(results)) say(line)
  if (options.record) record(results)
}

/** Writes the seconds of slow files, the slowest first. Files that did not run keep theirs. */
function record(results: readonly FileResult[]): void {
  const ran = new Set(results.map((file) => file.path))
  const kept = Object.entries(JSON.parse(readFileSync(DURATIONS, 'utf8')) as Record<string, number>).filter(([path]) => !ran.has(path))
  const slow = results.filter((file) => file.ms >= RECORDED_MS).map((file) => [file.path, Math.round(file.ms / 1000)] as const)
  const seconds = Object.fromEntries([...kept, ...slow].toSorted(([, a], [, b]) => b - a))
  writeFileSync(DURATIONS, `${JSON.stringify(seconds, null, 2)}\n`)
}

const began = performance.now()
if (isWhole)
  await Promise.all([
    // Each of its checkers does part of the work again.
    check('types (tsc)', ['tsc', '--checkers', '1']),
    check('types of what runs in browsers (tsc)', ['tsc', '-p', 'api/browser']),
    check('format and lint (biome)', ['biome', 'ci', '--reporter=summary', '.']),
    check('dead code (knip)', ['knip', '--no-progress']),
    check('code that only tests use (knip)', ['knip', '--no-progress', '--production']),
  ])
vitest()
if (failures.length > 0) say(`\nWhat failed:\n${failures.join('\n')}`)
say(`\n${Math.round((performance.now() - began) / 1000)} s`)
say(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1
