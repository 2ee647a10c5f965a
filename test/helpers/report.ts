import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'
import { PROJECT } from '../laws/sources.ts'

/** The result of one test. */
export interface TestResult {
  readonly name: string
  readonly state: 'passed' | 'failed' | 'skipped' | 'pending'
  /** Time of the test with its hooks, ms. */
  readonly ms: number
  /** Messages of its errors. */
  readonly errors: readonly string[]
}

/** The result of one test file. */
export interface FileResult {
  readonly path: string
  readonly state: string
  /** Time of its hooks and tests, ms. */
  readonly ms: number
  /** Time before them, ms: loading the file and modules that no earlier file in the worker has loaded. */
  readonly load_ms: number
  /** Processor time of the worker's threads for it, ms, without waiting; null if the file did not load. */
  readonly cpu_ms: number | null
  /** Time of the fixed work of `speed.ts` before its tests, ms; null if the file did not load. */
  readonly fixedWork_ms: number | null
  /** Mean load of the machine per core in the minute before its tests; null if the file did not load. */
  readonly load: number | null
  /** Messages of errors outside tests: the file does not load, or a hook fails. */
  readonly errors: readonly string[]
  readonly tests: readonly TestResult[]
}

/** The result of a run. */
export interface RunResult {
  readonly files: readonly FileResult[]
  /** Messages of errors outside test files. */
  readonly errors: readonly string[]
}

/** Writes a `RunResult` as JSON to the file named by `TEST_REPORT`, for `scripts/run-tests.ts`. */
export class TestReport implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly { readonly message: string }[]): void {
    const path = process.env['TEST_REPORT']
    if (!path) return
    const run: RunResult = { files: modules.map(fileResult), errors: errors.map(({ message }) => message) }
    writeFileSync(path, JSON.stringify(run))
  }
}

function fileResult(module: TestModule): FileResult {
  const times = module.diagnostic()
  const { fixedWork_ms = null, load = null, cpu_ms = null } = module.meta() as Partial<Pick<FileResult, 'fixedWork_ms' | 'load' | 'cpu_ms'>>
  return {
    path: relative(PROJECT, module.moduleId),
    state: module.state(),
    ms: times.duration,
    load_ms: times.collectDuration + times.setupDuration + times.prepareDuration + times.environmentSetupDuration,
    cpu_ms,
    fixedWork_ms,
    load,
    errors: [...module.errors(), ...[...module.children.allSuites()].flatMap((suite) => suite.errors())].map(({ message }) => message),
    tests: [...module.children.allTests()].map((test) => ({
      name: test.fullName,
      state: test.result().state,
      ms: test.diagnostic()?.duration ?? 0,
      errors: (test.result().errors ?? []).map(({ message }) => message),
    })),
  }
}
