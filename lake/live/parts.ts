import type { Redis } from 'ioredis'
import { LIVE_KEYS, partField, snapshotKey } from './keys.ts'
import type { LivePart } from './types.ts'

/** Reads a value of `live:parts`: `<version> <seq> <header as JSON>`. */
export function partOf(feed: string, value: string): LivePart {
  const [, version, seq, header] = /^(\d+) (\d+) (.*)$/s.exec(value) ?? []
  if (header === undefined) throw new Error(`live part of ${feed}: cannot read ${value.slice(0, 80)}`)
  return { feed, version: Number(version), seq: Number(seq), ...(JSON.parse(header) as Omit<LivePart, 'feed' | 'version' | 'seq'>) }
}

/** A part and its snapshot, both null if Redis has none. */
export async function readPart(redis: Redis, dataset: string, feed: string): Promise<{ part: LivePart | null; bytes: Buffer | null }> {
  const [value, bytes] = await inOneStep(
    redis.multi().hget(LIVE_KEYS.parts, partField(dataset, feed)).getBuffer(snapshotKey(dataset, feed)),
  )
  return { part: value === null ? null : partOf(feed, value as string), bytes: bytes as Buffer | null }
}

/** Replies of a transaction. Throws the first error among them. */
export async function inOneStep(transaction: ReturnType<Redis['multi']>): Promise<unknown[]> {
  const replies = await transaction.exec()
  if (!replies) throw new Error('a Redis transaction was dropped')
  return replies.map(([error, reply]) => {
    if (error) throw error
    return reply
  })
}
