import { Redis, type RedisOptions } from 'ioredis'

/** Options of a connection. */
export interface ConnectOptions {
  /** Longest wait for a reply, in ms; unlimited by default (blocking commands wait by design). */
  readonly commandTimeout_ms?: number
  /** False makes commands fail at once while Redis is away instead of queueing them. */
  readonly queueWhileAway?: boolean
  /** False drops commands in flight when the connection breaks, instead of repeating them after reconnecting. */
  readonly repeatBroken?: boolean
  /** Called with connection errors, which repeat at every reconnect attempt. */
  readonly onError?: (error: Error) => void
}

/**
 * Opens a connection that reconnects forever, at most every second. `url` is `redis://…`, `rediss://…`, `unix:///path` or a
 * socket path. Commands are queued while Redis is away unless `queueWhileAway` is false. The caller closes it (`disconnect()`).
 */
export function openRedis(
  url: string,
  { commandTimeout_ms, queueWhileAway = true, repeatBroken = true, onError }: ConnectOptions = {},
): Redis {
  const options = {
    maxRetriesPerRequest: null,
    enableOfflineQueue: queueWhileAway,
    autoResendUnfulfilledCommands: repeatBroken,
    // A server that was demoted keeps its connections: the address may lead to another one by now.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
    retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 6), 1000),
    ...(commandTimeout_ms === undefined ? {} : { commandTimeout: commandTimeout_ms }),
  } satisfies RedisOptions
  const path = socketPath(url)
  const redis = path === null ? new Redis(url, options) : new Redis({ ...options, path })
  redis.on('error', (error: Error) => onError?.(error))
  return redis
}

/** Resolves at the first connection, or after `most_ms`: a process that starts at the same time as Redis does not miss it. */
export function firstReached(redis: Redis, most_ms: number): Promise<void> {
  return new Promise((resolve) => {
    redis.once('ready', resolve)
    setTimeout(resolve, most_ms).unref()
  })
}

function socketPath(url: string): string | null {
  if (url.startsWith('/')) return url
  if (url.startsWith('unix://')) return decodeURIComponent(url.slice('unix://'.length))
  if (/^rediss?:\/\//.test(url)) return null
  throw new Error(`redis url ${url}: expected redis://…, rediss://…, unix:///path or an absolute path`)
}
