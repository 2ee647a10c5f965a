/**
 * How a process that runs feeds is started, so that it keeps to the memory it needs: V8 and glibc otherwise let a heap of 40 MB grow to
 * several hundred on a large machine. Speed is the same (scripts/bench, the parsers under both).
 */
export const FEED_PROCESS = {
  flags: ['--max-semi-space-size=4', '--heap-growing-percent=30'],
  env: { MALLOC_ARENA_MAX: '2' },
} as const
