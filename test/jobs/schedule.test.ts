import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dueRetry, nextAttemptAt, nextTickAt } from '../../jobs/schedule.ts'
import type { FeedState } from '../../lake/live/freshness.ts'

const MINUTE = 60_000
const NOW = Date.UTC(2026, 10, 28, 10)
const daily = { id: 'timetable', every_s: 86_400 }
const stateOf = (more: Partial<FeedState>): FeedState => ({
  ...{ feed: 'timetable', last_attempt_at: NOW, last_success_at: null, fresh_at: null, data_time: null, last_fetch_id: null, rows: {} },
  ...{ quarantined: 0, unknown_codes: 0, missing_blocks: [], last_error: 'timeout', failing_since: NOW, lost_fetches: 0, ...more },
})

test('a failed feed is fetched again after 1, 2, 5, 15 and 60 minutes, then by its cadence', () => {
  const tick = nextTickAt(daily, NOW) as number
  const waits = [1, 2, 3, 4, 5].map((failures) => ((nextAttemptAt(daily, failures, NOW) as number) - NOW) / MINUTE)
  // Its tick may be sooner than the last of these.
  expect(waits).toEqual([1, 2, 5, 15, 60].map((minutes) => Math.min(minutes, (tick - NOW) / MINUTE)))
  expect([0, 6, 7, 100].map((failures) => nextAttemptAt(daily, failures, NOW))).toEqual([tick, tick, tick, tick])
})

test('the next attempt is never later than the cadence, always in the future, and null for a stream', () => {
  const feed = fc.record({ id: fc.string({ minLength: 1 }), every_s: fc.integer({ min: 1, max: 1_000_000 }) })
  fc.assert(
    fc.property(feed, fc.nat({ max: 12 }), fc.integer({ min: NOW, max: 2 * NOW }), (one, failures, now) => {
      const [tick, next] = [nextTickAt(one, now) as number, nextAttemptAt(one, failures, now) as number]
      expect(tick).toBeGreaterThan(now)
      expect(tick - now).toBeLessThanOrEqual(1000 * one.every_s)
      expect(next).toBeGreaterThan(now)
      expect(next).toBeLessThanOrEqual(tick)
    }),
  )
  expect(nextAttemptAt({ ...daily, stream: {} as never }, 1, NOW)).toBeNull()
})

describe('a retry is due', () => {
  const due = (state: FeedState | null, now: number): string | null => dueRetry(daily, { state, since: NOW, now })

  test('once its time has come, under the same id in every worker, and never while the feed succeeds', () => {
    const failed = stateOf({ failures: 1, next_attempt_at: NOW + MINUTE })
    expect(due(failed, NOW + MINUTE - 1)).toBeNull()
    expect(due(failed, NOW + MINUTE)).toBe(due(failed, NOW + 3 * MINUTE))
    expect(due(failed, NOW + MINUTE)).not.toBe(due({ ...failed, next_attempt_at: NOW + 3 * MINUTE }, NOW + 3 * MINUTE))
    expect(due(stateOf({ failing_since: null, last_error: null, next_attempt_at: NOW }), NOW + MINUTE)).toBeNull()
  })

  test('for a failure that an earlier version recorded, and for a feed whose first fetch left no state', () => {
    expect(due(stateOf({}), NOW)).not.toBeNull()
    expect(due(null, NOW + MINUTE)).toBeNull()
    expect(due(null, NOW + 3 * MINUTE)).not.toBeNull()
    expect(due(null, NOW + 3 * MINUTE)).not.toBe(due(null, NOW + 5 * MINUTE))
  })
})
