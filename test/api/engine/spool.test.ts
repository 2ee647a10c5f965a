import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Parts, Spool } from '../../../api/engine/tables/spool.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { deepTest } from '../../helpers/tier.ts'

const NEVER = new AbortController().signal

test('a finished file has no name, reads as it was written, and gives its room back when it is closed', async () => {
  const folder = join(tempFolder(), 'replies')
  const spool = new Spool({ folder, bytes: 10_000_000 })
  const draft = await spool.begin()
  const parts = ['€ñ💥\n', 'x'.repeat(300_000), 'é'.repeat(100_000), '']
  for (const part of parts) await draft.write(part)
  await draft.write(Buffer.from([1, 2, 3]))
  const file = await draft.finish()
  const whole = Buffer.concat([Buffer.from(parts.join('')), Buffer.from([1, 2, 3])])
  expect(readdirSync(folder)).toEqual([])
  expect([file.bytes, spool.bytes]).toEqual([whole.length, whole.length])
  expect((await file.read()).equals(whole)).toBe(true)
  const pieces: Buffer[] = []
  await file.eachPiece(async (piece) => void pieces.push(Buffer.from(piece)))
  expect(Buffer.concat(pieces).equals(whole)).toBe(true)
  await file.close()
  await file.close()
  expect(spool.bytes).toBe(0)
})

test('lines go on in another file where one is long enough, and all of them go together', async () => {
  const folder = tempFolder()
  const spool = new Spool({ folder, bytes: 10_000_000 })
  const parts = new Parts(spool)
  const lines = Array.from({ length: 50 }, (_, at) => `${at} ${'é'.repeat(50_000)}\n`)
  for (const line of lines) await parts.write(line)
  const paths = await parts.paths()
  const texts = paths.map((path) => readFileSync(path, 'utf8'))
  expect(texts.join('')).toBe(lines.join(''))
  expect(paths.length).toBe(3)
  for (const text of texts) expect(text.endsWith('\n')).toBe(true)
  await parts.drop()
  const none = new Parts(spool)
  expect((await none.paths()).map((path) => readFileSync(path, 'utf8'))).toEqual([''])
  await none.drop()
  expect([readdirSync(folder), spool.bytes]).toEqual([[], 0])
})

deepTest('a file beyond the available room is refused, whoever writes it, and its room is free again', async () => {
  const spool = new Spool({ folder: tempFolder(), bytes: 500_000 })
  const kept = await spool.begin()
  await kept.write('x'.repeat(300_000))
  const draft = await spool.begin()
  const refused = expect.objectContaining({ code: 'temporary-reduced-capacity' })
  await expect(draft.write('x'.repeat(300_000))).rejects.toEqual(refused)
  await draft.drop()
  const written = await spool.begin()
  const byEngine = written.filled(NEVER, async (signal) => {
    await writeFile(written.path, 'x'.repeat(300_000))
    await sleep(5000, null, { signal })
  })
  await expect(byEngine).rejects.toEqual(refused)
  await written.drop()
  // Files that grow at the same time count before they are finished.
  const [one, other] = [await spool.begin(), await spool.begin()]
  const both = [one, other].map((draft) =>
    draft.filled(NEVER, async (signal) => {
      await writeFile(draft.path, 'x'.repeat(150_000))
      await sleep(5000, null, { signal })
    }),
  )
  await expect(Promise.race(both)).rejects.toEqual(refused)
  await Promise.allSettled(both)
  await one.drop()
  await other.drop()
  expect([spool.bytes, existsSync(written.path)]).toEqual([300_000, false])
  await kept.drop()
  expect(spool.bytes).toBe(0)
})
