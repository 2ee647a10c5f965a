import { counter, defineMetrics, gauge } from '../../lake/metrics/define.ts'

/** Statuses of replies in metrics: `gone` if the caller left before the whole reply was sent. */
export const STATUSES = ['2xx', '3xx', '4xx', '5xx', 'gone'] as const
/** Methods of requests in metrics: a fixed list, whatever callers send. */
export const METHODS = ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'other'] as const
/** The route of requests with unknown paths. */
export const UNMATCHED = 'unmatched'

/** Metrics of an API process, besides those of every process (`LAKE_METRICS`). */
export const API_METRICS = defineMetrics({
  requests: counter(
    'traffic_api_requests_total',
    'Requests by pattern of their path, method, class of status and plan of their key. Route is unmatched for unknown paths; status is gone if the caller left before the whole reply was sent; plan is none without a key, and for paths without data.',
    ['route', 'method', 'status', 'plan'],
  ),
  durations: {
    name: 'traffic_api_request_duration_seconds',
    kind: 'histogram',
    help: 'Time from reading the head of a request to sending its reply, by route, method and status as in traffic_api_requests_total.',
    labels: ['route', 'method', 'status'],
    // Replies from memory take less than 1 ms, queries of the lake tens of ms to seconds, and are stopped after 30 s.
    buckets_s: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  },
  underWay: gauge('traffic_api_requests_under_way', 'Requests whose reply is not sent yet.'),
  problems: counter(
    'traffic_api_problems_total',
    'Replies that are a problem, by its code, such as quota-exceeded, invalid-key or plan-required; including those to malformed requests, which traffic_api_requests_total does not count.',
    ['code'],
  ),
  cached: gauge('traffic_api_reply_cache_entries', 'Replies kept in memory.'),
  cachedBytes: gauge('traffic_api_reply_cache_bytes', 'Approximate memory of kept replies.'),
  cacheLimit: gauge('traffic_api_reply_cache_limit_bytes', 'Memory that kept replies may take.'),
  cacheHits: counter(
    'traffic_api_reply_cache_hits_total',
    'Replies found in memory, by the kind of lookup: url before parsing, tag after it.',
    ['by'],
  ),
  cacheMisses: counter('traffic_api_reply_cache_misses_total', 'Replies that were not found in memory.'),
  spool: gauge('traffic_api_spool_bytes', 'Disk space of replies that are being made or sent.'),
  spoolLimit: gauge('traffic_api_spool_limit_bytes', 'Disk space that such replies may take.'),
  line: gauge('traffic_api_kept_reads_waiting', 'Reads of tables for memory that wait for earlier reads.'),
  alone: gauge('traffic_api_limiter_fallback_active', '1 while Redis counts no requests and this process limits alone, else 0.'),
  redisReadOnly: gauge('traffic_api_redis_read_only', '1 while Redis answers and refuses writes, else 0.'),
  storeFull: gauge('traffic_api_store_full', '1 if the object store had no room at the last check of /ready or /status, else 0.'),
  age: gauge(
    'traffic_feed_age_seconds',
    'Age of the newest data of a feed, by its publication time, as in /api/freshness; none before the first.',
    ['feed'],
  ),
  cadence: gauge('traffic_feed_cadence_seconds', 'Expected time between two fetches of a feed.', ['feed']),
  success: gauge('traffic_feed_last_success_timestamp_seconds', 'Last successful fetch of a feed; none before the first.', ['feed']),
  health: gauge(
    'traffic_feed_health',
    '1 for the health that a feed is in and 0 for the others: OK, LATE at twice, STALE at three times its cadence, DOWN.',
    ['feed', 'health'],
  ),
})
