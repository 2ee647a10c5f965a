import { Redis, type RedisOptions } from 'ioredis'

/** How a connection behaves where the defaults do not fit. */
export interface ConnectOptions {
  /** Longest wait for a reply, in ms; none unless told (blocking commands wait by design). */
  readonly commandTimeout_ms?: number
  /** False makes commands fail at once while Redis is away, instead of waiting for it. */
  readonly queueWhileAway?: boolean
  /** False drops commands that were on their way when the connection broke, instead of giving them once more after it is back. */
  readonly repeatBroken?: boolean
  /** Told of connection errors, which repeat at every attempt to reconnect. */
  readonly onError?: (error: Error) => void
}

/**
 * Opens a connection that reconnects for ever, at most every second. `url` is `redis://…`, `rediss://…`, `unix:///path` or the path of a
 * socket. Commands given while Redis is away wait for it unless `queueWhileAway` is false. Who opens it closes it (`disconnect()`).
 */
export function openRedis(
  url: string,
  { commandTimeout_ms, queueWhileAway = true, repeatBroken = true, onError }: ConnectOptions = {},
): Redis {
  const options = {
    maxRetriesPerRequest: null,
    enableOfflineQueue: queueWhileAway,
    autoResendUnfulfilledCommands: repeatBroken,
    retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 6), 1000),
    ...(commandTimeout_ms === undefined ? {} : { commandTimeout: commandTimeout_ms }),
  } satisfies RedisOptions
  const path = socketPath(url)
  const redis = path === null ? new Redis(url, options) : new Redis({ ...options, path })
  redis.on('error', (error: Error) => onError?.(error))
  return redis
}

/** Resolves once a connection is there for the first time, and after `most_ms` in any case: who starts beside Redis does not pass it by. */
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
