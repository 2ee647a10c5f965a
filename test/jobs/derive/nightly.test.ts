import { afterEach, beforeEach, expect, test } from 'vitest'
import { defineDerived } from '../../../jobs/derive/define.ts'
import { makeDeriver } from '../../../jobs/derive/derive.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { isFirstInMaking } from '../../../lake/landed.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import { defineDataset } from '../../../lake/schema/dataset.ts'
import { tableRows } from '../../helpers/pipeline.ts'
import { never, openStage, type Stage } from '../ingest/stage.ts'
import { differences, feed, lines, stops } from './little.ts'

/** A model that builds a row of each stop. */
const model = defineDerived({
  by: 'model',
  into: differences,
  from: [stops],
  revision: 1,
  isNightly: true,
  parts: (versions) => versions.map((version) => ({ version, from: [version] })),
  reads: ({ version }) => sql`SELECT * FROM ${scan(stops, { version: { eq: version } })} ORDER BY stop_id`,
  rows: async ({ version }, { given }) => given.map(({ stop_id }) => ({ version, previous: '', name: stop_id as string, valid_from: 0 })),
})

const copies = defineDataset({ ...differences, id: 'little_copies' })

let stage: Stage
beforeEach(async () => {
  stage = await openStage()
  await prepareTables(stage.context, [stops, lines, differences, copies])
})
afterEach(() => stage.close())

const derivedRows = async (): Promise<string[]> =>
  (await tableRows(stage.context, differences)).map(({ version, name }) => `${version}:${name}`).sort()
const covered = async (): Promise<string | undefined> =>
  (await stage.context.lake.table(differences).load())?.properties['landed-until.little']
const isFirst = async (): Promise<boolean> => isFirstInMaking((await stage.context.lake.table(differences).load())?.properties ?? {})

test('a nightly model builds a missing partition at once, and rebuilds an existing one at night alone', async () => {
  let now = Date.parse('2026-06-15T10:00:00Z')
  const deriver = makeDeriver({ ...stage.context, now: () => now }, { derivations: [model], feeds: [feed] })
  const land = async (count: number, versions: Readonly<Record<string, readonly string[]>>): Promise<void> => {
    await stage.publish(feed, count, { versions })
    await stage.runner.land(feed, never)
    await deriver.after(feed, never)
  }
  await land(0, { V1: ['a', 'L'] })
  expect([await derivedRows(), await covered()]).toEqual([['V1:a'], '2026-06-15T00:00:00.000Z'])
  // V1 is another, V2 new: that alone is made, and nothing says that all is covered.
  await land(1, { V1: ['a', 'b', 'L'], V2: ['c', 'M'] })
  expect([await derivedRows(), await covered()]).toEqual([['V1:a', 'V2:c'], '2026-06-15T00:00:00.000Z'])
  await deriver.all(never)
  await deriver.nightly(never)
  expect(await derivedRows()).toEqual(['V1:a', 'V2:c'])
  // Three hours past midnight in Madrid.
  now = Date.parse('2026-06-16T01:10:00Z')
  await deriver.nightly(never)
  expect([await derivedRows(), await covered()]).toEqual([['V1:a', 'V1:b', 'V2:c'], '2026-06-15T00:01:00.000Z'])
  const { version } = (await stage.context.lake.table(differences).load()) as { version: number }
  await deriver.nightly(never)
  expect((await stage.context.lake.table(differences).load())?.version).toBe(version)
})

test('while a model waits for its training data its table has no covered period', async () => {
  const waiting = { ...model, waitsForParts: true as const }
  const deriver = makeDeriver(
    { ...stage.context, now: () => Date.parse('2026-06-15T10:00:00Z') },
    { derivations: [waiting], feeds: [feed] },
  )
  await stage.publish(feed, 0, { versions: {} })
  await stage.runner.land(feed, never)
  await deriver.after(feed, never)
  expect([await derivedRows(), await covered()]).toEqual([[], undefined])
  await stage.publish(feed, 1, { versions: { V1: ['a', 'L'] } })
  await stage.runner.land(feed, never)
  await deriver.after(feed, never)
  expect([await derivedRows(), await covered()]).toEqual([['V1:a'], '2026-06-15T00:01:00.000Z'])
})

test('a table that reads a nightly model is built in the same night', async () => {
  let now = Date.parse('2026-06-15T10:00:00Z')
  const following = defineDerived({
    by: 'versions',
    into: copies,
    from: [differences],
    revision: 1,
    parts: (versions) => versions.map((version) => ({ version, from: [version] })),
    rows: ({ version }) => sql`SELECT version, name, previous, valid_from FROM ${scan(differences, { version: { eq: version } })}`,
  })
  const deriver = makeDeriver({ ...stage.context, now: () => now }, { derivations: [model, following], feeds: [feed] })
  const followed = async (): Promise<unknown[]> => (await tableRows(stage.context, copies)).map(({ name }) => name).sort()
  for (const [count, ids] of [
    ['a', 'L'],
    ['a', 'b', 'L'],
  ].entries()) {
    await stage.publish(feed, count, { versions: { V1: ids } })
    await stage.runner.land(feed, never)
    await deriver.after(feed, never)
  }
  expect(await followed()).toEqual(['a'])
  now = Date.parse('2026-06-16T01:10:00Z')
  await deriver.nightly(never)
  expect(await followed()).toEqual(['a', 'b'])
})

test('until all parts have been there once, none is put off', async () => {
  let fails = true
  const failing = {
    ...model,
    rows: async (...given: Parameters<typeof model.rows>) => {
      if (fails && given[0].version === 'V2') throw new Error('not yet')
      return model.rows(...given)
    },
  }
  const noon = Date.parse('2026-06-15T10:00:00Z')
  const deriver = makeDeriver({ ...stage.context, now: () => noon }, { derivations: [failing], feeds: [feed] })
  await stage.publish(feed, 0, { versions: { V1: ['a', 'L'], V2: ['c', 'M'] } })
  await stage.runner.land(feed, never)
  await expect(deriver.after(feed, never)).rejects.toThrow('not yet')
  expect([await derivedRows(), await covered()]).toEqual([['V1:a'], undefined])
  expect(await isFirst()).toBe(true)
  fails = false
  await stage.publish(feed, 1, { versions: { V1: ['b', 'L'] } })
  await stage.runner.land(feed, never)
  await deriver.after(feed, never)
  expect([await derivedRows(), await covered()]).toEqual([['V1:b', 'V2:c'], '2026-06-15T00:01:00.000Z'])
  expect(await isFirst()).toBe(false)
})

test('a part that had too little to give a row is made as soon as it has more, by day too', async () => {
  const noon = Date.parse('2026-06-15T10:00:00Z')
  const scarce = {
    ...model,
    rows: async (...given: Parameters<typeof model.rows>) => (given[1].given.length < 2 ? [] : model.rows(...given)),
  }
  const deriver = makeDeriver({ ...stage.context, now: () => noon }, { derivations: [scarce], feeds: [feed] })
  const seen: unknown[] = []
  for (const [count, ids] of [
    ['a', 'L'],
    ['a', 'b', 'L'],
    ['a', 'b', 'c', 'L'],
  ].entries()) {
    await stage.publish(feed, count, { versions: { V1: ids } })
    await stage.runner.land(feed, never)
    await deriver.after(feed, never)
    seen.push(await derivedRows())
  }
  // Once it has rows it waits for the night.
  expect(seen).toEqual([[], ['V1:a', 'V1:b'], ['V1:a', 'V1:b']])
})

test('a derivation that fails keeps only those from running that read its table', async () => {
  const broken = { ...model, rows: () => Promise.reject(new Error('no memory')) }
  const reader = { ...model, into: copies, from: [differences], parts: () => [{ version: 'V1', from: [] }] }
  const other = defineDataset({ ...differences, id: 'little_others' })
  const apart = { ...model, into: other }
  await prepareTables(stage.context, [other])
  const deriver = makeDeriver(stage.context, { derivations: [broken, reader, apart], feeds: [feed] })
  await stage.publish(feed, 0, { versions: { V1: ['a', 'L'] } })
  await stage.runner.land(feed, never)
  await expect(deriver.after(feed, never)).rejects.toThrow('no memory')
  expect([(await tableRows(stage.context, other)).length, (await tableRows(stage.context, copies)).length]).toEqual([1, 0])
})
