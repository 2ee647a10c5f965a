import { once } from 'node:events'
import { createWriteStream, statSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { type TextToPack, WHOLE } from '../../../scripts/stand-in/publisher.ts'
import { STAND_INS } from '../../../scripts/stand-in/publishers/list.ts'
import { makeWorld } from '../../../scripts/stand-in/world/world.ts'
import { tempFolder } from '../../helpers/temp.ts'

const AT = Date.UTC(2026, 9, 1)

test('a register of full size is parsed with 100 MB of memory beside its bytes', async () => {
  const file = join(tempFolder(), 'sites.xml')
  const standIn = STAND_INS.find(({ feed }) => feed === 'dgt_chargers') as (typeof STAND_INS)[number]
  const { text } = standIn.write(makeWorld(1), { resource: 'all', publishedAt: AT, stampedAt: AT, variant: WHOLE }) as TextToPack
  await pipeline(Readable.from(text), createWriteStream(file))
  expect(statSync(file).size).toBeGreaterThan(85_000_000)
  // The worker dies if it needs more; the bytes themselves are outside of its heap.
  const worker = new Worker(new URL('parse-in-worker.ts', import.meta.url), {
    workerData: { feed: 'dgt_chargers', file, at: AT },
    resourceLimits: { maxOldGenerationSizeMb: 84, maxYoungGenerationSizeMb: 16 },
  })
  const [found] = await once(worker, 'message')
  expect(found).toEqual({ rows: [expect.any(Number)], warnings: [] })
  expect(found.rows[0]).toBeGreaterThan(11_000)
})
