import { dataAge_s, feedHealth } from '../../../lake/live/freshness.ts'
import { defineCodes } from '../../../lake/schema/codes.ts'
import { defineEndpoint, listReturn, type SystemView } from '../../kernel/endpoint.ts'
import { field, maybe, nested, nulls, pick, record, type ValueOf } from '../../kernel/fields.ts'
import { chosenOf, textParam } from '../../kernel/params/params.ts'

/** Health of a feed. */
export const FEED_HEALTH = defineCodes('feed_health', 'Health of a feed by the age of its last success.', {
  OK: ['Al día', 'On time'],
  LATE: ['Con retraso (2 veces la cadencia)', 'Late (2 × its cadence)'],
  STALE: ['Anticuado (3 veces la cadencia)', 'Stale (3 × its cadence)'],
  DOWN: ['Sin datos', 'Down'],
})

/** Most characters of a reason. */
const MAX_REASON = 300

const freshness = record('FeedFreshness', 'Freshness of the data of a feed.', {
  id: field.text('Id of the feed.', 'dgt_incidents'),
  domain: field.text('Domain of its data.', 'road'),
  source: field.text('Source that publishes it.', 'dgt'),
  datasets: field.list('Datasets that it fills.', field.text('Id of a dataset.'), ['incidents', 'v16_beacons']),
  enabled: field.boolean('False if it is not fetched at present.', true),
  health: field.code('Health: late at twice, stale at three times its cadence.', FEED_HEALTH, 'OK'),
  stale: field.boolean('True if health is STALE or DOWN.', false),
  cadence_s: field.integer('Expected time between two fetches.', 's', 60),
  last_attempt_at: maybe.instant('Last fetch, successful or not.', '2026-01-02T12:24:00.000Z'),
  last_success_at: maybe.instant('Last successful fetch.', '2026-01-02T12:24:00.000Z'),
  data_time: maybe.instant('Publication time of the newest data.', '2026-01-02T12:23:28.413Z'),
  data_age_s: maybe.integer(
    'Age of the newest data at `updated_at` of this reply; negative if its time is in the future, which is an error.',
    's',
    32,
  ),
  failing_since: maybe.instant('Begin of the current run of failed or rejected fetches; null while they succeed.', null),
  last_error: maybe.text('Why the last fetch failed or was rejected; null if it succeeded.', null),
  next_attempt_at: maybe.instant(
    'Next fetch: 1, 2, 5, 15 and 60 minutes after failures in a row, else by the cadence. Past while it runs; null for a stream.',
    '2026-01-02T12:25:00.000Z',
  ),
  rows: field.json('Rows of the newest data by dataset.', { incidents: 354, v16_beacons: 193 }),
  quarantined: field.integer('Rows of it that failed a check.', '1', 0),
  unknown_codes: field.integer('Codes in it that are in no list.', '1', 0),
  missing_blocks: field.list('Blocks that the newest publication lacks, as dataset/block.', field.text('Name of a block.'), []),
  lost_fetches: field.integer('Accepted fetches whose rows are missing, because their stored copy can no longer be read.', '1', 0),
  key_expires_at: maybe.instant("When the operator's key for its publisher expires; null if it needs none.", null),
  backfill: nested.maybe('Progress of the background backfill of an archive; null if none was started.', {
    files: field.integer('Files from before this service began that it needs and the publisher has.', '1', 5),
    present: field.integer('Files of those that are loaded.', '1', 3),
  }),
})

/** Returns a reason without the values of parameters, which may be a publisher's key, and of bounded length. */
function shownReason(reason: string | null): string | null {
  return reason?.replace(/([?&][\w.-]+=)[^&\s"']+/g, '$1…').slice(0, MAX_REASON) ?? null
}

/** A feed that was never fetched. */
const NEVER = { ...nulls(freshness.fields), rows: {}, quarantined: 0, unknown_codes: 0, missing_blocks: [], lost_fetches: 0 } as const

function feedsOf({ feeds, states }: SystemView, now: number): ValueOf<typeof freshness.fields>[] {
  return feeds.map((feed) => {
    const state = states.get(feed.id) ?? null
    const health = feedHealth(state, feed.every_s, now)
    const { data_time, last_error } = state ?? NEVER
    return {
      ...{ ...NEVER, ...state, ...pick(feed, 'id', 'domain', 'source', 'datasets', 'enabled') },
      ...{ health, stale: health === 'STALE' || health === 'DOWN', cadence_s: feed.every_s },
      data_age_s: data_time === null ? null : dataAge_s(data_time, now),
      last_error: shownReason(last_error),
      key_expires_at: feed.key_expires_at ?? null,
    }
  })
}

/** Freshness of the data. */
export const freshnessList = defineEndpoint({
  path: '/api/freshness',
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
      const ids = system.feeds.map(({ id }) => id)
      const wanted = chosenOf('feed', feed, ids)
      return feedsOf(system, now).filter((one) => wanted === null || one.id === wanted)
    },
  },
  example: {},
})
