import { Redis, type RedisOptions } from 'ioredis'
import { LIVE_KEYS } from './keys.ts'

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
    // ioredis does not handle the rejection if the connection is closed meanwhile, which ends the process; see `listen`.
    autoResubscribe: false,
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

/** A subscription to a channel. */
export interface Listening {
  /** False while messages may be missed: before it has subscribed, and while Redis is away. */
  readonly isListening: boolean
  close(): void
}

/** What is done with messages of a channel. */
export interface ListenOptions {
  readonly onMessage: (message: string) => void
  /** Called after each subscription, the first one included: messages from before may have been missed. */
  readonly onListening?: () => void
  /** Called when the connection is lost. */
  readonly onAway?: () => void
  /** Called if an open connection refuses to subscribe; it is tried again at the next connection. */
  readonly onError?: (error: Error) => void
}

/** Listens to a channel. Subscribes at each connection; the caller closes it. */
export function listen(url: string, channel: string, { onMessage, onListening, onAway, onError }: ListenOptions): Listening {
  let isListening = false
  const messages = openRedis(url)
  messages.on('message', (_channel: string, message: string) => onMessage(message))
  messages.on('close', () => {
    isListening = false
    onAway?.()
  })
  messages.on('ready', () => {
    messages.subscribe(channel).then(
      () => {
        isListening = true
        onListening?.()
      },
      (error: Error) => messages.status === 'ready' && onError?.(error),
    )
  })
  return {
    get isListening() {
      return isListening
    },
    close: () => messages.disconnect(),
  }
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
