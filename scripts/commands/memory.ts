/**
 * Settings that keep a process with feeds small: V8 and glibc otherwise let a heap of 40 MB grow to several hundred. Parsers stay
 * as fast (scripts/bench). DuckDB's jemalloc returns freed memory at once: sorting and writing 1.9 M rows in 31 files peaks at
 * 214 MB instead of 275, for a quarter more time of DuckDB.
 */
export const FEED_PROCESS = {
  flags: ['--max-semi-space-size=4', '--heap-growing-percent=30'],
  env: { MALLOC_ARENA_MAX: '2', DUCKDB_JE_MALLOC_CONF: 'dirty_decay_ms:0,muzzy_decay_ms:0,narenas:2' },
} as const
