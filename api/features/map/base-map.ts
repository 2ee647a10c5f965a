import { LRUCache } from 'lru-cache'
import { municipalityRegister } from '../../../lake/datasets/road/municipality-register.ts'
import { roadAxes } from '../../../lake/datasets/road/road-network.ts'
import type { Axes } from '../../../lake/places/axes.ts'
import { distanceM } from '../../../lake/places/distance.ts'
import type { Line } from '../../../lake/schema/columns.ts'
import { inhabitants } from '../../endpoints/road/places.ts'
import { roadPosts } from '../../endpoints/road/posts.ts'
import type { OwnAnswers } from '../../engine/answers/own-answers.ts'
import type { CachedViews } from '../../engine/state/cached-views.ts'
import { QuestionThread } from '../../kernel/question-thread.ts'
import type { BaseLine, BaseMapInput, TileAddress } from './tiles.ts'

/** The vector tiles of the base map. */
export interface BaseMap {
  /** Returns a tile (Mapbox Vector Tile 2.1), or null for one without content. */
  tile(address: TileAddress): Promise<Buffer | null>
  /** Starts the thread, as tiles will be requested soon. */
  warm(): void
  close(): Promise<void>
}

/** Memory for tiles that were made, and how long the thread waits for the next one. */
const CACHED_BYTES = 24 * 1024 ** 2
const IDLE_MS = 120_000
/** Maximum heap of the thread, MB: several times its need. */
const MEMORY_MB = 1024

/** Opens the base map: boundaries and places, roads and railways as this service knows them. */
export function openBaseMap({ kept, askApi }: { readonly kept: CachedViews; readonly askApi: OwnAnswers }): BaseMap {
  const tiles = new LRUCache<string, { readonly tile: Buffer | null }>({
    maxSize: CACHED_BYTES,
    sizeCalculation: ({ tile }) => 64 + (tile?.length ?? 0),
  })
  let thread: Promise<QuestionThread> | null = null
  let idle: NodeJS.Timeout | undefined

  const start = async (onEnd: () => void): Promise<QuestionThread> => {
    const [posts, register, railways] = await Promise.all([
      kept.optional(roadPosts, ''),
      kept.optional(inhabitants, ''),
      railwayLines(askApi).catch(() => []),
    ])
    return new QuestionThread(new URL('./base-map-thread.ts', import.meta.url), {
      ...{ name: 'base map', onEnd },
      workerData: {
        roads: posts ? roadLines(posts.axes) : [],
        railways,
        people: register?.people ?? new Map(),
      } satisfies BaseMapInput,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    })
  }
  /** Forgets a thread that has ended or did not start: the next tile starts another. */
  const forget = (ended: Promise<QuestionThread>): void => {
    if (thread === ended) thread = null
  }
  const running = (): Promise<QuestionThread> => {
    clearTimeout(idle)
    idle = setTimeout(() => void stop(), IDLE_MS).unref()
    if (thread) return thread
    const starting: Promise<QuestionThread> = start(() => forget(starting))
    starting.catch(() => forget(starting))
    thread = starting
    return starting
  }
  /** Asks the thread, and the next one if it ended meanwhile. */
  const ask = async (address: TileAddress, isLast = false): Promise<{ readonly made: Uint8Array | null; readonly by: typeof thread }> => {
    const by = running()
    try {
      return { made: await (await by).ask<Uint8Array | null>(address), by }
    } catch (error) {
      if (isLast || by === thread) throw error
      return await ask(address, true)
    }
  }
  const stop = async (): Promise<void> => {
    clearTimeout(idle)
    const last = thread
    thread = null
    await last?.then((one) => one.close()).catch(() => undefined)
  }
  // With new roads or inhabitants, all tiles are made again.
  const unfollow = kept.onChange([roadAxes, municipalityRegister], () => {
    tiles.clear()
    void stop()
  })

  return {
    async tile(address) {
      const key = `${address.z}/${address.x}/${address.y}`
      const before = tiles.get(key)
      if (before) return before.tile
      const { made, by } = await ask(address)
      const tile = made && Buffer.from(made)
      // A thread that new roads replaced has the roads before.
      if (by === thread) tiles.set(key, { tile })
      return tile
    },
    warm: () => void running().catch(() => undefined),
    async close() {
      unfollow()
      await stop()
    },
  }
}

function roadLines(axes: Axes): BaseLine[] {
  return [...axes.roads].flatMap((road) => axes.of(road).map((axis) => ({ name: axis.road, points: axes.coordinates(axis) })))
}

/** Longest straight line of a track, m: routes without a shape go straight from station to station. */
const MAX_STRAIGHT_M = 8000

/** The lines of all railway routes, each stretch between two points once, and none that is no track. */
async function railwayLines(ask: OwnAnswers): Promise<BaseLine[]> {
  const { routes } = await ask('/api/trenes/rutas?limit=10000&fields=network,geometry')
  const seen = new Set<string>()
  const lines: BaseLine[] = []
  for (const { network, geometry } of routes as readonly { readonly network: string; readonly geometry: { coordinates: Line } | null }[]) {
    let part: Line[0][] = []
    const end = (): void => {
      if (part.length > 1) lines.push({ name: network, points: pointsOf(part) })
      part = []
    }
    for (const [at, to] of (geometry?.coordinates ?? []).entries()) {
      const from = part.at(-1)
      const isNew = from !== undefined && !seen.has(`${from} ${to}`) && !seen.has(`${to} ${from}`)
      const isTrack = from !== undefined && distanceM({ lon: from[0], lat: from[1] }, { lon: to[0], lat: to[1] }) <= MAX_STRAIGHT_M
      if (at > 0 && !(isNew && isTrack)) end()
      else if (from) seen.add(`${from} ${to}`)
      part.push(to)
    }
    end()
  }
  return lines
}

function pointsOf(line: Line): Float64Array {
  return Float64Array.from(line.flat())
}
