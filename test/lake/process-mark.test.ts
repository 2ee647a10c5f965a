import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isRunning, processMark, takeMark } from '../../lake/process-mark.ts'
import { tempFolder } from '../helpers/temp.ts'
import { deepTest } from '../helpers/tier.ts'

const MODULE = new URL('../../lake/process-mark.ts', import.meta.url).href

test('a mark is that of a running process, not of a later one under the same number', () => {
  expect(isRunning(processMark())).toBe(true)
  expect(isRunning(`${process.pid}-1`)).toBe(false)
  for (const none of ['', '999999999-1', 'nobody', String(process.pid)]) expect(isRunning(none)).toBe(false)
})

test('a mark is taken once, and let go by its owner only', () => {
  const path = join(tempFolder(), 'mark')
  const release = takeMark(path) as () => void
  expect(takeMark(path)).toBe(processMark())
  release()
  expect(existsSync(path)).toBe(false)
  writeFileSync(path, '1-2')
  release()
  expect(readFileSync(path, 'utf8')).toBe('1-2')
})

deepTest('of many processes that take over the mark of an ended one at once, one succeeds', async () => {
  const path = join(tempFolder(), 'mark')
  for (let round = 0; round < 5; round++) {
    writeFileSync(path, '999999999-1')
    // Each tries when all are up, and stays until all have tried.
    const text = `const { takeMark } = await import('${MODULE}'); process.on('message', () => process.send(typeof takeMark('${path}'))); process.send('up')`
    const rivals = Array.from({ length: 6 }, () =>
      spawn(process.execPath, ['--input-type=module', '-e', text], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }),
    )
    const said = (): Promise<unknown[]> => Promise.all(rivals.map((rival) => new Promise((resolve) => rival.once('message', resolve))))
    await said()
    const tried = said()
    for (const rival of rivals) rival.send('go')
    expect((await tried).filter((one) => one === 'function')).toHaveLength(1)
    await Promise.all(
      rivals.map((rival) => {
        const ended = new Promise((resolve) => rival.once('exit', resolve))
        rival.kill('SIGKILL')
        return ended
      }),
    )
  }
})
