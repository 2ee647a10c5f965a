import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isRunning, processId, takeLock } from '../../lake/process-lock.ts'
import { tempFolder } from '../helpers/temp.ts'
import { deepTest } from '../helpers/tier.ts'

const MODULE = new URL('../../lake/process-lock.ts', import.meta.url).href

test('a mark is that of a running process, not of a later one under the same number', () => {
  expect(isRunning(processId())).toBe(true)
  expect(isRunning(`${process.pid}-1`)).toBe(false)
  for (const none of ['', '999999999-1', 'nobody', String(process.pid)]) expect(isRunning(none)).toBe(false)
})

test('a mark is taken once, and let go by its owner only', () => {
  const path = join(tempFolder(), 'mark')
  const release = takeLock(path) as () => void
  expect(takeLock(path)).toBe(processId())
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
    const text = `const { takeLock } = await import('${MODULE}'); process.on('message', () => process.send(typeof takeLock('${path}'))); process.send('up')`
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
