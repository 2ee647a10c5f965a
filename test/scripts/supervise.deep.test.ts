import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isAlive } from '../../lake/process-mark.ts'
import type { ChildOptions } from '../../scripts/service/child.ts'
import { type Supervisor, supervise } from '../../scripts/service/supervise.ts'
import { tempFolder } from '../helpers/temp.ts'
import { until } from '../helpers/until.ts'

type Parts = Omit<ChildOptions, 'onLine' | 'onSpawn'>

/** A program that is up, tells its process id and its arguments, and ends with 3 after so many ms. */
const DIES = 'process.send({ ready: { pid: process.pid, args: process.argv.slice(2) } }); setTimeout(() => process.exit(3), AFTER)'

interface Stage {
  readonly services: Supervisor
  readonly said: string[]
  readonly givenUp: Error[]
  /** How to start a program of that text. */
  readonly program: (name: string, text: string) => Parts
}

function stage(times: { most: number; calm_ms: number }): Stage {
  const folder = tempFolder()
  const said: string[] = []
  const givenUp: Error[] = []
  const services = supervise({ say: (line) => said.push(line), onGiveUp: (error) => givenUp.push(error), times: { wait_ms: 1, ...times } })
  onTestFinished(() => services.stop())
  return {
    services,
    said,
    givenUp,
    program: (name, text) => {
      const script = join(folder, `${name}.cjs`)
      writeFileSync(script, text)
      return { name, script, env: process.env }
    },
  }
}

const dyingAfter = (ms: number): string => DIES.replace('AFTER', String(ms))

test('a process that dies again and again is given up, and the others can still be stopped', async () => {
  const { services, said, givenUp, program } = stage({ most: 3, calm_ms: 600_000 })
  const steady = await services.keep<{ pid: number }>(() => program('steady', dyingAfter(1e9)))
  await services.keep(() => program('dying', dyingAfter(1)))
  await until('giving up', () => givenUp.length > 0)
  expect(givenUp.map(({ message }) => message)).toEqual(['dying ended with 3, 3 times in a row'])
  expect(said).toEqual(Array(2).fill('dying ended with 3; starting it again'))
  expect(isAlive(steady.pid)).toBe(true)
  await services.stop()
  expect(isAlive(steady.pid)).toBe(false)
})

test('a process that lived long enough in between is never given up', async () => {
  const { services, said, givenUp, program } = stage({ most: 2, calm_ms: 20 })
  await services.keep(() => program('tired', dyingAfter(60)))
  await until('five deaths', () => said.length >= 5)
  expect(givenUp).toEqual([])
})

test('why a start failed is told, and it counts as a death', async () => {
  const { services, said, givenUp, program } = stage({ most: 3, calm_ms: 600_000 })
  let starts = 0
  await services.keep(() => program('broken', starts++ === 0 ? dyingAfter(1) : 'process.exit(9)'))
  await until('giving up', () => givenUp.length > 0)
  const failed = 'broken ended with 9 before it was ready'
  expect(said).toEqual(['broken ended with 3; starting it again', `${failed}; starting it again`])
  expect(givenUp.map(({ message }) => message)).toEqual([`${failed}, 3 times in a row`])
})

test('a later start is given what the first one told', async () => {
  const { services, said, givenUp, program } = stage({ most: 4, calm_ms: 600_000 })
  const text = `console.log(process.argv[2] ?? 'first'); ${dyingAfter(1)}`
  await services.keep<{ pid: number }>((told) => ({ ...program('teller', text), args: told ? [String(told.pid)] : [] }))
  await until('giving up', () => givenUp.length > 0)
  const told = said.filter((line) => /^(first|\d+)$/.test(line))
  expect(told[0]).toBe('first')
  expect(new Set(told.slice(1)).size).toBe(1)
})
