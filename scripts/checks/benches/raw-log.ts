import { link, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { logAfter, newsAfter } from '../../../lake/raw/archive.ts'
import { fileStore } from '../../../lake/store/file.ts'
import type { Bench } from './measure.ts'

/** Entries of a feed of 20 s after its 90 days. */
const ENTRIES = 388_800
const PREFIX = 'raw/renfe_positions/log/'
const nameOf = (seq: number): string => `${String(seq).padStart(10, '0')}.json`

/** The look for new fetches at each turn of a feed, against listing its log, as was done until then. */
export const rawLog: Bench = {
  name: 'raw-log',
  about: `looking for new fetches in a log of ${ENTRIES} files, against listing it`,
  limit: 0.01,
  async setUp(folder) {
    const log = join(folder, 'store', PREFIX)
    await mkdir(log, { recursive: true })
    await writeFile(join(folder, 'entry'), '{}')
    for (let seq = 1; seq <= ENTRIES; seq++)
      await link(join(folder, 'entry'), join(log, nameOf(seq))).catch(() => writeFile(join(log, nameOf(seq)), '{}'))
  },
  async open(folder) {
    const store = await fileStore(join(folder, 'store'))
    // The listing at the start of a process.
    await logAfter(store, 'renfe_positions', ENTRIES)
    const expected = { found: 1 }
    return {
      measured: { expected, run: async () => ({ found: (await newsAfter(store, 'renfe_positions', ENTRIES - 1)).length }) },
      reference: {
        expected,
        run: async () => {
          let found = 0
          for await (const _ of store.list(PREFIX, { startAfter: `${PREFIX}${nameOf(ENTRIES - 1)}` })) found++
          return { found }
        },
      },
      close: () => store.close(),
    }
  },
}
