import { expect, test } from 'vitest'
import { judge, judgeWorkers, LIMITS, metricOf, type Sample, sumOf, type WorkersFigures } from '../../scripts/checks/load/verdict.ts'

const T0 = Date.parse('2026-11-21T08:00:00Z')
const on = (id: string, health: string, enabled = true) => ({ id, enabled, health, cadence_s: 20, last_success_at: null })

/** A sample of a worker that uses half a core, some minutes after the first. */
const sample = (minute: number, more: Partial<Sample> = {}): Sample => ({
  ...{
    at: T0 + 60_000 * minute,
    cpu_s: 100 + 30 * minute,
    memory_mb: 400,
    heap_mb: 100,
    started_s: 1,
    feeds: [on('a', 'OK'), on('off', 'DOWN', false)],
  },
  ...more,
})

test('a run below the limits with every enabled feed on time passes', () => {
  const peak = sample(1, { memory_mb: LIMITS.memory_mb })
  expect(judge([sample(0), peak, sample(2)])).toEqual({
    ...{ minutes: 2, feeds: 1, memory_mb: LIMITS.memory_mb, peak_min: 1, heap_mb: 100, cpu_pct: 50, late: {}, failures: [] },
  })
})

test.each<[string, Partial<Sample>, RegExp]>([
  ['memory', { memory_mb: 1501 }, /^the worker took 1501 MB, more than 1500$/],
  ['a restart', { started_s: 2 }, /^the worker was restarted 2 times$/],
  [
    'a late feed',
    { feeds: [on('a', 'LATE'), on('b', 'DOWN')] },
    /^feeds were late: a \(LATE, 1 of 3 samples from minute 1\), b \(DOWN, 1 of 3 samples from minute 1\)$/,
  ],
])('%s in the middle of a run fails it', (_what, more, words) => {
  expect(judge([sample(0), sample(1, more), sample(2)]).failures).toEqual([expect.stringMatching(words)])
})

test('the share of a core is that of the whole run', () => {
  const busy = (minute: number, cpu_s: number): Sample => sample(minute, { cpu_s })
  expect(judge([busy(0, 0), busy(1, 60), busy(2, 84)])).toMatchObject({ cpu_pct: 70, failures: [] })
  expect(judge([busy(0, 0), busy(1, 60), busy(2, 86)]).failures).toEqual(['the worker took 72 % of a core, more than 70'])
})

test('the worst health of a feed counts, and how often it was late; one sample is no run', () => {
  const feeds = (health: string): Partial<Sample> => ({ feeds: [on('a', health)] })
  expect(judge([sample(0, feeds('LATE')), sample(1, feeds('STALE')), sample(2, feeds('OK'))]).late).toEqual({
    a: { health: 'STALE', samples: 2, first_min: 0 },
  })
  expect(() => judge([sample(0)])).toThrow(/two samples/)
})

test('a feed that was fetched in time is not late because its publisher is', () => {
  const fetched = (ago_s: number): Partial<Sample> => ({
    feeds: [{ ...on('a', 'LATE'), last_success_at: new Date(T0 + 60_000 - 1000 * ago_s).toISOString() }],
  })
  expect(judge([sample(0), sample(1, fetched(40)), sample(2)]).late).toEqual({})
  expect(judge([sample(0), sample(1, fetched(41)), sample(2)]).late).toEqual({ a: { health: 'LATE', samples: 1, first_min: 1 } })
})

test('metrics are read by their whole name', () => {
  const text = '# HELP process_cpu_seconds_total x\nprocess_cpu_seconds_total 12.5\nprocess_cpu_seconds_total_more 3\n'
  expect(metricOf(text, 'process_cpu_seconds_total')).toBe(12.5)
  expect(() => metricOf(text, 'process_cpu')).toThrow(/no metric process_cpu/)
})

test('workers that repeat work or ask too much are named, each limit by its figure', () => {
  const of = (workers: number, more: Partial<WorkersFigures> = {}): WorkersFigures => ({
    ...{ workers, minutes: 5, fetches: 100, landings: 90, of_workers_min: {}, of_api_min: {} },
    ...{ parses_per_fetch: 1, requests_min: 300, requests_per_landing: 10, ...more },
  })
  expect(judgeWorkers([of(1), of(4, { requests_min: 320, requests_per_landing: 12 })])).toEqual([])
  const worse = [of(1, { requests_min: 301 }), of(2, { parses_per_fetch: 1.9 }), of(4, { requests_per_landing: 12.1 })]
  expect(judgeWorkers(worse)).toEqual([
    'one worker and an API sent 301 requests a minute',
    '2 workers parsed each fetch 1.90 times',
    '4 workers sent 12.1 requests for each landing, one 10.0',
  ])
})

test('values of a metric are summed over the labels that match', () => {
  const text =
    '# HELP n_total x\nn_total{feed="a",outcome="done"} 2\nn_total{feed="b",outcome="done"} 3\nn_total{feed="b",outcome="error"} 4\nother{} 9'
  expect([sumOf(text, 'n_total', /outcome="done"/), sumOf(text, 'n_total', /feed="b"/), sumOf(text, 'none', /./)]).toEqual([5, 7, 0])
})
