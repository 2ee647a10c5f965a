import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Feed, FeedBody } from '../../../jobs/feeds/define.ts'
import { newestTime } from '../../../jobs/feeds/newest-time.ts'
import { barcelonaTraffic } from '../../../jobs/feeds/road/barcelona-traffic.ts'
import { bilbaoTraffic } from '../../../jobs/feeds/road/bilbao-traffic.ts'
import { judge } from '../../../jobs/ingest/guard.ts'
import { parsePublication } from '../../../jobs/ingest/parse.ts'
import { instantOf, madridDate, offsetAt } from '../../../lake/schema/time.ts'
import { PROJECT } from '../../laws/sources.ts'

const MINUTE = 60_000
const AT = Date.UTC(2026, 10, 25, 11)

test('wrong clocks do not move the time of a publication, whatever they show', () => {
  const ahead = fc.integer({ min: 1, max: 5e11 })
  const behind = fc.integer({ min: 5 * MINUTE, max: 5e11 })
  fc.assert(
    fc.property(fc.array(ahead), fc.array(behind), (wrong, frozen) => {
      const times = [...wrong.map((by) => AT + by), AT - 4 * MINUTE, ...frozen.map((by) => AT - by)]
      expect(newestTime(times, AT)).toBe(AT - 4 * MINUTE)
    }),
  )
})

test.each([
  ['a publisher whose clock is ahead is believed within the tolerance', [AT + 3 * MINUTE, AT + 2 * MINUTE, AT - 5e10], AT + 3 * MINUTE],
  ['beyond it the newest is left for the guard to refuse', [AT + 11 * MINUTE, AT + 12 * MINUTE], AT + 12 * MINUTE],
  ['an old publication keeps its time', [AT - 60 * MINUTE, AT - 90 * MINUTE, AT + 5e10], AT - 60 * MINUTE],
  ['none', [], Number.NEGATIVE_INFINITY],
])('%s', (_, times, expected) => {
  expect(newestTime(times, AT)).toBe(expected)
})

/** A local time as Bilbao (`YYYY-MM-DD HH:MM:SS`) and Barcelona (`YYYYMMDDHHMMSS`) write it. */
const local = (at: number): string => new Date(at + offsetAt(at)).toISOString().slice(0, 19).replace('T', ' ')

const bilbao = (times: readonly number[]): FeedBody => {
  const list = JSON.parse(readFileSync(join(PROJECT, 'test/fixtures/bilbao_traffic/sections.json'), 'utf8'))
  const [feature] = list.features
  const features = times.map((at, nth) => ({
    ...feature,
    properties: { ...feature.properties, CodigoSeccion: String(nth + 1), FechaHora: local(at) },
  }))
  return { name: 'sections', bytes: Buffer.from(JSON.stringify({ ...list, features })) }
}
const barcelona = (times: readonly number[]): FeedBody => ({
  name: 'sections',
  bytes: Buffer.from(times.map((at, nth) => `${nth + 1}#${local(at).replaceAll(/\D/g, '')}#1#2\n`).join('')),
})

describe.each([
  ['bilbao_traffic', bilbaoTraffic, bilbao, 60],
  ['barcelona_traffic', barcelonaTraffic, barcelona, 300],
] as const)('%s', (_, feed: Feed, write, count) => {
  test.each([
    ['a year ahead', 365 * 86_400_000, count - 1],
    ['ten minutes ahead', 10 * MINUTE - 1000, count],
    ['years behind', -3 * 365 * 86_400_000, count],
  ])('one clock that is %s loses its own row at most', async (_name, by, kept) => {
    const times = Array.from({ length: count }, (_one, nth) => (nth === 7 ? AT + by : AT - 2 * MINUTE))
    expect(instantOf(madridDate(AT), local(AT).slice(11))).toBe(AT)
    const publication = await parsePublication(feed, [write(times)], AT, { keeps: () => true })
    expect(publication.data_time).toBe(AT - 2 * MINUTE)
    expect(judge(feed, publication, null).kind).toBe('accept')
    const rows = publication.rows.get('traffic_section_states') ?? []
    expect(rows).toHaveLength(kept)
    expect(publication.report.quarantined['traffic_section_states'] ?? {}).toEqual(
      kept === count ? {} : { 'observed_at is later than the fetch': 1 },
    )
  })
})
