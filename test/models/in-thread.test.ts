import { expect, test } from 'vitest'
import { inThread } from '../../models/in-thread.ts'

const { signal } = new AbortController()
const file = new URL('../../models/hotspots/contour.ts', import.meta.url)

test('calls the function that a file exports, and copies its result', async () => {
  const ring = [
    [0, 0],
    [2, 0],
    [2, 3],
    [0, 0],
  ]
  expect(Math.abs((await inThread({ file, name: 'areaOf', signal }, ring as never)) as number)).toBe(3)
})

test('fails if the file exports no such function', async () => {
  await expect(inThread({ file, name: 'areaOff', signal })).rejects.toThrow('exports no function areaOff')
})
