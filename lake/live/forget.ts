import type { Redis } from 'ioredis'
import { LIVE_KEYS, logKey, partField, rowsKey, snapshotKey } from './keys.ts'
import { inOneStep } from './parts.ts'
import { defineScript, runScript } from './script.ts'

// The dataset's version grows, so that readers reload. Its change log restarts, since it has no entries for the removed rows.
const FORGET = defineScript(`
local parts, versions, starts, snapshot, rows, log, gone = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7]
local field, dataset, channel = ARGV[1], ARGV[2], ARGV[3]
if redis.call('HDEL', parts, field) == 0 then return 0 end
redis.call('DEL', snapshot, rows, log)
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local version = math.max(now, (tonumber(redis.call('HGET', versions, dataset)) or 0) + 1)
local text = string.format('%.0f', version)
redis.call('HSET', versions, dataset, text)
redis.call('HSET', gone, field, text)
redis.call('HSET', starts, dataset, text .. '-0 ' .. string.format('%.0f', now))
redis.call('PUBLISH', channel, dataset .. ' ' .. text)
return 1
`)

/** A part of live state declared by a catalogue. */
export interface DeclaredPart {
  readonly dataset: string
  readonly feed: string
}

/** Removes a part from live state if it exists: without a feed, nothing would renew it or mark it as stale. */
export async function forgetPart(redis: Redis, { dataset, feed }: DeclaredPart): Promise<void> {
  await runScript(redis, FORGET, {
    keys: [
      ...[LIVE_KEYS.parts, LIVE_KEYS.versions, LIVE_KEYS.logStart],
      ...[snapshotKey(dataset, feed), rowsKey(dataset, feed), logKey(dataset), LIVE_KEYS.gone],
    ],
    args: [partField(dataset, feed), dataset, LIVE_KEYS.channel],
  })
}

/** Removes parts of live state that no feed declares any more. Returns the removed parts. */
export async function forgetUndeclared(redis: Redis, declared: readonly DeclaredPart[]): Promise<DeclaredPart[]> {
  const fields = new Set(declared.map(({ dataset, feed }) => partField(dataset, feed)))
  const feeds = new Set(declared.map(({ feed }) => feed))
  const gone: DeclaredPart[] = []
  for (const field of await redis.hkeys(LIVE_KEYS.parts)) {
    if (fields.has(field)) continue
    const [dataset = '', feed = ''] = field.split('/')
    await forgetPart(redis, { dataset, feed })
    gone.push({ dataset, feed })
  }
  for (const feed of await redis.hkeys(LIVE_KEYS.feeds)) {
    if (feeds.has(feed)) continue
    await inOneStep(redis.multi().hset(LIVE_KEYS.gone, feed, 0).hdel(LIVE_KEYS.feeds, feed))
  }
  return gone
}
