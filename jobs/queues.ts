import { type Job, Queue, WaitingError } from 'bullmq'
import type { Redis } from 'ioredis'

/** Where the queue of export jobs is in Redis. */
export const EXPORT_QUEUE = { name: 'exports', prefix: 'jobs' } as const

/** The data of an export job: where its record is. */
export interface ExportData {
  readonly slot: string
  readonly id: string
}

/** Opens the queue of export jobs on the caller's connection; the caller closes both. */
export function openExportQueue(redis: Redis): Queue<ExportData> {
  return new Queue(EXPORT_QUEUE.name, { prefix: EXPORT_QUEUE.prefix, connection: redis })
}

/** Returns a running job to the queue, for another worker or the next start. */
export async function handBack(job: Job, token: string | undefined): Promise<never> {
  await job.moveToWait(token)
  throw new WaitingError()
}

/** Where earlier versions kept the queue of feeds and its schedules in Redis. */
const FEED_QUEUE = { name: 'feeds', schedules: 'jobs:schedules' } as const

/** Deletes the queue in which earlier versions kept the jobs of feeds, if there is one. */
export async function dropFeedQueue(redis: Redis): Promise<void> {
  if ((await redis.unlink(FEED_QUEUE.schedules)) === 0) return
  const queue = new Queue(FEED_QUEUE.name, { prefix: EXPORT_QUEUE.prefix, connection: redis })
  await queue.obliterate({ force: true })
  await queue.close()
}
