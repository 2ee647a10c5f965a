import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inputsIn } from '../../scripts/checks/benches/inputs.ts'
import {
  asText,
  type Bench,
  type Done,
  type MemoryBench,
  measure,
  type Pair,
  runBench,
  runOnce,
  runStep,
  type StepRunner,
  type Work,
} from '../../scripts/checks/benches/measure.ts'
import { tempFolder } from '../helpers/temp.ts'

const ROWS = 1000

/** Work that takes some time for a number of rows. */
const rowsOf = (rows: number): Work => ({
  expected: { rows: ROWS },
  async run() {
    const until = performance.now() + 0.2
    while (performance.now() < until);
    return { rows }
  },
})

const benchOf = (pair: Partial<Pair>, more: Partial<Bench> = {}): Bench => ({
  name: 'made-up',
  about: 'rows against rows',
  limit: 1000,
  rounds: 2,
  open: async () => ({ measured: rowsOf(ROWS), reference: rowsOf(ROWS), close: async () => {}, ...pair }),
  ...more,
})

const runner: StepRunner = (one, step, folder, made = folder) => runStep(one, step, folder as string, made as string)

function line(bench: Bench | MemoryBench): ReturnType<typeof runBench> {
  const folder = tempFolder()
  return runBench(bench, { step: runner, input: inputsIn(folder, runner), folder })
}

test('benches with the same set-up share its input; one that stays is not filled twice, unless its filling was interrupted', async () => {
  const [folder, made]: [string, string[]] = [tempFolder(), []]
  const setUp = async (into: string): Promise<void> => void made.push(into)
  const bench = benchOf({}, { setUp })
  const input = inputsIn(folder, runner)
  const [first, other, none] = [await input(bench), await input(benchOf({}, { setUp })), await input(benchOf({}))]
  expect([first === other, first === none, made.length, existsSync(first)]).toEqual([true, false, 1, true])
  const kept = join(folder, 'kept')
  const failing = benchOf({}, { setUp: () => Promise.reject(new Error('no disk')) })
  await expect(inputsIn(folder, runner, kept)(failing)).rejects.toThrow('no disk')
  for (let run = 0; run < 2; run++) expect(await inputsIn(folder, runner, kept)(bench)).toBe(kept)
  expect(made.length).toBe(2)
})

test('a bench whose work and reference ran is within its limit', async () => {
  const bench = benchOf({})
  const found = await line(bench)
  expect(found).toMatchObject({ name: 'made-up', ok: true })
  expect(asText(found, bench)).toMatch(/^ok {3}made-up: [\d.]+ \(at most 1000\)/)
})

test('a bench with its own time limit fails beyond it, however slow the reference is', async () => {
  const slow: Work = { ...rowsOf(ROWS), clock: async () => performance.now() * 100 }
  expect(await line(benchOf({ reference: slow }, { limit: 0, orAtMost_ms: 0.1 }))).toMatchObject({ ok: false })
  expect(await line(benchOf({ reference: slow }, { limit: 0, orAtMost_ms: 1000 }))).toMatchObject({ ok: true })
})

test('a bench whose reference does nothing fails and says so', async () => {
  const bench = benchOf({ reference: { expected: { rows: ROWS }, run: async () => ({ rows: 0 }) } })
  const found = await line(bench)
  expect(found).toEqual({ name: 'made-up', ok: false, error: 'the reference did 0 rows, expected 1000' })
  expect(asText(found, bench)).toBe('FAIL made-up: the reference did 0 rows, expected 1000 · rows against rows')
})

test.each<[string, Partial<Pair>, string]>([
  ['work that does less than expected', { measured: rowsOf(ROWS - 1) }, 'the measured work did 999 rows, expected 1000'],
  ['work that does more than expected', { measured: rowsOf(ROWS + 1) }, 'the measured work did 1001 rows, expected 1000'],
  ['work whose count is no number', { measured: rowsOf(Number.NaN) }, 'the measured work did NaN rows, expected 1000'],
  [
    'work that counts something else',
    { measured: { ...rowsOf(ROWS), run: async () => ({ files: 1 }) } },
    'the measured work did no rows, expected 1000',
  ],
  ['work of which nothing is expected', { measured: { ...rowsOf(ROWS), expected: {} } }, 'nothing is expected of the measured work'],
  [
    'work of which no more than none is expected',
    { measured: { ...rowsOf(0), expected: { rows: { min: 0 } } } },
    '0 rows are expected of the measured work: the work could be left out',
  ],
  ['no reference', { reference: null }, 'there is no reference in this process'],
  ['a clock that stands still', { measured: { ...rowsOf(ROWS), clock: async () => 7 } }, 'the measured work took 0 ms, which is no time'],
  [
    'a clock that gives no number',
    { reference: { ...rowsOf(ROWS), clock: async () => Number.NaN } },
    'the reference took NaN ms, which is no time',
  ],
  [
    'work that is no longer than the time that it leaves out',
    { measured: { ...rowsOf(ROWS), slowestHundredth: true } },
    'the measured work took NaN ms, which is no time',
  ],
  [
    'sides that did not do the same',
    {
      measured: { ...rowsOf(ROWS), expected: { rows: { min: 1 } } },
      reference: { ...rowsOf(ROWS - 1), expected: { rows: { min: 1 } } },
      alike: ['rows'],
    },
    'the measured work did 1000 rows, expected 999',
  ],
])('a bench fails for %s', async (_, pair, error) => {
  expect(await line(benchOf(pair))).toEqual({ name: 'made-up', ok: false, error })
})

test('only parts count if there are any, and repeats share the time', async () => {
  const busy = (ms: number): void => {
    const until = performance.now() + ms
    while (performance.now() < until);
  }
  const timeOf = async (work: Omit<Work, 'expected'>): Promise<{ ms: number; wall_ms: number }> => {
    const began = performance.now()
    const { ms } = await runOnce('work', { expected: { runs: 1 }, ...work })
    return { ms, wall_ms: performance.now() - began }
  }
  const done: Done = { runs: 1 }
  const parts = await timeOf({
    async run(timer) {
      await timer.part(async () => busy(2))
      busy(20)
      await timer.part(async () => busy(2))
      return done
    },
  })
  expect(parts.ms).toBeGreaterThanOrEqual(4)
  expect(parts.ms).toBeLessThanOrEqual(parts.wall_ms - 20)
  let clock = 0
  expect((await timeOf({ run: async () => done, clock: async () => (clock += 100), repeats: 4 })).ms).toBe(25)
})

test('the slowest hundredth of the parts counts if a bench requests it', async () => {
  const { ms } = await runOnce('work', {
    expected: { replies: 100 },
    slowestHundredth: true,
    async run(timer) {
      for (let reply = 0; reply < 100; reply++)
        await timer.part(async () => {
          const until = performance.now() + (reply === 50 ? 5 : 0)
          while (performance.now() < until);
        })
      return { replies: 100 }
    },
  })
  expect(ms).toBeGreaterThanOrEqual(5)
})

test('speeds are compared in the opposite direction, and a limit can replace a reference', async () => {
  const ticks = (ms: number): Work => {
    let clock = 0
    return { expected: { rows: 1 }, run: async () => ({ rows: 1 }), clock: async () => (clock += ms) }
  }
  const pair = { measured: ticks(50), reference: ticks(100), close: async () => {} }
  expect(await measure(benchOf({}, { atLeast: true }), pair)).toMatchObject({ ratio: 2, spread: 0, measured_ms: 50, reference_ms: 100 })
  expect(await measure(benchOf({}), { ...pair, reference: { limit_ms: 20 } })).toMatchObject({ ratio: 2.5, reference_ms: 20 })
})

test('a memory bench fails if it did nothing or its set-up failed', async () => {
  const bench: MemoryBench = {
    name: 'made-up',
    about: '',
    limit_mb: 1e6,
    rounds: 1,
    expected: { rows: ROWS },
    run: async () => ({ rows: ROWS }),
  }
  expect(await line(bench)).toMatchObject({ name: 'made-up', ok: true })
  expect(await line({ ...bench, run: async () => ({ rows: 0 }) })).toEqual({
    name: 'made-up',
    ok: false,
    error: 'made-up did 0 rows, expected 1000',
  })
  const setUp = (): Promise<void> => Promise.reject(new Error(`no disk`))
  expect(await line({ ...bench, setUp })).toEqual({ name: 'made-up', ok: false, error: `no disk` })
})
