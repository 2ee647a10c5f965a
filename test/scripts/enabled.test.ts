import { expect, test } from 'vitest'
import { feedById, feeds } from '../../jobs/feeds/catalog.ts'
import type { RequestPlan } from '../../jobs/feeds/define.ts'
import { aemetStations } from '../../jobs/feeds/weather/aemet-stations.ts'
import { type Config, readConfig } from '../../lake/config.ts'
import { disabledReason, enabledFeeds } from '../../scripts/commands/enabled.ts'

const KEY = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.abc'
const some = ['dgt_incidents', 'renfe_flota', 'aemet_observation', 'aemet_stations'].map(feedById)

test('against a stand-in every feed is run, with secrets or without, and captures replay all but streams', () => {
  const run = (mode: string): object =>
    enabledFeeds(readConfig({ SOURCE_MODE: mode, AEMET_API_KEY: KEY, AIS_RECEIVERS: 'tcp://127.0.0.1:4000' }), feeds)
  expect(run('simulated')).toEqual({ feeds, lacking: [] })
  expect(run('replay')).toEqual({ feeds: feeds.filter(({ stream }) => !stream), lacking: [] })
})

test('live, a feed without its secret is left out by name, and a forbidden one silently', () => {
  const { feeds: run, lacking } = enabledFeeds(readConfig({ SOURCE_MODE: 'live' }), some)
  expect(run.map(({ id }) => id)).toEqual(['dgt_incidents'])
  expect(lacking).toEqual([
    { feed: 'aemet_observation', set: 'AEMET_API_KEY' },
    { feed: 'aemet_stations', set: 'AEMET_API_KEY' },
  ])
  const keyed = enabledFeeds(readConfig({ SOURCE_MODE: 'live', AEMET_API_KEY: KEY }), some)
  expect(keyed.feeds.map(({ id }) => id)).toEqual(['dgt_incidents', 'aemet_observation', 'aemet_stations'])
  expect(keyed.lacking).toEqual([])
  expect(JSON.stringify(lacking)).not.toContain(KEY)
})

test('live, a feed with a plan that needs no secret runs without one', () => {
  const [keyed] = aemetStations.plans as [RequestPlan]
  const [open] = feedById('dgt_incidents').plans as [RequestPlan]
  const live = readConfig({ SOURCE_MODE: 'live' })
  for (const plans of [
    [open, keyed],
    [keyed, open],
  ]) {
    const feed = { ...aemetStations, plans }
    expect(enabledFeeds(live, [feed])).toEqual({ feeds: [feed], lacking: [] })
  }
})

test('live, a feed whose publisher has no open licence runs only where the operator states its agreement, turned on or not', () => {
  const aena = feedById('aena_flights')
  const settings = [{}, { LIVE_FEEDS: 'aena_flights' }, { AENA_TERMS: 'accepted' }]
  const configs = settings.map((more) => readConfig({ SOURCE_MODE: 'live', ...more }))
  expect(configs.map((config) => enabledFeeds(config, [...some, aena]).feeds.includes(aena))).toEqual([false, false, true])
  expect(configs.map((config) => disabledReason(config, aena))).toEqual([
    'The operator has not stated an agreement with the publisher (AENA_TERMS=accepted).',
    'The operator has not stated an agreement with the publisher (AENA_TERMS=accepted).',
    null,
  ])
  expect(disabledReason(readConfig({}), aena)).toBeNull()
  expect(disabledReason(configs[0] as Config, feedById('aemet_stations'))).toContain('AEMET_API_KEY')
  expect(disabledReason(configs[0] as Config, feedById('renfe_flota'))).toContain('LIVE_FEEDS')
  expect(() => readConfig({ AENA_TERMS: 'yes' })).toThrow('AENA_TERMS=yes: one of `accepted`')
})

test('live, a feed that is off by default runs if it is turned on, and an unknown feed is refused by name in any mode', () => {
  const idsOf = (names: string): string[] =>
    enabledFeeds(readConfig({ SOURCE_MODE: 'live', LIVE_FEEDS: names }), feeds).feeds.map(({ id }) => id)
  const usual = idsOf('')
  expect(usual).toContain('mitma_trips')
  for (const id of ['mitma_district_trips', 'mitma_gau_trips']) expect([usual.includes(id), idsOf(id).includes(id)]).toEqual([false, true])
  expect(idsOf('mitma_gau_trips,mitma_trips')).toHaveLength(usual.length + 1)
  for (const mode of ['live', 'simulated'])
    expect(() => enabledFeeds(readConfig({ SOURCE_MODE: mode, LIVE_FEEDS: 'mitma_gau' }), feeds)).toThrow('LIVE_FEEDS names mitma_gau')
  expect(() => readConfig({ LIVE_FEEDS: 'mitma gau' })).toThrow('LIVE_FEEDS=mitma gau: feed ids')
})
