import type { Redis } from 'ioredis'
import { LIVE_KEYS } from './keys.ts'

/**
 * Marks Redis with the identity (any stable text) of the lake whose live state it contains. Throws if it belongs to another lake:
 * rows of two lakes, or of two source modes, must never mix.
 */
export async function claimRedis(redis: Redis, lake: string): Promise<void> {
  await redis.set(LIVE_KEYS.lake, lake, 'NX')
  const there = await redis.get(LIVE_KEYS.lake)
  if (there !== lake)
    throw new Error(
      `this Redis contains the live state of another lake (${there}), not of ${lake}: choose another database in REDIS_URL (as in redis://host:6379/1), or empty this one with FLUSHDB`,
    )
}
