import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { batch, defineFeed, type Feed } from '../../../jobs/feeds/define.ts'
import { rebuild } from '../../../jobs/ingest/rebuild.ts'
import { landedIn, MOST_SORTED } from '../../../jobs/ingest/tables.ts'
import { dgt } from '../../../lake/datasets/road/sources.ts'
import { rejectedIds } from '../../../lake/raw/archive.ts'
import { checkDatasets } from '../../../lake/schema/check-datasets.ts'
import { col } from '../../../lake/schema/columns.ts'
import { defineDataset, identity } from '../../../lake/schema/dataset.ts'
import { littleFeed, tableRows } from '../../helpers/pipeline.ts'
import { deepTest } from '../../helpers/tier.ts'
import { minute, never, openStage, type Stage } from './stage.ts'

const stops = defineDataset({
  id: 'little_stops',
  domain: 'rail',
  title: 'Stops of a little timetable',
  about: 'Stops by version of the timetable.',
  sources: [dgt],
  columns: {
    version: col.string(1, 'Version of the timetable.'),
    stop_id: col.string(2, 'Stop.'),
    name: col.string(3, 'Name.'),
    valid_from: col.instant(4, 'Begin of the version.'),
  },
  entity: ['version', 'stop_id'],
  version: 'version',
  time: 'valid_from',
  writeMode: 'replace',
  partition: [identity('version')],
  order: ['version', 'stop_id'],
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})

/** Names of stops by id, by version: the contents of one publication. */
type Timetable = Readonly<Record<string, Readonly<Record<string, string>>>>

/** A feed of timetables; a fixed parser reads names differently. */
const timetables = (read: (name: string) => string = (name) => name): Feed =>
  defineFeed({
    ...littleFeed(),
    into: [stops],
    bands: {},
    *rows(bodies, _clock, diagnostics) {
      const { at, versions } = JSON.parse(String(bodies[0]?.bytes)) as { at: string; versions: Timetable }
      diagnostics.publishedAt(Date.parse(at))
      for (const [version, names] of Object.entries(versions))
        yield batch(
          stops,
          Object.entries(names).map(([stop_id, name]) => ({ version, stop_id, name: read(name), valid_from: 0 })),
        )
    },
  })

const feed = timetables()
let stage: Stage
beforeEach(async () => {
  stage = await openStage()
})
afterEach(() => stage.close())

/** Rows as `version/stop=name@minute of the fetch`. */
async function tableRowsOf(): Promise<string[]> {
  const rows = await tableRows(stage.context, stops)
  return rows
    .map(({ version, stop_id, name, fetch_id }) => `${version}/${stop_id}=${name}@${Number(String(fetch_id).slice(18, 20))}`)
    .sort()
}

const STORY: readonly (readonly [number, Timetable])[] = [
  [0, { V1: { a: 'Atocha', b: 'Sol' } }],
  [1, { V1: { a: 'Atocha', b: 'Sol' }, V2: { a: 'Atocha' } }],
  [2, { V2: { a: 'Puerta de Atocha', c: 'Getafe' } }],
  [3, { V3: { a: 'Puerta de Atocha' } }],
]
const END = ['V1/a=Atocha@1', 'V1/b=Sol@1', 'V2/a=Puerta de Atocha@2', 'V2/c=Getafe@2', 'V3/a=Puerta de Atocha@3']

describe('a dataset of whole versions', () => {
  test('is declared with its version, and has no live state', () => {
    expect(checkDatasets([stops])).toHaveLength(1)
    expect(() => checkDatasets([{ ...stops, version: undefined } as never])).toThrow('names its version')
    expect(() => checkDatasets([{ ...stops, live: true } as never])).toThrow('no live state')
  })

  test.each([
    ['landed at once', () => false, false],
    ['landed one by one', () => true, false],
    ['landed by twos, restarted after each', (step: number) => step % 2 === 1, true],
  ] as const)('has each version once, as its newest publication has it: %s', async (_name, landAfter, restarts) => {
    for (const [step, [count, versions]] of STORY.entries()) {
      expect(await stage.publish(feed, count, { versions })).toMatchObject({ outcome: 'accepted' })
      if (landAfter(step)) await stage.runner.land(feed, never)
      if (restarts) stage.restart()
    }
    await stage.runner.land(feed, never)
    expect(await tableRowsOf()).toEqual(END)
    expect(await rebuild(stage.context, { feed, dataset: stops, from: 0, to: null })).toEqual({ fetches: 4, removed: 0, added: 0 })
    expect(await rebuild(stage.context, { feed, dataset: stops, from: minute(1), to: minute(1) })).toMatchObject({ removed: 0, added: 0 })
  })

  test('gives a late publication its place: the values of newer ones stay', async () => {
    for (const [count, versions] of STORY.filter(([count]) => count !== 1)) {
      await stage.publish(feed, count, { versions })
      await stage.runner.land(feed, never)
    }
    expect(await tableRowsOf()).toEqual(['V1/a=Atocha@0', 'V1/b=Sol@0', ...END.slice(2)])
    const [, late] = STORY
    expect(await stage.publish(feed, 1, { versions: late?.[1] }, 1)).toMatchObject({ outcome: 'rejected' })
    const [id] = await rejectedIds(stage.context.store, feed.id)
    await stage.runner.accept(feed, id as string)
    await stage.runner.land(feed, never)
    expect(await tableRowsOf()).toEqual(END)
    expect(await landedIn(stage.context, stops, feed.id)).toMatchObject({ seqs: [[1, 4]], rebuildFrom: null })
  })

  deepTest('is compared piece by piece where it has more rows than are sorted at once', { timeout: 60_000 }, async () => {
    const count = MOST_SORTED + 5000
    const large = (read: (name: string) => string): Feed =>
      defineFeed({
        ...timetables(),
        *rows(bodies, _clock, diagnostics) {
          diagnostics.publishedAt(Date.parse((JSON.parse(String(bodies[0]?.bytes)) as { at: string }).at))
          const stop = (at: number) => ({ version: 'V1', stop_id: `${(at * 7919) % 99_991}`, name: read(`name ${at}`), valid_from: 0 })
          yield batch(
            stops,
            Array.from({ length: count }, (_, at) => stop(at)),
          )
          yield batch(stops, [{ ...stop(0), version: 'V2' }])
        },
      })
    const [given, mended] = [large((name) => name), large((name) => (name.endsWith('77') ? name.toUpperCase() : name))]
    expect(await stage.publish(given, 0, {})).toMatchObject({ outcome: 'accepted' })
    expect(await stage.runner.land(given, never)).toEqual({ little_stops: count + 1 })
    const derive = (feed: Feed) => rebuild(stage.context, { feed, dataset: stops, from: 0, to: null })
    expect(await derive(given)).toEqual({ fetches: 1, removed: 0, added: 0 })
    const changed = Array.from({ length: count }, (_, at) => String(at)).filter((at) => at.endsWith('77')).length
    expect(await derive(mended)).toEqual({ fetches: 1, removed: changed, added: changed })
    expect(await derive(mended)).toEqual({ fetches: 1, removed: 0, added: 0 })
    const rows = await tableRows(stage.context, stops)
    expect(rows).toHaveLength(count + 1)
    expect(rows.filter(({ name }) => String(name).startsWith('NAME'))).toHaveLength(changed)
  })

  test('is derived again after a fix of its parser', async () => {
    for (const [count, versions] of STORY) await stage.publish(feed, count, { versions })
    await stage.runner.land(feed, never)
    const mended = timetables((name) => name.toUpperCase())
    expect(await rebuild(stage.context, { feed: mended, dataset: stops, from: minute(2), to: null })).toMatchObject({
      removed: 3,
      added: 3,
    })
    expect(await tableRowsOf()).toEqual([...END.slice(0, 2), 'V2/a=PUERTA DE ATOCHA@2', 'V2/c=GETAFE@2', 'V3/a=PUERTA DE ATOCHA@3'])
  })
})
