import { listen, openRedis } from './connect.ts'
import { LIVE_KEYS } from './keys.ts'

/** Table versions that processes announce to each other, so that they need not check the store. */
export interface TableVersions {
  /** Changes whenever messages may have been missed; null while none arrive. */
  readonly epoch: number | null
  /** The newest announced version of a table, by the table's key; 0 if there is none. */
  newest(key: string): number
  /** Announces a committed version; a lost message is compensated for by probing. */
  announce(key: string, version: number): void
  close(): void
}

const COMMAND_TIMEOUT_MS = 1000

/** Opens announcements of table versions over Redis. */
export function openTableVersions(redisUrl: string): TableVersions {
  const versions = new Map<string, number>()
  const redis = openRedis(redisUrl, { queueWhileAway: false, commandTimeout_ms: COMMAND_TIMEOUT_MS })
  let epoch: number | null = null
  let epochs = 0
  const messages = listen(redisUrl, LIVE_KEYS.tables, {
    onMessage: (message) => {
      const [key = '', version] = message.split(' ')
      versions.set(key, Math.max(versions.get(key) ?? 0, Number(version)))
    },
    onListening: () => {
      epoch = ++epochs
    },
    onAway: () => {
      epoch = null
    },
  })
  return {
    get epoch() {
      return epoch
    },
    newest: (key) => versions.get(key) ?? 0,
    announce: (key, version) => void redis.publish(LIVE_KEYS.tables, `${key} ${version}`).catch(() => undefined),
    close: () => {
      redis.disconnect()
      messages.close()
    },
  }
}
