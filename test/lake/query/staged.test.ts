import { readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Lake } from '../../../lake/open.ts'
import { writeParquet } from '../../../lake/query/parquet.ts'
import { stageRows } from '../../../lake/query/rows.ts'
import { sql } from '../../../lake/query/sql.ts'
import { type AnyRow, identity } from '../../../lake/schema/dataset.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { byTier } from '../../helpers/tier.ts'
import { anyRow } from './arbitraries.ts'
import { everything, openTestLake, variant } from './fixtures.ts'

const columns = tableColumns(everything)
let lake: Lake
beforeAll(async () => {
  lake = await openTestLake(tempFolder())
})
afterAll(() => lake.close())

const stagedFiles = (): string[] => readdirSync(lake.engine.folder).filter((name) => name.startsWith('staged-'))
const rowOf = (id: number): AnyRow => ({ id, observed_at: id, name: `name ${id % 10}`, fetch_id: 'test.1' })

test('rows that went into files are those that were held, of every kind', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyRow, { minLength: 1, maxLength: 40 }), async (given) => {
      const rows = given.map((row, id) => ({ id, ...row, fetch_id: 'test.1' }))
      await lake.use({}, async (session) => {
        const held = await stageRows(session, columns, [rows])
        const batches = rows.map((row) => [row])
        const spilled = await stageRows(session, columns, batches, { spillTo: lake.engine.folder, mostHeld: 7 })
        expect([spilled.rows, stagedFiles().length > 0]).toEqual([rows.length, rows.length >= 7])
        const [differing] = await session.values(
          sql`SELECT count(*) FROM ((SELECT * FROM ${held.table} EXCEPT ALL SELECT * FROM ${spilled.table}) UNION ALL (SELECT * FROM ${spilled.table} EXCEPT ALL SELECT * FROM ${held.table}))`,
        )
        expect(differing).toEqual([0n])
        await spilled.drop()
      })
      expect(stagedFiles()).toEqual([])
    }),
    { numRuns: byTier(4, 20) },
  )
})

test('a row that cannot be staged leaves no file behind', async () => {
  const rows = [...Array.from({ length: 20 }, (_, id) => [rowOf(id)]), [{ ...rowOf(20), small: 'many' }]]
  await expect(lake.use({}, (session) => stageRows(session, columns, rows, { spillTo: lake.engine.folder, mostHeld: 5 }))).rejects.toThrow(
    'small',
  )
  expect(stagedFiles()).toEqual([])
})

test('more rows than are sorted at once give several files, each place in one of them', async () => {
  const rows = Array.from({ length: 1000 }, (_, id) => rowOf(id))
  const dataset = variant({ order: ['name', 'observed_at'], partition: [] })
  const names = await lake.use({}, async (session) => {
    const { table } = await stageRows(session, columns, [rows])
    const written = await writeParquet(session, {
      dataset,
      tableKey: 'test/everything',
      from: table,
      specId: 0,
      sortOrderId: 0,
      folder: lake.engine.folder,
      mostSorted: 300,
    })
    expect(written.reduce((sum, { file }) => sum + file.rows, 0)).toBe(1000)
    const found: string[][] = []
    for (const { path } of written) {
      const values = await session.values(sql`SELECT name, observed_at FROM read_parquet(${path})`)
      expect(values.map(([name, at]) => `${name} ${String(at)}`)).toEqual(values.map(([name, at]) => `${name} ${String(at)}`).sort())
      found.push([...new Set(values.map(([name]) => String(name)))])
    }
    return found
  })
  expect(names).toHaveLength(4)
  expect(names.flat().sort()).toEqual(Array.from({ length: 10 }, (_, at) => `name ${at}`))
})

test('several versions: each in files of its own partition, in the order that is left, whatever its nulls', async () => {
  const rows = Array.from({ length: 900 }, (_, id) => ({
    ...rowOf(id),
    colour: id % 3 === 0 ? null : id % 3 === 1 ? 'RED' : 'BLUE',
    name: id % 7 === 0 ? null : `name ${id % 7}`,
  }))
  const dataset = variant({ order: ['colour', 'name', 'observed_at'], partition: [identity('colour')] })
  await lake.use({}, async (session) => {
    const batches = Array.from({ length: 9 }, (_, at) => rows.slice(at * 100, at * 100 + 100))
    const staged = await stageRows(session, columns, batches, { spillTo: lake.engine.folder, mostHeld: 150 })
    const written = await writeParquet(session, {
      dataset,
      tableKey: 'test/everything',
      from: staged.table,
      specId: 0,
      sortOrderId: 0,
      folder: lake.engine.folder,
      mostSorted: 100,
    })
    await staged.drop()
    expect(written.map(({ file }) => file.partition[0])).toEqual(['BLUE', 'BLUE', 'BLUE', 'RED', 'RED', 'RED', null, null, null])
    const ids: string[] = []
    for (const { path, file } of written) {
      const values = await session.values(sql`SELECT id, colour, name, observed_at FROM read_parquet(${path})`)
      const places = values.map(([, , name, at]) => `${name ?? '~'} ${String(at)}`)
      expect(places).toEqual([...places].sort())
      expect(values.every(([, colour]) => colour === file.partition[0])).toBe(true)
      const limits = file.metrics.get(3)
      const names = values.map(([, , name]) => name as string | null)
      const known = names.filter((name) => name !== null).sort()
      expect([limits?.values, limits?.nulls, limits?.lower, limits?.upper]).toEqual([
        names.length,
        names.length - known.length,
        known[0] ?? null,
        known.at(-1) ?? null,
      ])
      ids.push(...values.map(([id]) => String(id)))
      await rm(path)
    }
    expect(ids.map(Number).sort((one, other) => one - other)).toEqual(rows.map((_, id) => id))
  })
})
