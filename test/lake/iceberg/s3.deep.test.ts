import { afterAll, describe, expect, test } from 'vitest'
import { commit } from '../../../lake/iceberg/commit.ts'
import { createTable } from '../../../lake/iceberg/create.ts'
import { CommitOutcomeUnknown } from '../../../lake/iceberg/errors.ts'
import { expireSnapshots, removeOrphans } from '../../../lake/iceberg/expire.ts'
import { liveFiles } from '../../../lake/iceberg/files.ts'
import { openTable, type Table, type TableState } from '../../../lake/iceberg/table.ts'
import { s3Store } from '../../../lake/store/s3.ts'
import type { S3Options } from '../../../lake/store/s3-client.ts'
import { type Fault, startFaultProxy } from '../../helpers/fault-proxy.ts'
import { startS3 } from '../../helpers/s3-server.ts'
import { fakeDataFile, samples } from './fixtures.ts'

const s3 = await startS3()
const proxy = s3?.endpoint ? await startFaultProxy(s3.endpoint) : null
afterAll(async () => {
  await proxy?.close()
  await s3?.stop()
})

const APPENDS = 25
const FAULTS: readonly Fault[] = [
  { kind: 'status', status: 503 },
  { kind: 'lost' },
  { kind: 'lost', status: 502 },
  { kind: 'cut-request', bytes: 500 },
  { kind: 'cut-reply', bytes: 0 },
]

/** Appends files of one row each; the property `landed.<name>` counts them. An unknown outcome is looked up, as after a crash. */
async function appendMany(table: Table, name: string): Promise<string[]> {
  const keys: string[] = []
  let unknown: string | null = null
  const landed = (state: TableState): number => Number(state.properties[`landed.${name}`] ?? 0)
  while (keys.length < APPENDS) {
    const state = (await table.load()) as TableState
    const file = await fakeDataFile(state, { partition: [keys.length % 2] })
    const before = keys.length
    const result = await commit({
      table,
      operation: 'append',
      add: [file],
      unless: (current) => (landed(current) === before ? null : 'landed already'),
      properties: () => ({ [`landed.${name}`]: String(before + 1) }),
    }).catch((error: unknown) => {
      if (error instanceof CommitOutcomeUnknown) return null
      throw error
    })
    if (result === null) unknown = file.key
    const isIn = result?.committed || landed((await table.load()) as TableState) > before
    if (isIn) keys.push(result?.committed ? file.key : (unknown ?? file.key))
  }
  return keys
}

describe.skipIf(!s3 || !proxy)('a table on S3', () => {
  test('loses and doubles no row while replies are lost, cut and refused and others compact and expire', async () => {
    const options = s3?.fresh() as S3Options
    const direct = s3Store(options)
    const faulty = s3Store({ ...options, endpoint: proxy?.url ?? '' })
    try {
      const { table } = await createTable({ store: direct, dataset: samples, properties: { 'source-mode': 'simulated' } })
      let requests = 0
      for (const [at, fault] of FAULTS.entries()) proxy?.inject(fault, { when: () => ++requests % (7 * FAULTS.length) === at * 7 })
      const sources = [openTable({ store: faulty, key: table.key }), openTable({ store: direct, key: table.key })]
      let isDone = false
      const appended = Promise.all(sources.map((source, at) => appendMany(source, String(at)))).finally(() => {
        isDone = true
      })
      let merged = 0
      const origin = new Map<string, string[]>()
      while (!isDone) {
        const state = (await table.load()) as TableState
        for (const files of Object.values(Object.groupBy(await liveFiles(state), (file) => String(file.partition[0])))) {
          if (!files || files.length < 5) continue
          const rows = files.reduce((sum, file) => sum + file.rows, 0)
          const one = await fakeDataFile(state, { rows, partition: files[0]?.partition ?? [] })
          const { committed } = await commit({ table, operation: 'replace', add: [one], remove: files })
          if (committed)
            origin.set(
              one.key,
              files.flatMap((file) => origin.get(file.key) ?? [file.key]),
            )
          if (committed) merged++
        }
        await expireSnapshots({ table, keep_ms: 2_000 })
        await removeOrphans({ table, grace_ms: 600_000 })
      }
      const expected = (await appended).flat().sort()
      proxy?.clear()
      const state = (await openTable({ store: direct, key: table.key }).load()) as TableState
      const live = await liveFiles(state)
      expect(live.flatMap((file) => origin.get(file.key) ?? [file.key]).sort()).toStrictEqual(expected)
      expect(live.reduce((sum, file) => sum + file.rows, 0)).toBe(2 * APPENDS)
      expect(state.snapshot?.summary['total-records']).toBe(String(2 * APPENDS))
      expect(merged).toBeGreaterThan(0)
      expect(proxy?.seen.filter(({ fault }) => fault !== null).length).toBeGreaterThan(20)
    } finally {
      await faulty.close()
      await direct.close()
    }
  }, 180_000)
})
