import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
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
import type { BaseLine, BaseMapInput, TileAddress } from './tiles.ts'

/** The vector tiles of the base map. */
export interface BaseMap {
  /** Returns a tile (Mapbox Vector Tile 2.1), or null for one without content. */
  tile(address: TileAddress): Promise<Buffer | null>
  /** Starts the thread, as tiles will be requested soon. */
  warm(): void
  close(): Promise<void>
}

/** Memory for tiles that were made, and how long the thread waits for the next one: its index takes some 150 MB. */
const CACHED_BYTES = 24 * 1024 ** 2
const IDLE_MS = 120_000

/** Opens the base map: boundaries and places, roads and railways as this service knows them. */
export function openBaseMap({ kept, ask }: { readonly kept: CachedViews; readonly ask: OwnAnswers }): BaseMap {
  const tiles = new LRUCache<string, { readonly tile: Buffer | null }>({
    maxSize: CACHED_BYTES,
    sizeCalculation: ({ tile }) => 64 + (tile?.length ?? 0),
  })
  let thread: Promise<Worker> | null = null
  let idle: NodeJS.Timeout | undefined
  let asked = 0

  const input = async (): Promise<BaseMapInput> => {
    const [posts, register, railways] = await Promise.all([
      kept.optional(roadPosts, ''),
      kept.optional(inhabitants, ''),
      railwayLines(ask).catch(() => []),
    ])
    return { roads: posts ? roadLines(posts.axes) : [], railways, people: register?.people ?? new Map() }
  }
  const start = async (): Promise<Worker> => {
    const worker = new Worker(new URL('./base-map-thread.ts', import.meta.url), { workerData: await input() })
    worker.setMaxListeners(0)
    worker.once('exit', () => {
      thread = null
    })
    await once(worker, 'message')
    return worker
  }
  const stop = async (): Promise<void> => {
    clearTimeout(idle)
    const running = thread
    thread = null
    await running?.then((worker) => worker.terminate()).catch(() => undefined)
  }
  // With new roads or inhabitants, all tiles are made again.
  const unfollow = kept.onChange([roadAxes, municipalityRegister], () => {
    tiles.clear()
    void stop()
  })
  const make = async (address: TileAddress): Promise<Buffer | null> => {
    thread ??= start()
    const worker = await thread.catch((error: unknown) => {
      thread = null
      throw error
    })
    const id = asked++
    return new Promise((resolve, reject) => {
      const end = (act: () => void): void => {
        worker.off('message', onTile)
        worker.off('exit', onExit)
        act()
      }
      const onTile = (message: { readonly id: number; readonly tile: Uint8Array | null }): void => {
        if (message.id === id) end(() => resolve(message.tile && Buffer.from(message.tile)))
      }
      const onExit = (): void => end(() => reject(new Error('the thread of the base map ended')))
      worker.on('message', onTile)
      worker.on('exit', onExit)
      worker.postMessage({ id, ...address })
    })
  }

  return {
    async tile(address) {
      const key = `${address.z}/${address.x}/${address.y}`
      const before = tiles.get(key)
      if (before) return before.tile
      clearTimeout(idle)
      const tile = await make(address)
      tiles.set(key, { tile })
      clearTimeout(idle)
      idle = setTimeout(() => void stop(), IDLE_MS).unref()
      return tile
    },
    warm: () => void (thread ??= start()).catch(() => undefined),
    async close() {
      unfollow()
      await stop()
    },
  }
}

function roadLines(axes: Axes): BaseLine[] {
  const lines: BaseLine[] = []
  for (const road of axes.roads)
    for (const axis of axes.of(road)) lines.push({ name: axis.road, points: pointsOf(axes.part(axis, axis.km_from, axis.km_to).line) })
  return lines
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
