import { BOUNDS_MS } from '../../../lake/requests/durations.ts'
import { MONTHS_SHOWN } from '../../../lake/requests/months.ts'
import { DOUBLE, INT32 } from '../../../lake/schema/json.ts'
import { SOURCE_MODES } from '../../../lake/system.ts'
import { pathGroups } from '../../auth/usage/path-groups.ts'
import { domains } from '../../endpoints/catalog.ts'
import type { Endpoint } from '../../kernel/endpoint.ts'
import { json, LASTING, NOT_MODIFIED, operation, type Part, parametersPart, problemResponse, ref } from '../../kernel/openapi-parts.ts'
import { PROMISE_PCT } from '../../kernel/promise.ts'
import { REASONS, STATES, type StatusReport } from './report.ts'
import { statusPage } from './status-page.ts'
import { statusReply } from './status-reply.ts'
import { STATUS_PARAMS } from './status-routes.ts'

const HEALTHS = ['OK', 'LATE', 'STALE', 'DOWN']

/** Describes the path with the state of the service. */
export function statusPaths(endpoints: readonly Endpoint[]): Part {
  const report = exampleOf(endpoints)
  const { content: asJson } = json('', statusReply(report, 'es'), STATUS_SCHEMA) as { readonly content: Part }
  return {
    '/status': {
      get: {
        ...operation(
          'status',
          ['Current state of the service, and its availability in a month', 'Cómo está el servicio y su disponibilidad en un mes'],
          {
            200: {
              description: `The freshness of each feed, and the availability of each group of paths against the promised ${PROMISE_PCT} %.`,
              content: {
                'text/html': { schema: { type: 'string' }, example: statusPage(report, 'es', 'https://api.example.org/status') },
                ...asJson,
              },
              headers: LASTING,
            },
            304: NOT_MODIFIED,
            400: problemResponse(['unknown-parameter', 'invalid-parameter']),
            406: ref('responses', '406'),
          },
        ),
        description: `The current month and those before it can be shown, ${MONTHS_SHOWN} in all, in UTC. \`method\` in the reply explains how minutes and times are measured.`,
        parameters: parametersPart(STATUS_PARAMS),
      },
    },
  }
}

const INCIDENTS = { es: 'Incidencias', en: 'Incidents' }
const DGT = { name: INCIDENTS, publisher: 'Dirección General de Tráfico' }
const SCT = { name: INCIDENTS, publisher: 'Servei Català de Trànsit' }

/** Returns a report in the middle of a month in which one feed failed. */
function exampleOf(endpoints: readonly Endpoint[]): StatusReport {
  const { list } = pathGroups(endpoints.slice(0, 1), domains, { repliesOf: () => () => undefined })
  const as_of = Date.UTC(2026, 0, 2, 12, 24)
  const late = as_of - 400_000
  const days = ['2026-01-01', '2026-01-02'].map((date, at) => ({
    date,
    minutes: at === 0 ? 1440 : 742,
    down_minutes: 0,
    availability_pct: 100,
  }))
  const figures = { down_minutes: 0, requests: 1520, refused: 12, failed: 0, p50_ms: 2, p95_ms: 15, p99_ms: 70, days }
  const feed = { domain: 'road', enabled: true, waiting: false, cadence_s: 60, failing_since: null, next_attempt_at: as_of + 28_000 }
  return {
    state: 'degraded',
    reasons: [{ code: 'feed-stale', of: 'sct_incidents' }],
    ...{
      as_of,
      source_mode: 'live',
      ready: {
        status: 'ready',
        redis: true,
        lake: true,
        store_full: false,
        redis_read_only: false,
        waiting_for: [],
        landing: [],
        phase: 'STEADY',
      },
    },
    feeds: [
      { ...feed, ...DGT, id: 'dgt_incidents', health: 'OK', last_success_at: as_of, data_time: as_of - 32_000, data_age_s: 32 },
      {
        ...feed,
        ...SCT,
        id: 'sct_incidents',
        health: 'STALE',
        last_success_at: late,
        data_time: late,
        data_age_s: 400,
        failing_since: late + 60_000,
      },
    ],
    delivery: { webhooks_lag_s: 0, streams_lag_s: 0, streams_open: 12 },
    ...{ month: '2026-01', before: '2025-12', after: null },
    uptime: { measured_from: Date.UTC(2026, 0, 1), measured_until: as_of - 120_000, minutes: 2182, silent: 0, outages: [] },
    groups: list.map((group) => ({ group, availability_pct: 100, met: true, ...figures })),
  }
}

const nullable = (type: string, description: string, more: Part = {}): Part => ({ type: [type, 'null'], description, ...more })
const INT32_FORMAT = { format: INT32.format }
const instant = (description: string): Part => nullable('string', description, { format: 'date-time' })
const count = (description: string): Part => nullable('integer', `${description} Unit: 1.`, { ...INT32_FORMAT, minimum: 0 })
const time = (share: number): Part =>
  nullable(
    'integer',
    `Time within which ${share} % of the served requests were answered, as one of ${BOUNDS_MS.length} upper bounds; the last, ${BOUNDS_MS.at(-1)}, also stands for longer times. Unit: ms.`,
    INT32_FORMAT,
  )
const object = (properties: Part): Part => ({ type: 'object', required: Object.keys(properties), properties })

const FEED: Part = {
  id: { type: 'string', description: 'Id of the feed, as in /api/freshness.' },
  name: { type: 'string', description: 'The datasets that it fills, in words.' },
  publisher: nullable('string', 'Who publishes it.'),
  domain: { type: 'string', description: 'Domain of its data.' },
  enabled: { type: 'boolean', description: 'False if it is not fetched at present.' },
  cadence_s: { ...INT32, description: 'Expected time between two fetches. Unit: s.' },
  last_success_at: instant('Last successful fetch.'),
  data_time: instant('Publication time of the newest data.'),
  health: {
    type: ['string', 'null'],
    enum: [...HEALTHS, null],
    description: 'Late at twice, stale at three times its cadence; null if it is not fetched.',
  },
  waiting: { type: 'boolean', description: 'True if it is fetched and has never delivered.' },
  data_age_s: nullable('integer', 'Age of the newest data at `as_of`. Unit: s.', INT32_FORMAT),
  failing_since: instant('When fetches began to fail or to be rejected.'),
  next_attempt_at: instant('Next fetch; null for a stream.'),
}

const DAY: Part = {
  date: { type: 'string', format: 'date', description: 'Day, in UTC.' },
  minutes: { ...INT32, description: 'Counted minutes. Unit: 1.' },
  down_minutes: { ...INT32, description: 'Minutes of those in which it was down. Unit: 1.' },
  availability_pct: { ...DOUBLE, description: 'Share of the minutes in which it was up, rounded down to thousandths. Unit: %.' },
}

const OUTAGE: Part = {
  group: nullable('string', 'Id of the group that was down; null if no process of the API ran, which is all of them.'),
  from: { type: 'string', format: 'date-time', description: 'Start of its first minute.' },
  until: { type: 'string', format: 'date-time', description: 'End of its last minute.' },
  down_minutes: {
    ...INT32,
    description: 'Minutes in between that were down; breaks of less than a quarter of an hour do not end it. Unit: 1.',
  },
}

const GROUP: Part = {
  group: { type: 'string', description: 'Id of the group: a domain of data, `account` or `platform`.' },
  title: { type: 'string', description: 'The same in words.' },
  paths: { type: 'array', items: { type: 'string' }, description: 'Its paths; each is in one group.' },
  availability_pct: nullable('number', 'Share of the minutes in which it was up, rounded down to thousandths. Unit: %.', {
    format: DOUBLE.format,
  }),
  met: nullable('boolean', 'Whether the promise is kept so far; null if nothing is measured.'),
  down_minutes: count('Minutes in which it was down.'),
  requests: count('All finished requests, whatever their outcome.'),
  refused: count('Requests refused as mistakes of their callers, or over a limit (4xx).'),
  failed: count('Requests that failed by our fault (5xx).'),
  p50_ms: time(50),
  p95_ms: time(95),
  p99_ms: time(99),
  days: { type: 'array', items: object(DAY), description: 'The counted days of the month.' },
}

const STATUS_SCHEMA: Part = Object.freeze({
  state: { type: 'string', enum: STATES, description: 'State of the service.' },
  reasons: {
    type: 'array',
    description: 'Why the state is not ok, and changes of tables by other writers.',
    items: object({
      code: { type: 'string', enum: Object.keys(REASONS), description: 'What is wrong.' },
      of: nullable('string', 'The affected feed, group or dataset.'),
      text: { type: 'string', description: 'The same in words.' },
    }),
  },
  as_of: { type: 'string', format: 'date-time', description: 'Time of this report.' },
  source_mode: { type: 'string', enum: SOURCE_MODES, description: 'The publishers themselves, recorded captures, or a stand-in.' },
  redis: { type: 'boolean', description: 'True if Redis answers. If it does not, the last good state is served.' },
  lake: { type: 'boolean', description: 'True if the object store answers.' },
  feeds: { type: 'array', items: object(FEED) },
  delivery: object({
    webhooks_lag_s: nullable(
      'integer',
      'Age of the oldest event that is not yet matched with webhooks; null if unknown. Unit: s.',
      INT32_FORMAT,
    ),
    streams_lag_s: nullable('integer', 'Time for which the answering process could not read the log of events. Unit: s.', INT32_FORMAT),
    streams_open: { ...INT32, description: 'Streams of events open in the answering process. Unit: 1.' },
  }),
  uptime: object({
    month: { type: 'string', description: 'The month, as YYYY-MM.' },
    timezone: { type: 'string', const: 'UTC', description: 'Time zone of the months.' },
    promise_pct: { ...DOUBLE, description: 'Promised availability of each group. Unit: %.' },
    method: { type: 'string', description: 'How this is measured.' },
    measured_from: instant('First minute that counts: the start of the month, or the first minute of the service if later.'),
    measured_until: instant('End of the counted minutes; later ones may not be written yet.'),
    minutes: count('Minutes in between.'),
    minutes_without_heartbeat: count('Minutes in which no process of the API ran: down for every group.'),
    outages: { type: 'array', items: object(OUTAGE), description: 'The newest 50 spans in which something was down, newest first.' },
    groups: { type: 'array', items: object(GROUP) },
  }),
})
