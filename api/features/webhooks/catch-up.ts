import { LRUCache } from 'lru-cache'
import type { EventLog, EventsRead } from '../../../lake/events/log.ts'
import type { ShownBatches } from '../../events/shown.ts'
import type { Lane } from './lane.ts'

/** What lanes need to read the log. */
export interface CatchUpParts {
  readonly log: Pick<EventLog, 'read'>
  readonly shown: ShownBatches
  readonly lanes: ReadonlyMap<string, Lane>
  /** Returns the batch that all lanes that are not behind have been matched with. */
  readonly matched: () => number
  /** Called when the state of a lane should be stored. */
  readonly onDirty: (id: string) => void
  /** Called if the log cannot be read; the lane tries again. */
  readonly onError: (error: unknown, id: string) => void
  readonly signal: AbortSignal
}

/** Lanes that read the log at the same time, and batches of one read. */
const MAX_SCANS = 16
const PAGE = 20

/**
 * Returns a function that lets a lane read the log for its replay, and for what it is behind. Only some do so at a time: after a
 * restart, thousands may be behind.
 */
export function openCatchUp({ log, shown, lanes, matched, onDirty, onError, signal }: CatchUpParts): (id: string) => void {
  const scanning = new Set<string>()
  const toScan = new Set<string>()
  const pages = new LRUCache<number, Promise<EventsRead>>({ max: 100 })

  const scan = (id: string): void => {
    if (!scanning.has(id)) toScan.add(id)
    for (const next of toScan) {
      if (scanning.size >= MAX_SCANS) return
      toScan.delete(next)
      scanning.add(next)
      void scanLane(next)
    }
  }
  const scanLane = async (id: string): Promise<void> => {
    const lane = lanes.get(id)
    try {
      while (lane?.hasRoom && !signal.aborted) {
        if (lane.replay && lane.isOn) await scanReplay(lane)
        else if (lane.isBehind) await scanPage(lane)
        else break
      }
    } catch (error) {
      onError(error, id)
      setTimeout(() => scan(id), 1000).unref()
    } finally {
      scanning.delete(id)
      const [next] = toScan
      if (next !== undefined) scan(next)
    }
  }
  /** Reads a page of the log, once for all lanes at the same position. */
  const readPage = (after: number): Promise<EventsRead> => {
    const cached = pages.get(after)
    if (cached) return cached
    const read = log.read(after, PAGE)
    pages.set(after, read)
    // An empty page may fill soon.
    read.then(
      (found) => (found.reset || found.batches.length < PAGE) && pages.delete(after),
      () => pages.delete(after),
    )
    return read
  }
  const scanPage = async (lane: Lane): Promise<void> => {
    const begun = lane.taken > 0 ? shown.known(lane.scanned + 1) : null
    if (begun) lane.match(lane.scanned + 1, begun)
    else if (lane.scanned < matched()) {
      const read = await readPage(lane.scanned)
      if (read.reset) {
        lane.scanned = read.first - 1
        lane.taken = 0
      }
      for (const batch of read.reset ? [] : read.batches) {
        if (batch.offset > matched() || !lane.hasRoom) break
        lane.match(batch.offset, shown.of(batch))
      }
    }
    lane.isBehind = lane.scanned < matched()
    onDirty(lane.subscription.id)
  }
  const scanReplay = async (lane: Lane): Promise<void> => {
    const { replay } = lane
    const { after, until, from, to, taken = 0 } = replay as NonNullable<Lane['replay']>
    const read = after < until ? await log.read(after, 1) : null
    // The subscription was disabled meanwhile, or the process ends.
    if (lane.replay !== replay || !lane.hasRoom) return
    onDirty(lane.subscription.id)
    const [batch] = read && !read.reset ? read.batches : []
    if (batch && batch.recorded_at >= from && batch.recorded_at < to) {
      const events = shown.of(batch)
      const done = lane.offer(events, taken)
      if (done < events.length) {
        lane.replay = { after, until, from, to, taken: done }
        return
      }
    }
    const next = read?.reset ? read.first - 1 : (batch?.offset ?? until)
    lane.replay = next >= until ? null : { after: next, until, from, to }
  }
  return scan
}
