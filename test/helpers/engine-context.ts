import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import type { IngestContext } from '../../jobs/ingest/context.ts'
import { openLake } from '../../lake/open.ts'
import { fileStore } from '../../lake/store/file.ts'
import { tempFolder } from './temp.ts'

/**
 * The context for building rows in the engine: a lake in a folder that is removed after the test file. The caller closes the
 * lake.
 */
export async function openEngineContext(): Promise<IngestContext> {
  const folder = tempFolder()
  mkdirSync(join(folder, 'spool'))
  const store = await fileStore(join(folder, 'store'))
  const cache = { folder: join(folder, 'cache'), name: 'worker', maxBytes: 1024 ** 3 }
  const engine = { memory: 512 * 1024 ** 2, spill: 1024 ** 3, threads: 2, slots: 2, httpfs: null, clock: Date.now, cache }
  const lake = await openLake({ store, spool: join(folder, 'spool'), ...engine })
  return { store, lake, log: pino({ level: 'silent' }), mode: 'simulated' } as unknown as IngestContext
}
