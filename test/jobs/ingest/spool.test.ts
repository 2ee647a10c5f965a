import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { batch, defineFeed, type Feed, FormatError } from '../../../jobs/feeds/define.ts'
import { tableRows } from '../../helpers/pipeline.ts'
import { lines, feed as little, stops, type Timetable } from '../derive/little.ts'
import { never, openStage, type Stage } from './stage.ts'

let parses = 0
/**
 * The little timetable, of at least three stops. Its parser counts its runs. One stop has no id; a stop `damaged` ends the run.
 */
const feed: Feed = defineFeed({
  ...little,
  bands: { little_stops: { atLeast: 3, minRatio: 0, maxRatio: 1000 } },
  async *rows(...given) {
    parses++
    for await (const one of little.rows(...given)) yield one
    yield batch(stops, [{ version: 'V1', stop_id: null as unknown as string, valid_from: 0 }])
    if (String(given[0][0]?.bytes).includes('damaged')) throw new FormatError('it breaks off')
  },
})
const WHOLE: Timetable = { V1: ['a', 'b', 'c', 'L'], V2: ['a', 'd', 'L', 'M'] }
const ROWS = ['V1/a', 'V1/b', 'V1/c', 'V2/a', 'V2/d', 'V1/L', 'V2/L', 'V2/M']

let stage: Stage
beforeEach(async () => {
  stage = await openStage()
  parses = 0
})
afterEach(() => stage.close())

const staged = (): string[] => readdirSync(stage.context.lake.engine.folder).filter((name) => name.startsWith('staged-'))

async function stopRows(): Promise<string[]> {
  const found = [...(await tableRows(stage.context, stops)), ...(await tableRows(stage.context, lines))]
  expect(new Set(found.map(({ fetch_id }) => fetch_id)).size).toBe(1)
  return found.map(({ version, stop_id, line }) => `${version}/${stop_id ?? line}`)
}

test('a judged document lands without being parsed again, and leaves no file', async () => {
  expect(await stage.publish(feed, 0, { versions: WHOLE })).toMatchObject({ outcome: 'accepted', quarantined: 1 })
  expect(staged()).toHaveLength(2)
  expect(await stage.runner.land(feed, never)).toEqual({ little_stops: 5, little_lines: 3 })
  expect(parses).toBe(1)
  expect(await stopRows()).toEqual(ROWS)
  expect(staged()).toEqual([])
})

test('another worker, as after a kill, lands the same rows from the archive', async () => {
  await stage.publish(feed, 0, { versions: WHOLE })
  const other = await stage.another()
  expect(await other.land(feed, never)).toEqual({ little_stops: 5, little_lines: 3 })
  expect(parses).toBeGreaterThan(1)
  expect(await stopRows()).toEqual(ROWS)
  expect(await stage.runner.land(feed, never)).toEqual({})
  expect(staged()).toEqual([])
})

test('of several waiting fetches only the newest is kept, and all land', async () => {
  await stage.publish(feed, 0, { versions: { V1: ['a', 'x', 'y'] } })
  await stage.publish(feed, 1, { versions: WHOLE })
  expect(staged()).toHaveLength(2)
  await stage.runner.land(feed, never)
  expect(await stopRows()).toEqual(ROWS)
  expect(staged()).toEqual([])
})

test.each([
  ['the guard refuses', { V1: ['a', 'b', 'L'] }, 'rows'],
  ['breaks off', { V1: ['a', 'b', 'c', 'damaged'] }, 'it breaks off'],
])('nothing is kept of a parse that %s', async (_, versions, reason) => {
  expect(await stage.publish(feed, 0, { versions })).toMatchObject({ outcome: 'rejected', reason: expect.stringContaining(reason) })
  expect(parses).toBe(1)
  expect(staged()).toEqual([])
})

test('a fetch is accepted where its rows cannot be kept, and lands from the archive', async () => {
  const { folder } = stage.context.lake.engine
  rmSync(folder, { recursive: true })
  expect(await stage.publish(feed, 0, { versions: WHOLE })).toMatchObject({ outcome: 'accepted', rows: { little_stops: 5 } })
  expect(stage.lines.map(({ msg }) => msg)).toContain('could not spool rows; the landing reads the archive instead')
  mkdirSync(folder)
  expect(await stage.runner.land(feed, never)).toEqual({ little_stops: 5, little_lines: 3 })
  expect(await stopRows()).toEqual(ROWS)
})
