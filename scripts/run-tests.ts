import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface Counts {
  passed: number
  failed: number
  skipped: number
}

/** What of Vitest's JSON report is read here. */
interface Report {
  numPassedTests: number
  numPendingTests: number
  numTodoTests: number
  testResults: {
    name: string
    status: string
    message: string
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[]
  }[]
}

const MESSAGE_LINES = 5
const MESSAGE_LENGTH = 600

const counts: Counts = { passed: 0, failed: 0, skipped: 0 }
/** What failed, and why: told once more at the end, where a reader of a log of thousands of lines looks first. */
const failures: string[] = []
const say = (line: string): void => void process.stdout.write(`${line}\n`)

function fail(what: string): void {
  counts.failed++
  failures.push(what)
  say(what)
}

/** Runs a checker; it counts as one test. */
function check(name: string, command: readonly string[]): void {
  say(`\n== ${name}`)
  const { status } = spawnSync(command[0] as string, command.slice(1), { stdio: 'inherit' })
  if (status === 0) counts.passed++
  else fail(`${name} failed`)
}

/** The failed tests of a report, and the files that do not even load and so have no test to fail. */
function failed(report: Report): string[] {
  const brief = (message: string | undefined) => (message ?? '').split('\n').slice(0, MESSAGE_LINES).join('\n').slice(0, MESSAGE_LENGTH)
  return report.testResults.flatMap((file) => {
    const tests = file.assertionResults.filter((test) => test.status === 'failed')
    if (tests.length === 0) return file.status === 'failed' ? [`${file.name}: ${brief(file.message)}`] : []
    return tests.map((test) => `${file.name} > ${test.fullName}: ${brief(test.failureMessages[0])}`)
  })
}

/** Runs Vitest over some files under a time zone and adds its counts; each of the names has to be in the path of at least one. */
function vitest(name: string, options: { zone: string; files: readonly string[] }): void {
  say(`\n== ${name}`)
  const idle = options.files.filter((part) => !TEST_FILES.some((path) => path.includes(part)))
  if (idle.length > 0) return fail(`${name}: no test file is named like ${idle.join(' or ')}`)
  const folder = mkdtempSync(join(tmpdir(), 'traffic-tests-'))
  const report = join(folder, 'report.json')
  const run = spawnSync(
    'vitest',
    ['run', '--config', 'test/vitest.config.ts', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...options.files],
    { stdio: 'inherit', env: { ...process.env, TZ: options.zone } },
  )
  try {
    const found = JSON.parse(readFileSync(report, 'utf8')) as Report
    counts.passed += found.numPassedTests
    counts.skipped += found.numPendingTests + found.numTodoTests
    const named = failed(found)
    counts.failed += named.length
    failures.push(...named.map((line) => `${name}: ${line}`))
    if (run.status !== 0 && named.length === 0) fail(`${name}: Vitest ended with ${run.status ?? run.signal} though no test failed`)
  } catch {
    fail(`${name}: Vitest left no report`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const TEST_FILES = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => join('test', path))
/** Where a time zone could make a difference: times are read, compared, written or shown. */
const OF_TIMES = [
  'test/api',
  'test/jobs/feeds',
  'test/jobs/formats',
  'test/jobs/ingest',
  'test/jobs/upkeep',
  'test/lake/live',
  'test/lake/open',
  'test/lake/query/parquet',
  'test/lake/query/projection',
  'test/lake/query/pruning',
  'test/lake/query/rows',
  'test/lake/schema',
]

const files = process.argv.slice(2).map((path) => path.replace(/^\.\//, ''))
if (files.length === 0) {
  check('types (tsc)', ['tsc'])
  check('format and lint (biome)', ['biome', 'ci', '--reporter=summary', '.'])
  check('dead code (knip)', ['knip', '--no-progress'])
  check('code that only tests use (knip)', ['knip', '--no-progress', '--production'])
}
vitest('tests', { zone: 'UTC', files })
if (files.length === 0) vitest('tests of times, west of Greenwich', { zone: 'America/New_York', files: OF_TIMES })
if (failures.length > 0) say(`\nWhat failed:\n${failures.join('\n')}`)
say(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1
