import { key } from '../key.ts'
import { type ServerEvent, serverEvents } from './server-events.ts'

/** What changed in a topic: ids of things that began or changed, and of those that ended. */
interface Changes {
  readonly changed: readonly string[]
  readonly ended: readonly string[]
}

/** What follows the stream. */
interface LiveParts {
  readonly topics: readonly string[]
  /** Called when the stream has opened or was lost, and when events are missing: lists are to be requested. */
  readonly onState: () => void
  readonly onChange: (topic: string, changes: Changes) => Promise<void>
}

/** The stream of events of the API. */
export interface Live {
  readonly isOpen: boolean
  close(): void
}

/** How long changes are gathered before they are requested, in ms. */
const GATHER_MS = 2500
/** Most things of a topic that are requested by their ids; for more the whole list is. */
const MOST = 80
const RETRY_MS = 5000
const LONGEST_RETRY_MS = 120_000
/** The stream sends a line every 15 s; without any for this long it is lost. */
const SILENCE_MS = 40_000

/**
 * Follows `/api/stream` and reconnects when it is lost. It needs a key with a plan, so a visitor without one has none. `fetch`
 * reads it, as `EventSource` cannot send the key in a header.
 */
export function openLive({ topics, onState, onChange }: LiveParts): Live {
  const over = new AbortController()
  const own = key.get()
  let isOpen = false
  let last = ''
  let gathering: ReturnType<typeof setTimeout> | undefined
  const gathered = new Map<string, { changed: Set<string>; ended: Set<string> }>()

  const flush = (): void => {
    gathering = undefined
    const all = [...gathered]
    gathered.clear()
    if (all.some(([, { changed }]) => changed.size > MOST)) return onState()
    for (const [topic, { changed, ended }] of all) void onChange(topic, { changed: [...changed], ended: [...ended] }).catch(() => onState())
  }
  const take = ({ event, id, data }: ServerEvent): void => {
    if (id !== '') last = id
    if (event === 'reset') return onState()
    const [topic = '', kind] = event.split('.')
    if (!topics.includes(topic)) return
    const of = (JSON.parse(data) as { readonly data: { readonly id?: string } }).data
    if (of.id === undefined) return
    const group = gathered.get(topic) ?? { changed: new Set(), ended: new Set() }
    gathered.set(topic, group)
    group[kind === 'ended' ? 'ended' : 'changed'].add(of.id)
    group[kind === 'ended' ? 'changed' : 'ended'].delete(of.id)
    gathering ??= setTimeout(flush, GATHER_MS)
  }
  /** Reads the stream until it ends. Returns false if it makes no sense to open it again with this key. */
  const read = async (): Promise<boolean> => {
    const silence = new AbortController()
    let timer = setTimeout(() => silence.abort(), SILENCE_MS)
    try {
      const response = await fetch(`/api/stream?topics=${topics.join(',')}`, {
        headers: { 'X-API-Key': own as string, Accept: 'text/event-stream', ...(last === '' ? {} : { 'Last-Event-ID': last }) },
        signal: AbortSignal.any([over.signal, silence.signal]),
      })
      if (!response.ok || !response.body) return ![400, 401, 403].includes(response.status)
      isOpen = true
      onState()
      for await (const event of serverEvents(response.body)) {
        clearTimeout(timer)
        timer = setTimeout(() => silence.abort(), SILENCE_MS)
        if (event) take(event)
      }
    } catch {
      // Lost, and opened again.
    } finally {
      clearTimeout(timer)
    }
    return true
  }
  const run = async (): Promise<void> => {
    let wait_ms = RETRY_MS
    while (!over.signal.aborted) {
      const canRetry = await read()
      if (over.signal.aborted) return
      // Lists are requested at their intervals again.
      if (isOpen) wait_ms = RETRY_MS
      const wasOpen = isOpen
      isOpen = false
      if (wasOpen) onState()
      if (!canRetry) return
      await new Promise((done) => setTimeout(done, wait_ms * (0.75 + Math.random() / 2)))
      wait_ms = Math.min(2 * wait_ms, LONGEST_RETRY_MS)
    }
  }
  if (own !== null) void run()
  return {
    get isOpen() {
      return isOpen
    },
    close: () => {
      over.abort()
      clearTimeout(gathering)
    },
  }
}
