import { dataAge_s, feedHealth } from '../../../lake/live/freshness.ts'
import { defineCodes } from '../../../lake/schema/codes.ts'
import { col } from '../../../lake/schema/columns.ts'
import { defineEndpoint, listReturn, type SystemView } from '../../kernel/endpoint.ts'
import { nested, record, type ValueOf } from '../../kernel/fields.ts'
import { chosenOf, textParam } from '../../kernel/params/params.ts'

/** Health of a feed. */
export const FEED_HEALTH = defineCodes('feed_health', 'Health of a feed by the age of its last success.', {
  OK: ['Al día', 'On time'],
  LATE: ['Con retraso (2 veces la cadencia)', 'Late (2 × its cadence)'],
  STALE: ['Anticuado (3 veces la cadencia)', 'Stale (3 × its cadence)'],
  DOWN: ['Sin datos', 'Down'],
})

/** Most characters of a reason. */
const REASON_MOST = 300

const freshness = record('FeedFreshness', 'Freshness of the data of a feed.', {
  id: col.string(0, 'Id of the feed.', { example: 'dgt_incidents' }),
  domain: col.string(0, 'Domain of its data.', { example: 'road' }),
  source: col.string(0, 'Source that publishes it.', { example: 'dgt' }),
  datasets: col.list([0, 0], 'Datasets that it fills.', col.string(0, 'Id of a dataset.'), { example: ['incidents', 'v16_beacons'] }),
  enabled: col.boolean(0, 'False if it is not fetched at present.', { example: true }),
  health: col.code(0, 'Health: late at twice, stale at three times its cadence.', FEED_HEALTH, { example: 'OK' }),
  stale: col.boolean(0, 'True if health is STALE or DOWN.', { example: false }),
  cadence_s: col.integer(0, 'Expected time between two fetches.', { unit: 's', example: 60 }),
  last_attempt_at: col.instant(0, 'Last fetch, successful or not.', { nullable: true, example: '2026-01-02T12:24:00.000Z' }),
  last_success_at: col.instant(0, 'Last successful fetch.', { nullable: true, example: '2026-01-02T12:24:00.000Z' }),
  data_time: col.instant(0, 'Publication time of the newest data.', { nullable: true, example: '2026-01-02T12:23:28.413Z' }),
  data_age_s: col.integer(
    0,
    'Age of the newest data at `updated_at` of this reply; negative if its time is in the future, which is an error.',
    { unit: 's', nullable: true, example: 32 },
  ),
  failing_since: col.instant(0, 'Begin of the current run of failed or rejected fetches; null while they succeed.', {
    nullable: true,
    example: null,
  }),
  last_error: col.string(0, 'Why the last fetch failed or was rejected; null if it succeeded.', { nullable: true, example: null }),
  next_attempt_at: col.instant(
    0,
    'Next fetch: 1, 2, 5, 15 and 60 minutes after failures in a row, else by the cadence. Past while it runs; null for a stream.',
    {
      nullable: true,
      example: '2026-01-02T12:25:00.000Z',
    },
  ),
  rows: col.json(0, 'Rows of the newest data by dataset.', { example: { incidents: 354, v16_beacons: 193 } }),
  quarantined: col.integer(0, 'Rows of it that failed a check.', { unit: '1', example: 0 }),
  unknown_codes: col.integer(0, 'Codes in it that are in no list.', { unit: '1', example: 0 }),
  missing_blocks: col.list([0, 0], 'Blocks that the newest publication lacks, as dataset/block.', col.string(0, 'Name of a block.'), {
    example: [],
  }),
  lost_fetches: col.integer(0, 'Accepted fetches whose rows are missing, because their stored copy can no longer be read.', {
    unit: '1',
    example: 0,
  }),
  key_expires_at: col.instant(0, "When the operator's key for its publisher expires; null if it needs none.", {
    nullable: true,
    example: null,
  }),
  backfill: nested.object(
    'Progress of the background backfill of an archive; null if none was started.',
    {
      files: col.integer(0, 'Files from before this service began that it needs and the publisher has.', { unit: '1', example: 5 }),
      present: col.integer(0, 'Files of those that are loaded.', { unit: '1', example: 3 }),
    },
    { nullable: true },
  ),
})

/** Returns a reason without the values of parameters, which may be a publisher's key, and of bounded length. */
function shownReason(reason: string | null): string | null {
  return reason?.replace(/([?&][\w.-]+=)[^&\s"']+/g, '$1…').slice(0, REASON_MOST) ?? null
}

function feedsOf({ feeds, states }: SystemView, now: number): ValueOf<typeof freshness.fields>[] {
  return feeds.map((feed) => {
    const state = states.get(feed.id) ?? null
    const health = feedHealth(state, feed.every_s, now)
    const data_time = state?.data_time ?? null
    return {
      id: feed.id,
      domain: feed.domain,
      source: feed.source,
      datasets: feed.datasets,
      enabled: feed.enabled,
      health,
      stale: health === 'STALE' || health === 'DOWN',
      cadence_s: feed.every_s,
      last_attempt_at: state?.last_attempt_at ?? null,
      last_success_at: state?.last_success_at ?? null,
      data_time,
      data_age_s: data_time === null ? null : dataAge_s(data_time, now),
      failing_since: state?.failing_since ?? null,
      last_error: shownReason(state?.last_error ?? null),
      next_attempt_at: state?.next_attempt_at ?? null,
      rows: state?.rows ?? {},
      quarantined: state?.quarantined ?? 0,
      unknown_codes: state?.unknown_codes ?? 0,
      missing_blocks: state?.missing_blocks ?? [],
      lost_fetches: state?.lost_fetches ?? 0,
      key_expires_at: feed.key_expires_at ?? null,
      backfill: state?.backfill ?? null,
    }
  })
}

/** Freshness of the data. */
export const freshnessList = defineEndpoint({
  path: '/api/freshness',
  domain: 'service',
  plan: 'FREE',
  summary: 'Freshness of the data of each feed',
  summary_es: 'Lo reciente que son los datos de cada fuente',
  about: 'As of `updated_at`, which moves in steps of 10 seconds.',
  params: { feed: textParam('Only this feed.', { max: 60, example: 'dgt_incidents' }) },
  returns: listReturn('feeds', freshness, {
    sorts: ['id', 'data_age_s', 'health'],
    limit: { default: null, max: 20_000 },
  }),
  read: {
    kind: 'system',
    clockGranularity_s: 10,
    records: (system, { feed }, now) => {
      const wanted =
        feed === null
          ? null
          : chosenOf(
              'feed',
              feed,
              system.feeds.map((one) => one.id),
            )
      return feedsOf(system, now).filter((one) => wanted === null || one.id === wanted)
    },
  },
  example: {},
})
