/** The streams of the stand-in, by feed id. */
export const STREAM_FEEDS = ['ais_receivers', 'aisstream'] as const

/** Faults of streams; each lasts until it is cleared. */
export const STREAM_FAULTS = {
  silence: 'keeps connections open and sends nothing',
  bad_checksum: 'spoils the checksum of every tenth sentence (ais_receivers)',
  half_message: 'leaves out the second sentence of messages that have two (ais_receivers)',
} as const

type StreamFeed = (typeof STREAM_FEEDS)[number]
/** Name of a fault of a stream. */
export type StreamFault = keyof typeof STREAM_FAULTS

/** The active faults of streams. */
export class StreamFaults {
  readonly #set = new Map<string, Set<StreamFault>>()

  /** Sets a fault of a stream; false for other feeds. Throws if the stream has no such fault. */
  take(value: unknown): boolean {
    if (typeof value !== 'object' || value === null) return false
    const { feed, fault } = value as { readonly feed?: unknown; readonly fault?: unknown }
    if (!STREAM_FEEDS.includes(feed as StreamFeed)) return false
    if (typeof fault !== 'string' || !Object.hasOwn(STREAM_FAULTS, fault))
      throw new Error(`fault: ${JSON.stringify(fault)} is not one of ${Object.keys(STREAM_FAULTS).join(', ')}`)
    this.set(feed as StreamFeed, fault as StreamFault)
    return true
  }

  set(feed: StreamFeed, fault: StreamFault): void {
    this.#set.set(feed, new Set([...(this.#set.get(feed) ?? []), fault]))
  }

  /** Clears the faults of one stream, or of all. */
  clear(feed?: string): void {
    if (feed === undefined) this.#set.clear()
    else this.#set.delete(feed)
  }

  has(feed: StreamFeed, fault: StreamFault): boolean {
    return this.#set.get(feed)?.has(fault) ?? false
  }
}
