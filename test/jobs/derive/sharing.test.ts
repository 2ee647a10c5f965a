import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { derivations } from '../../../jobs/derive/catalog.ts'
import { filledBy, inputsOf } from '../../../jobs/derive/define.ts'
import { ownedNames, type SharedDeriver, shareDeriver } from '../../../jobs/derive/sharing.ts'
import { feeds } from '../../../jobs/feeds/catalog.ts'
import { ownerOf } from '../../../jobs/owners.ts'
import { prepareTables } from '../../../jobs/upkeep/tasks.ts'
import { tableRows } from '../../helpers/pipeline.ts'
import { until } from '../../helpers/until.ts'
import { never, openStage, type Stage } from '../ingest/stage.ts'
import { differences, feed, lines, littleDerived, stops } from './little.ts'

test('derivations that read each other’s tables have one owner, that of the feed which fills most of their inputs', () => {
  const names = ownedNames(derivations, feeds)
  for (const derived of derivations)
    for (const other of derivations)
      if (inputsOf(derived).some((input) => filledBy(other).includes(input))) expect(names.get(derived)).toBe(names.get(other))
  const named = (id: string) => names.get(derivations.find(({ into }) => into.id === id) as (typeof derivations)[number])
  expect([named('traffic_forecasts'), named('fuel_forecasts')]).toEqual([
    'derive:traffic_hours@madrid_traffic',
    'derive:fuel_days@fuel_stations',
  ])
  expect(new Set(names.values()).size).toBeGreaterThan(8)
  const runs = [...names.values(), ...feeds.map(({ id }) => id)]
  const workers = ['a', 'b', 'c', 'd'].map((id) => ({ id, runs }))
  for (const name of names.values()) expect(ownerOf(name, workers)).toBe(ownerOf(name.split('@')[1] as string, workers))
})

let stage: Stage
let ending: AbortController
const derivers: SharedDeriver[] = []
beforeEach(async () => {
  ending = new AbortController()
  stage = await openStage()
  await prepareTables(stage.context, [stops, lines, differences])
})
afterEach(async () => {
  ending.abort()
  for (const deriver of derivers.splice(0)) await deriver.close()
  await stage.close()
})

test('only the owner of a derivation makes it, wherever its input lands, and a new owner makes what its predecessor did not', async () => {
  let owner = 'other'
  const made: string[] = []
  const start = async (name: string): Promise<SharedDeriver> => {
    const context = await stage.process()
    const write = (line: string): void => {
      const { made: versions = [] } = JSON.parse(line) as { readonly made?: readonly string[] }
      made.push(...versions.map((version) => `${name} ${version}`))
    }
    const deriver = shareDeriver(
      { ...context, log: pino({ level: 'info' }, { write }) },
      {
        ...{ redisUrl: stage.context.redis.options.path as string, derivations: [littleDerived()], feeds: [feed], signal: ending.signal },
        isOwned: () => owner === name,
        inTurn: (work) => work(),
      },
    )
    derivers.push(deriver)
    await deriver.listening
    return deriver
  }
  const [own, other] = [await start('own'), await start('other')]
  const land = async (count: number, version: string): Promise<void> => {
    await stage.publish(feed, count, { versions: { [version]: [version.toLowerCase(), 'L'] } })
    await stage.runner.land(feed, never)
  }
  await land(0, 'V1')
  await land(1, 'V2')
  await own.after(feed, never)
  await until('the owner makes it', () => made.length === 1)
  await own.all(never)
  await own.nightly(never)
  expect(made).toEqual(['other V2'])
  // This landing is not announced: the worker that landed it has died.
  await land(2, 'V3')
  owner = 'own'
  own.takeOver()
  await until('the next owner makes it', () => made.length === 2)
  await other.after(feed, never)
  await own.after(feed, never)
  expect(made).toEqual(['other V2', 'own V3'])
  expect(await tableRows(stage.context, differences)).toHaveLength(4)
})
