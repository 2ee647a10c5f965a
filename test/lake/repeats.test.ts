import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openRepeats, outageOf } from '../../lake/repeats.ts'
import { StoreError } from '../../lake/store/errors.ts'
import { until } from '../helpers/until.ts'

test('a repeated error is reported at once, and then once in a while with its count', async () => {
  const repeats = openRepeats(100)
  const said: (string | number)[] = []
  const happen = (kind: string): void => repeats(kind, { first: () => said.push(kind), more: (count) => said.push(count) })
  for (let n = 0; n < 50; n++) happen('full')
  happen('away')
  expect(said).toEqual(['full', 'away'])
  await until('the count', () => said.length === 3)
  for (let n = 0; n < 7; n++) happen('full')
  await until('the next count', () => said.length === 4)
  expect(said.slice(2)).toEqual([49, 7])
  await sleep(250)
  happen('full')
  expect(said.at(-1)).toBe('full')
})

test('outages of stores and Redis are distinguished from mistakes, however deep they are', () => {
  const full = new StoreError('no space left', { code: 'ENOSPC' })
  expect(outageOf(full)).toBe('store ENOSPC')
  expect(outageOf(new Error('not landed', { cause: new Error('not written', { cause: full }) }))).toBe('store ENOSPC')
  expect(outageOf(new Error("OOM command not allowed when used memory > 'maxmemory'."))).toBe('redis OOM')
  expect(outageOf(new Error('MISCONF Redis is configured to save RDB snapshots'))).toBe('redis MISCONF')
  expect(outageOf(new Error('unexpected root element'))).toBeNull()
})
