import { execFile } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { isAlive } from '../../lake/process-lock.ts'
import { type ChildOptions, HEARTBEAT } from '../../scripts/service/child.ts'
import { type Supervisor, type SupervisorTimes, supervise } from '../../scripts/service/supervise.ts'
import { tempFolder } from '../helpers/temp.ts'
import { until } from '../helpers/until.ts'

type Parts = Omit<ChildOptions, 'onLine' | 'onSpawn'>

/** A program that starts, reports its process id and its arguments, and ends with 3 after some ms. */
const DIES = 'process.send({ ready: { pid: process.pid, args: process.argv.slice(2) } }); setTimeout(() => process.exit(3), AFTER)'

interface Stage {
  readonly services: Supervisor
  readonly said: string[]
  /** How to start a program with that text. */
  readonly program: (name: string, text: string) => Parts
}

function stage(times: Partial<SupervisorTimes> = {}): Stage {
  const folder = tempFolder()
  const said: string[] = []
  const services = supervise({ say: (line) => said.push(line), times: { wait_ms: 1, longest_ms: 4, ...times } })
  onTestFinished(() => services.stop())
  return {
    services,
    said,
    program: (name, text) => {
      const script = join(folder, `${name}.cjs`)
      writeFileSync(script, text)
      return { name, script, env: process.env }
    },
  }
}

const dyingAfter = (ms: number): string => DIES.replace('AFTER', String(ms))

test('a process that dies repeatedly is always restarted, each time after a longer wait, and the others keep running', async () => {
  const { services, said, program } = stage()
  const steady = await services.keep<{ pid: number }>(() => program('steady', dyingAfter(1e9)))
  let starts = 0
  await services.keep(() => program('dying', starts++ === 5 ? 'process.exit(9)' : dyingAfter(1)))
  await until('25 deaths', () => said.length >= 25, 20_000)
  const again = (seconds: number): string => `dying ended with 3; starting it again in ${seconds} s`
  expect(said.slice(0, 5)).toEqual([0.001, 0.002, 0.004, 0.004, 0.004].map(again))
  // A failed start counts as a death.
  expect(said[5]).toBe('dying ended with 9 before it was ready; starting it again in 0.004 s')
  expect(isAlive(steady.pid)).toBe(true)
  await services.stop()
  expect(isAlive(steady.pid)).toBe(false)
}, 30_000)

test('a process that ran long enough is restarted after the shortest wait', async () => {
  const { services, said, program } = stage({ calm_ms: 20 })
  await services.keep(() => program('tired', dyingAfter(60)))
  await until('four deaths', () => said.length >= 4)
  expect(new Set(said)).toEqual(new Set(['tired ended with 3; starting it again in 0.001 s']))
})

const beats = `process.send('${HEARTBEAT}'); setInterval(() => process.send('${HEARTBEAT}'), 50);`
const alive = `process.send({ ready: { pid: process.pid } }); ${beats}`
const stuckAfter = (ms: number): string => `${alive} setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0), ${ms})`

test('a process whose event loop stands still is killed and restarted; one that never sends a heartbeat is left alone', async () => {
  const { services, said, program } = stage({ hung_ms: 400 })
  await services.keep(() => program('silent', dyingAfter(1e9)))
  await services.keep(() => program('healthy', alive))
  await services.keep(() => program('hung', stuckAfter(100)))
  await until('two kills', () => said.length >= 2)
  expect(said[0]).toBe('hung did not answer and was killed; starting it again in 0.001 s')
  expect(said.filter((line) => !line.startsWith('hung'))).toEqual([])
})

test('a busy process gets a longer limit, and one without that limit is never killed; limits grow with each kill', async () => {
  const { services, said, program } = stage({ hung_ms: 400, busy_ms: 2000 })
  const busyFor = (ms: number): string => `${alive} setTimeout(() => { const end = Date.now() + ${ms}; while (Date.now() < end); }, 100)`
  await services.keep(() => program('working', busyFor(1400)))
  await services.keep(() => ({ ...program('stand-in', busyFor(1e9)), busy_ms: Number.POSITIVE_INFINITY }))
  const times: number[] = []
  await services.keep(() => {
    times.push(performance.now())
    return program('endless', busyFor(1e9))
  })
  await until('two kills', () => times.length >= 3, 30_000)
  expect(said.filter((line) => !line.startsWith('endless'))).toEqual([])
  const [first, second, third] = times as [number, number, number]
  expect(third - second).toBeGreaterThan(1.5 * (second - first))
}, 40_000)

test('limits are those of the beginning again after a process ran long enough', async () => {
  const { services, program } = stage({ hung_ms: 300, forget_ms: 1 })
  const times: number[] = []
  await services.keep(() => {
    times.push(performance.now())
    return program('hung', stuckAfter(100))
  })
  await until('four kills', () => times.length >= 5, 30_000)
  const [, second, third, fourth, fifth] = times as [number, number, number, number, number]
  // Both after one kill that counts; without the reset the later one takes four times as long.
  expect(fifth - fourth).toBeLessThan(2 * (third - second))
}, 40_000)

test('all are stopped at once, by force if they do not end', async () => {
  const { services, program } = stage({ stop_ms: 300 })
  const text = `process.on('SIGTERM', () => undefined); ${dyingAfter(1e9)}`
  const pids: number[] = []
  for (const name of ['one', 'two', 'three']) pids.push((await services.keep<{ pid: number }>(() => program(name, text))).pid)
  const began = performance.now()
  await services.stop()
  expect(performance.now() - began).toBeLessThan(900)
  expect(pids.filter(isAlive)).toEqual([])
})

test("a later start receives the first one's report", async () => {
  const { services, said, program } = stage()
  const text = `console.log(process.argv[2] ?? 'first'); ${dyingAfter(1)}`
  await services.keep<{ pid: number }>((first) => ({ ...program('teller', text), args: first ? [String(first.pid)] : [] }))
  await until('three starts', () => said.length >= 6)
  const starts = said.filter((line) => /^(first|\d+)$/.test(line))
  expect(starts[0]).toBe('first')
  expect(new Set(starts.slice(1)).size).toBe(1)
})

test('after code is compiled, each process finds all of its own in the cache', async () => {
  const cache = tempFolder()
  const compile = async (): Promise<string[]> => {
    await promisify(execFile)('node', ['scripts/service/compile.ts'], { env: { ...process.env, NODE_COMPILE_CACHE: cache } })
    return readdirSync(cache, { recursive: true, encoding: 'utf8' }).sort()
  }
  const first = await compile()
  expect(first.length).toBeGreaterThan(1000)
  expect(await compile()).toEqual(first)
})
