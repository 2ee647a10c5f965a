import type { FileResult } from './report.ts'
import { REFERENCE_MS } from './speed.ts'

/**
 * Time limits of the default tests on two quiet cores, ms: a test, the hooks and tests of a file, and all files including their
 * loading.
 */
export const BUDGET = { test_ms: 2000, file_ms: 8000, all_ms: 800_000 } as const

/** Load per core that the tests cause themselves. */
const OWN_LOAD = 2

/**
 * How many times slower the machine was than the quiet reference: by the time of the fixed work, or by the load of other
 * processes; at least 1.
 */
export function slowdown(files: readonly FileResult[]): number {
  const work_ms = median(files.flatMap((file) => file.fixedWork_ms ?? []))
  const load = median(files.flatMap((file) => file.load ?? []))
  return Math.max(1, work_ms / REFERENCE_MS, load / OWN_LOAD)
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

/** A line of text for each test, file and sum above its budget; budgets are multiplied by the slowdown of the machine. */
export function overBudget(files: readonly FileResult[]): string[] {
  const slow = slowdown(files)
  const over = (what: string, ms: number, budget_ms: number): string[] => {
    if (ms <= budget_ms * slow) return []
    const times = slow > 1 ? `, times ${slow.toFixed(1)} for a machine that is that much slower` : ''
    return [
      `over budget: ${what} took ${(ms / 1000).toFixed(1)} s of ${budget_ms / 1000} s${times}; make it quicker or name it *.deep.test.ts`,
    ]
  }
  return [
    ...files.flatMap((file) => [
      ...over(file.path, file.ms, BUDGET.file_ms),
      ...file.tests.flatMap((test) => over(`${file.path} > ${test.name}`, test.ms, BUDGET.test_ms)),
    ]),
    ...over('all files together', sum(files), BUDGET.all_ms),
  ]
}

/** The slowest files, the slowest first, as lines of text. */
export function slowest(files: readonly FileResult[], count: number): string[] {
  return files
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, count)
    .map((file) => `${(file.ms / 1000).toFixed(1).padStart(7)} s  ${file.path}`)
}

/** Time of all files together, ms of workers. */
export const sum = (files: readonly FileResult[]): number => files.reduce((ms, file) => ms + file.ms + file.load_ms, 0)
