/**
 * How a process that runs feeds is started, so that it keeps to the memory it needs: V8 and glibc otherwise let a heap of 40 MB grow to
 * several hundred on a large machine. Speed is the same (scripts/bench, the parsers under both). DuckDB's own allocator (jemalloc, by its
 * prefix) keeps what was freed for seconds that the next statement does not wait: sorting and writing 1.9 M rows in 31 files peaks at 214 MB
 * instead of 275, for a quarter more time of DuckDB's.
 */
export const FEED_PROCESS = {
  flags: ['--max-semi-space-size=4', '--heap-growing-percent=30'],
  env: { MALLOC_ARENA_MAX: '2', DUCKDB_JE_MALLOC_CONF: 'dirty_decay_ms:0,muzzy_decay_ms:0,narenas:2' },
} as const
