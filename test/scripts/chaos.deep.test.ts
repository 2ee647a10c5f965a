import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)
const MAIN = new URL('../../scripts/checks/chaos-runs/main.ts', import.meta.url).pathname

interface Result {
  readonly name: string
  readonly ok: boolean
  readonly problems: readonly string[]
  readonly killed?: Readonly<Record<string, number>> | number
  readonly appends?: number
  readonly files?: number
  readonly usage?: Readonly<Record<string, number>>
}

/** Runs scenarios as `scripts/chaos` does and returns their lines. */
async function chaos(...args: string[]): Promise<Result[]> {
  const done = await run(process.execPath, [MAIN, '--json', ...args]).catch((error: { stdout?: string }) => ({
    stdout: error.stdout ?? '',
  }))
  return done.stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Result)
}

test.each([
  ['observations and states', 'kills'],
  ['whole versions', 'versions'],
])('a worker killed at each boundary and at random loses and duplicates nothing of %s', { timeout: 600_000 }, async (_name, scenario) => {
  const [result] = await chaos('--rounds', '1', scenario)
  expect(result?.problems.join('\n')).toBe('')
  expect(result).toMatchObject({
    name: scenario,
    ok: true,
    killed: {
      'raw-kept': 1,
      accepted: 1,
      'live-written': 1,
      'parquet-written': 1,
      'manifests-written': 1,
      'metadata-written': 1,
      'hint-written': 1,
    },
  })
})

test.each(['derivations', 'months'])(
  'a worker killed while it derives leaves what is made at once: %s',
  { timeout: 600_000 },
  async (scenario) => {
    const [result] = await chaos('--rounds', '1', scenario)
    expect(result?.problems.join('\n')).toBe('')
    expect(result).toMatchObject({
      name: scenario,
      ok: true,
      killed: { 'parquet-written': 1, 'manifests-written': 1, 'metadata-written': 1, 'hint-written': 1 },
    })
  },
)

test('a backfill killed at each boundary and at random has the result of an undisturbed one', { timeout: 300_000 }, async () => {
  const [result] = await chaos('--rounds', '1', 'backfill')
  expect(result?.problems.join('\n')).toBe('')
  expect(result).toMatchObject({
    ...{ name: 'backfill', ok: true, undisturbed: { madrid_counts: expect.stringContaining('11 files, 1 gaps') } },
    killed: { 'raw-kept': 1, accepted: 1, 'metadata-written': 1 },
  })
})

test('a model killed at each boundary and at random has the result of an undisturbed one, and never half a version', {
  timeout: 300_000,
}, async () => {
  const [result] = await chaos('--rounds', '1', 'models')
  expect(result?.problems.join('\n')).toBe('')
  expect(result).toMatchObject({
    ...{
      name: 'models',
      ok: true,
      undisturbed: { better: expect.stringContaining('PROMOTED'), worse: expect.stringContaining('REFUSED') },
    },
    killed: { 'version-kept': 1, logged: 1, 'metadata-written': 1 },
  })
})

test('one of two workers that is killed beside archives leaves its feeds to the other in time, and loses nothing', {
  timeout: 1_200_000,
}, async () => {
  const [result] = await chaos('--rounds', '1', 'workers')
  expect(result?.problems.join('\n')).toBe('')
  expect(result).toMatchObject({ name: 'workers', ok: true, killed: 1 })
})

test('two writers during compaction, replay and expiry lose nothing', { timeout: 300_000 }, async () => {
  const [result] = await chaos('--rounds', '2', 'writers')
  expect(result?.problems.join('\n')).toBe('')
  expect(result).toMatchObject({ name: 'writers', ok: true, appends: 100 })
})

test('an API that is killed loses no key, and at most a minute of usage', { timeout: 600_000 }, async () => {
  const [result] = await chaos('--rounds', '1', 'api-kills')
  expect(result?.problems.join('\n')).toBe('')
  expect(result).toMatchObject({ name: 'api-kills', ok: true, killed: 2 })
  // Such a loss would be noticed: it is more than the requests of the last process, which ends normally.
  expect(result?.usage?.owed_of_killed).toBeGreaterThan(20)
})

test('wrong arguments are reported', async () => {
  await expect(run(process.execPath, [MAIN, 'earthquake'])).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no scenario earthquake'),
  })
  await expect(run(process.execPath, [MAIN, '--rounds', '0'])).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--rounds 0'),
  })
})
