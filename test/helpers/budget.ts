import type { FileResult } from './report.ts'
import { REFERENCE_MS } from './speed.ts'

/** What the default tests may take on two quiet cores, ms: a test, the hooks and tests of a file, and all files with their loading. */
export const BUDGET = { test_ms: 2000, file_ms: 8000, all_ms: 800_000 } as const

/** How much longer a test or a file takes now and then, on the same quiet machine. */
const NOISE = 1.25
/** Load per core that the tests make by themselves. */
const OWN_LOAD = 2

/** How many times slower the machine was than the quiet reference: its cores by the fixed work, or what others leave of them; at least 1. */
export function slowdown(files: readonly FileResult[]): number {
  const work_ms = median(files.flatMap((file) => file.fixedWork_ms ?? []))
  const load = median(files.flatMap((file) => file.load ?? []))
  return Math.max(1, work_ms / REFERENCE_MS, load / OWN_LOAD)
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

/** Each test, file and sum above its budget, as a line for a person; budgets grow with how slow the machine was. */
export function overBudget(files: readonly FileResult[]): string[] {
  const slow = slowdown(files)
  const line = (what: string, ms: number, budget_ms: number, noise = NOISE): string[] => {
    if (ms <= budget_ms * slow * noise) return []
    const times = slow > 1 ? `, times ${slow.toFixed(1)} for a machine that is that much slower` : ''
    return [
      `over budget: ${what} took ${(ms / 1000).toFixed(1)} s of ${budget_ms / 1000} s${times}; make it quicker or name it *.deep.test.ts`,
    ]
  }
  return [
    ...files.flatMap((file) => [
      ...line(file.path, file.ms, BUDGET.file_ms),
      ...file.tests.flatMap((test) => line(`${file.path} > ${test.name}`, test.ms, BUDGET.test_ms)),
    ]),
    ...line('all files together', sum(files), BUDGET.all_ms, 1),
  ]
}

/** The slowest files, the slowest first, as lines for a person. */
export function slowest(files: readonly FileResult[], count: number): string[] {
  return files
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, count)
    .map((file) => `${(file.ms / 1000).toFixed(1).padStart(7)} s  ${file.path}`)
}

/** Time of all files together, ms of workers. */
export const sum = (files: readonly FileResult[]): number => files.reduce((ms, file) => ms + file.ms + file.load_ms, 0)
