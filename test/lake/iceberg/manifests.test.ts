import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { commit } from '../../../lake/iceberg/commit.ts'
import { createTable } from '../../../lake/iceberg/create.ts'
import { liveFiles } from '../../../lake/iceberg/files.ts'
import type { ManifestFile } from '../../../lake/iceberg/manifest-list.ts'
import { openTable, type Table, type TableState } from '../../../lake/iceberg/table.ts'
import type { DataFile } from '../../../lake/iceberg/types.ts'
import type { ObjectStore } from '../../../lake/store/store.ts'
import { fakeDataFile, samples, tempStore } from './fixtures.ts'

/** Months since 1970 of January 2026. */
const JANUARY = 56 * 12
const MONTHS = 30

let store: ObjectStore
let remove: () => Promise<void>
let table: Table
const read: string[] = []

/** A table whose manifests' reads are recorded, with some properties. */
async function create(properties: Readonly<Record<string, string>>): Promise<void> {
  ;({ table } = await createTable({ store, dataset: samples, properties: { 'source-mode': 'simulated', ...properties } }))
}
beforeEach(async () => {
  const opened = await tempStore()
  remove = opened.remove
  store = { ...opened.store, get: (key) => (read.push(key), opened.store.get(key)) }
})
afterEach(() => remove())

const state = async (): Promise<TableState> => (await table.load()) as TableState

/** A file of a month, with bounds that make its entry some hundred bytes long. */
async function file(monthIndex: number): Promise<DataFile> {
  const bound = (): string => randomBytes(60).toString('base64')
  const metrics = new Map(
    [1, 15, 16, 1001].map((id) => [id, { values: 1, nulls: 0, nans: null, lower: bound(), upper: bound(), bytes: 9 }]),
  )
  return fakeDataFile(await state(), { partition: [JANUARY + monthIndex], metrics })
}

/** A month from a permutation, so that files of neighbouring months do not come one after another. */
const shuffled = (nth: number): number => (nth * 11) % MONTHS

async function addInAnyOrder(commits: number, each = 1): Promise<DataFile[]> {
  const files: DataFile[] = []
  for (let nth = 0; nth < commits; nth++) {
    const add = await Promise.all(Array.from({ length: each }, (_, at) => file(shuffled(nth * each + at))))
    files.push(...add)
    await commit({ table, operation: 'append', add })
  }
  return files
}

/** Files and opened manifests of a new reader that looks for one month. */
async function lookUp(monthIndex: number): Promise<{ keys: string[]; manifests: number }> {
  const cold = (await openTable({ store, key: table.key }).load()) as TableState
  const from = Date.UTC(2026, monthIndex, 1)
  read.length = 0
  const found = await liveFiles(cold, { observed_at: { gte: from, lt: Date.UTC(2026, monthIndex + 1, 1) } })
  return { keys: found.map(({ key }) => key).sort(), manifests: read.filter((key) => key.includes('/metadata/m')).length }
}

const manifestsOf = async (): Promise<readonly ManifestFile[]> => table.manifests(await state())

test('the files of a month are in few manifests, in whatever order they were added, and none is lost', async () => {
  await create({ 'commit.manifest.target-size-bytes': '32768' })
  const files = [...(await addInAnyOrder(25, 10)), ...(await addInAnyOrder(25))]
  let opened = 0
  for (let monthIndex = 0; monthIndex < MONTHS; monthIndex += 3) {
    const { keys, manifests } = await lookUp(monthIndex)
    expect(keys).toEqual(files.flatMap(({ key, partition }) => (partition[0] === JANUARY + monthIndex ? [key] : [])).sort())
    opened += manifests
  }
  const all = await manifestsOf()
  process.stderr.write(`    ${all.length} manifests, ${((3 * opened) / MONTHS).toFixed(1)} opened for a month\n`)
  expect(all.length).toBeGreaterThan(4)
  expect(Math.max(...all.map(({ bytes }) => bytes))).toBeLessThan(2 * 32_768)
  expect((3 * opened) / MONTHS).toBeLessThanOrEqual(3)
})

test('a commit of many months is listed by month, and a rewrite of one month leaves the other manifests as they are', async () => {
  await create({ 'commit.manifest.target-size-bytes': '32768' })
  const files = await Promise.all(Array.from({ length: 300 }, (_, nth) => file(shuffled(nth))))
  await commit({ table, operation: 'append', add: files })
  const before = await manifestsOf()
  expect(before.length).toBeGreaterThan(1)
  expect((await lookUp(7)).manifests).toBe(1)
  const january = files.filter(({ partition }) => partition[0] === JANUARY)
  await commit({ table, operation: 'replace', add: [{ ...(await file(0)), rows: january.length }], remove: january })
  const after = new Set((await manifestsOf()).map(({ key }) => key))
  expect(before.filter(({ key }) => !after.has(key)).length).toBe(1)
  expect((await lookUp(0)).keys).toHaveLength(1)
})

test('properties set from how many manifests on they are merged, and whether', async () => {
  await create({ 'commit.manifest.min-count-to-merge': '4' })
  await addInAnyOrder(12)
  expect((await manifestsOf()).length).toBeLessThanOrEqual(4)
  await commit({ table, operation: 'append', properties: () => ({ 'commit.manifest-merge.enabled': 'false' }) })
  const before = (await manifestsOf()).length
  await addInAnyOrder(4)
  expect(await manifestsOf()).toHaveLength(before + 4)
  await commit({
    table,
    operation: 'append',
    properties: () => ({ 'commit.manifest-merge.enabled': null, 'commit.manifest.min-count-to-merge': 'many' }),
  })
  await addInAnyOrder(1)
  expect((await manifestsOf()).length).toBeLessThanOrEqual(16)
  expect(await liveFiles(await state())).toHaveLength(17)
})
