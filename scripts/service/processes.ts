/** Makes glibc return freed buffers at once: its threshold for own mappings otherwise grows with the largest buffer seen. */
const MALLOC = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' } as const

/**
 * Settings that keep a process with feeds small: V8 and glibc otherwise let a heap of 40 MB grow to several hundred. Parsers stay
 * as fast (scripts/bench). DuckDB's jemalloc returns freed memory at once: sorting and writing 1.9 M rows in 31 files peaks at
 * 214 MB instead of 275, for a quarter more time of DuckDB.
 */
export const FEED_PROCESS = {
  flags: ['--max-semi-space-size=4', '--heap-growing-percent=30'],
  env: { ...MALLOC, DUCKDB_JE_MALLOC_CONF: 'dirty_decay_ms:0,muzzy_decay_ms:0,narenas:2' },
} as const

/**
 * The same for a process of the API, whose requests make more short-lived objects. One with only incidents, after 400 lists: 322
 * MB instead of 453.
 */
export const API_PROCESS = {
  flags: ['--max-semi-space-size=8', '--heap-growing-percent=30'],
  env: { ...MALLOC, DUCKDB_JE_MALLOC_CONF: 'dirty_decay_ms:1000,muzzy_decay_ms:0,narenas:2' },
} as const

/** The same for the process that delivers webhooks, which is mostly idle. */
const DELIVER_PROCESS = {
  flags: ['--max-old-space-size=512', '--max-semi-space-size=2', '--heap-growing-percent=20'],
  env: { ...MALLOC },
} as const

/** The processes of the service, and the flags that keep their memory small. */
export const PROCESSES = {
  // The stand-in has no state worth a restart: it is never killed for being busy.
  publishers: {
    ...{ script: 'run-publishers.ts', flags: ['--max-old-space-size=192', '--max-semi-space-size=8'], env: {} },
    busy_ms: Number.POSITIVE_INFINITY,
  },
  worker: { script: 'run-worker.ts', ...FEED_PROCESS },
  api: { script: 'run-api.ts', ...API_PROCESS },
  deliver: { script: 'run-deliver.ts', ...DELIVER_PROCESS },
} as const
