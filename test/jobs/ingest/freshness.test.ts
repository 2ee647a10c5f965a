import { expect, test } from 'vitest'
import { defineFeed, type Feed } from '../../../jobs/feeds/define.ts'
import { feedStateAfter, feedStateOf } from '../../../jobs/ingest/freshness.ts'
import type { FetchOutcome } from '../../../jobs/ingest/pipeline.ts'
import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { dgt } from '../../../lake/datasets/road/sources.ts'
import { type FeedHealth, feedHealth } from '../../../lake/live/freshness.ts'
import type { AcceptedFetch } from '../../../lake/raw/archive.ts'

const TEN = Date.UTC(2026, 7, 25, 10)
const MINUTE = 60_000
const alerts = (freshBy?: 'publication' | 'fetch'): Feed =>
  defineFeed({
    ...{ id: 'alerts', source: dgt, into: [incidents], every_s: 120, plans: [], bands: {}, rows: () => [] },
    ...(freshBy ? { freshBy } : {}),
  })
const last: AcceptedFetch = {
  ...{ seq: 1, fetch_id: 'alerts.x', feed: 'alerts', bodies: [], rows: { rail_alerts: 6 }, blocks: {}, said_missing: {} },
  ...{ quarantined: 0, unknown_codes: 0, rejected: null, accepted_by: 'guard' },
  data_time: new Date(TEN).toISOString(),
  fetched_at: new Date(TEN + 3000).toISOString(),
}

/** Health of a feed whose publisher answers 304 for two hours after its last change, and then stops answering. */
function story(feed: Feed): FeedHealth[] {
  let before = feedStateOf(feed, { last, missing: {}, mode: 'live' })
  const look = (minute: number, outcome: 'unchanged' | 'failed'): FeedHealth => {
    const attempted_at = TEN + minute * MINUTE
    const result = { outcome, reason: 'not modified' } as FetchOutcome
    before = feedStateAfter(feed, { before, outcome: result, attempted_at, last, missing: {}, mode: 'live' })
    return feedHealth(before, feed.every_s, attempted_at)
  }
  return [look(2, 'unchanged'), look(8, 'unchanged'), look(120, 'unchanged'), look(125, 'failed'), look(127, 'failed'), look(141, 'failed')]
}

test('a feed rebuilt each time is as old as its publication, however often the same is given', () => {
  expect(story(alerts())).toEqual(['OK', 'STALE', 'STALE', 'STALE', 'STALE', 'DOWN'])
  expect(story(alerts('publication'))).toEqual(story(alerts()))
})

test('a feed rebuilt on change alone is as old as the last answer', () => {
  expect(story(alerts('fetch'))).toEqual(['OK', 'OK', 'OK', 'LATE', 'STALE', 'DOWN'])
})
