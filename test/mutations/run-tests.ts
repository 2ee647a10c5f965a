import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { delimiter, join, relative, resolve } from 'node:path'
import type { Scratch } from './checkout.ts'

/** The files to run, in a copy, with a time limit. */
export interface TestRunOptions {
  readonly scratch: Scratch
  readonly tier: 'default' | 'deep'
  readonly files: readonly string[]
  readonly limit_s: number
  /** Recorded captures, if the copied checkout has them beside it. */
  readonly shared: string | null
}

/** The end of a run; `hung` if it was stopped at its limit. */
export interface TestRun {
  readonly outcome: 'passed' | 'failed' | 'hung'
  /** Failed files, as far as the run reports them. */
  readonly failed: readonly string[]
  /** Durations of the finished files, s. */
  readonly seconds: ReadonlyMap<string, number>
  readonly took_s: number
}

/** The used part of Vitest's JSON report. */
interface Report {
  readonly testResults: readonly { readonly name: string; readonly status: string; readonly startTime: number; readonly endTime: number }[]
}

const running = new Set<ChildProcess>()

/** Runs test files, one after the other in one worker, until one fails. */
export async function runTests({ scratch, tier, files, limit_s, shared }: TestRunOptions): Promise<TestRun> {
  const { folder, temporary } = scratch
  const report = join(folder, 'node_modules', '.mutants.json')
  rmSync(report, { force: true })
  const args = [
    'run',
    '--config',
    'test/vitest.config.ts',
    '--bail',
    '1',
    '--maxWorkers',
    '1',
    '--reporter',
    'json',
    '--outputFile',
    report,
  ]
  const bin = join(folder, 'node_modules', '.bin')
  const began = performance.now()
  // A separate process group, so that a test's own processes are stopped with it.
  const child = spawn(join(bin, 'vitest'), [...args, ...files.map((file) => join(folder, file))], {
    cwd: folder,
    detached: true,
    stdio: 'ignore',
    env: {
      ...process.env,
      PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`,
      TMPDIR: temporary,
      TEST_TIER: tier,
      ...(shared ? { SHARED_DIR: shared } : {}),
    },
  })
  running.add(child)
  let isHung = false
  const timer = setTimeout(() => {
    isHung = true
    stop(child)
  }, limit_s * 1000)
  const code = await new Promise<number | null>((done, fail) => child.once('exit', done).once('error', fail))
  clearTimeout(timer)
  running.delete(child)
  stop(child)
  scratch.stopProcesses()
  scratch.clear()
  const results = existsSync(report) ? (JSON.parse(readFileSync(report, 'utf8')) as Report).testResults : []
  const nameOf = (path: string): string => relative(folder, resolve(path))
  return {
    outcome: isHung ? 'hung' : code === 0 ? 'passed' : 'failed',
    failed: results.filter(({ status }) => status === 'failed').map(({ name }) => nameOf(name)),
    seconds: new Map(results.map(({ name, startTime, endTime }) => [nameOf(name), Math.max(0, endTime - startTime) / 1000])),
    took_s: (performance.now() - began) / 1000,
  }
}

/** Stops the current runs. */
export function stopRuns(): void {
  for (const child of running) stop(child)
}

function stop({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
