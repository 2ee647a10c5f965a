import type { Dataset } from '../../../lake/schema/dataset.ts'
import { ROAD_TABLES, roadPosts } from '../../endpoints/road/posts.ts'
import { collections } from '../../endpoints/search/catalog.ts'
import { type Collection, detailPathOf } from '../../endpoints/search/collection.ts'
import { currentStates } from '../../engine/answers/current-states.ts'
import type { CachedViews } from '../../engine/state/cached-views.ts'
import type { ServiceState } from '../../engine/state/state.ts'
import type { Endpoint } from '../../kernel/endpoint.ts'
import type { CachedQuery } from '../../kernel/reads/cached-query.ts'
import type { SearchViews } from '../../kernel/reads/search-view.ts'
import { SearchIndex } from './search-index.ts'

/** Inputs of the follower. */
interface FollowOptions {
  readonly state: ServiceState
  readonly kept: CachedViews
  readonly endpoints: readonly Endpoint[]
  readonly clock: () => number
  /** Called if a collection could not be rebuilt; its previous documents stay. */
  readonly onError: (error: Error) => void
}

/** Updates the index when the source data changes. */
export interface SearchFollower {
  /** Brings the index up to date. Returns `before` if nothing has changed. */
  look(before: SearchViews | null): Promise<SearchViews>
  close(): Promise<void>
}

/** Tables of the kilometre posts. */
const POSTS = Object.freeze({ lake: ROAD_TABLES })

/** Creates the follower of a process. Its thread starts with the first look. */
export function followSearch(options: FollowOptions): SearchFollower {
  const { state, kept, endpoints, clock, onError } = options
  const plans = new Map(endpoints.map(({ path, plan }) => [path, plan]))
  const searchable = collections.filter((one) => plans.has(detailPathOf(one)))
  const tables = new Map(searchable.map((one) => [one.id, { lake: tablesOf(one) }]))
  let index: SearchIndex | null = null
  let isClosed = false
  const versions = new Map<string, string>()
  /** When the sources of each collection last changed, ms. */
  const changes = new Map<string, number>()

  const open = (): SearchIndex => {
    versions.clear()
    return new SearchIndex({
      collections: searchable,
      planOf: (path) => plans.get(path) ?? null,
      onEnd: (error) => {
        index = null
        if (!isClosed) onError(error)
      },
    })
  }
  const keyOf = (query: CachedQuery<unknown>): string => query.present?.(clock())[0] ?? ''
  /** The version of a collection's sources; notes when they last changed. */
  const versionOf = async (one: Collection): Promise<string> => {
    const { version, changed_at } = await kept.state(tables.get(one.id) ?? POSTS, state.system().feeds)
    const live = currentStates(state, one.from)
    changes.set(one.id, Math.max(live.changed_at, changed_at ?? 0))
    return JSON.stringify([live.of, version, Object.values(one.slices).map(keyOf)])
  }
  const renew = async (target: SearchIndex, one: Collection): Promise<boolean> => {
    const version = await versionOf(one)
    if (versions.get(one.id) === version) return false
    const read = Object.entries(one.slices).map(async ([name, slice]) => [name, await kept.get(slice, keyOf(slice))] as const)
    const slices = Object.fromEntries(await Promise.all(read))
    const isNew = await target.replace(one.id, one.documents(currentStates(state, one.from).states, slices))
    versions.set(one.id, version)
    return isNew
  }

  return {
    async look(before) {
      index ??= open()
      const target = index
      const posts = (await kept.state(POSTS, state.system().feeds)).version
      let hasChanged = before === null || posts !== versions.get('')
      if (hasChanged) target.setPosts(await kept.optional(roadPosts, ''), posts)
      versions.set('', posts)
      for (const one of searchable) {
        try {
          if (await renew(target, one)) hasChanged = true
        } catch (error) {
          if (isClosed) break
          onError(error as Error)
        }
      }
      if (target.setChangedAt(Math.max(0, ...changes.values()))) hasChanged = true
      return hasChanged || !before ? target.views() : before
    },
    async close() {
      isClosed = true
      await index?.close()
    },
  }
}

/** The tables that a collection's queries are read from. */
function tablesOf({ slices }: Collection): readonly Dataset[] {
  return [...new Set(Object.values(slices).flatMap(({ from }) => from))]
}
