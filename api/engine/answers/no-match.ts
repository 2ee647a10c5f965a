import { LRUCache } from 'lru-cache'
import type { Lake, QueryLimits } from '../../../lake/open.ts'
import { foldRoad } from '../../../lake/places/road-key.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, sql } from '../../../lake/query/sql.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import { isoInstant } from '../../../lake/schema/time.ts'
import type { Endpoint } from '../../kernel/endpoint.ts'
import type { AnyFilter, Present } from '../../kernel/reads/filter.ts'
import { editDistance, nearestWord } from '../../kernel/reads/suggest.ts'
import { allParams, type RequestValues } from '../request/request.ts'

/** A parameter of a request that no record matches, and the values that exist. */
export interface NoMatch {
  readonly parameter: string
  /** The value that was probably meant; null if none is similar. */
  readonly near: string | null
  /** For a period the first and last instant, otherwise ordered values, at most `MAX_AVAILABLE`. */
  readonly available: readonly string[]
}

/** Most values that a reply lists for a parameter. */
const MAX_AVAILABLE = 100

const inOrder = new Intl.Collator('es', { numeric: true })

/** Finds the parameters that no record matches whatever the others are, among the records that the list selects from. */
export function noMatches(
  records: readonly AnyRow[],
  { filters }: Pick<Endpoint, 'filters'>,
  values: RequestValues,
  now: number,
): NoMatch[] {
  if (records.length === 0) return []
  return filters.flatMap((filter) => {
    const value = values.own[filter.name] ?? null
    const { matches, present } = filter
    if (value === null || !matches || !present) return []
    return Object.entries(present as Readonly<Record<string, Present<AnyRow>>>).flatMap(([parameter, valuesOf]) => {
      const alone = valueOf(filter, value, parameter)
      if (alone === null || records.some(matches(alone.selects as never, now))) return []
      const available = new Set(records.flatMap((record) => valuesOf(record) ?? []).map(String))
      return [noMatch(parameter, alone.given, available)]
    })
  })
}

/** Returns the value of a filter's main member, and the given text; null if nothing was given. */
function valueOf(
  { param }: AnyFilter<AnyRow>,
  value: unknown,
  parameter: string,
): { readonly selects: unknown; readonly given: string } | null {
  if (param.kind === 'param') return { selects: value, given: String([value].flat()[0]) }
  const members = value as Readonly<Record<string, unknown>>
  const given = members[parameter] ?? null
  if (given === null) return null
  const others = Object.keys(members).map((name) => [name, name === parameter ? given : null])
  return { selects: Object.fromEntries(others), given: String(given) }
}

function noMatch(parameter: string, given: string, available: ReadonlySet<string>): NoMatch {
  const values = [...available].sort(inOrder.compare)
  return { parameter, near: nearestWord(given, available), available: values.slice(0, MAX_AVAILABLE) }
}

/** Returns what the lake has of the values that an empty list requested: its period, and a road. */
export async function noMatchesInLake(
  lake: Lake,
  {
    endpoint,
    values,
    from,
    period,
    covered,
    limits,
  }: {
    readonly endpoint: Endpoint
    readonly values: RequestValues
    readonly from: readonly Dataset[]
    /** The requested period, ms. */
    readonly period: { readonly from: number; readonly to: number } | null
    readonly covered: { readonly covered_from: number | null; readonly latest_row_at: number | null }
    readonly limits: QueryLimits
  },
): Promise<NoMatch[]> {
  const { covered_from, latest_row_at } = covered
  const isOutside = period && covered_from !== null && latest_row_at !== null && (period.to <= covered_from || period.from > latest_row_at)
  const hasPeriod = [...allParams(endpoint)].some(([name]) => name === 'from')
  const outside: NoMatch[] =
    isOutside && hasPeriod ? [{ parameter: 'from', near: null, available: [isoInstant(covered_from), isoInstant(latest_row_at)] }] : []
  const road = roadOf(values)
  const dataset = from.find(({ columns }) => columns['road'])
  if (road === null || !dataset) return outside
  const roads = await roadsOfTable(lake, dataset, limits)
  if (roads.length === 0 || roads.some((one) => foldRoad(one) === road)) return outside
  return [...outside, noMatch('road', road, new Set(mostSimilar(roads, road)))]
}

/** Returns the roads that a folded name was probably meant for, as many as a reply lists. */
function mostSimilar(roads: readonly string[], road: string): readonly string[] {
  if (roads.length <= MAX_AVAILABLE) return roads
  const ranked = roads.map((name) => ({ name, distance: editDistance(foldRoad(name), road) }))
  return ranked
    .sort((one, other) => one.distance - other.distance)
    .slice(0, MAX_AVAILABLE)
    .map(({ name }) => name)
}

/** Returns the folded road of a request; null without one. */
function roadOf({ own }: RequestValues): string | null {
  const of = Object.values(own).find((value) => typeof value === 'object' && value !== null && 'road' in value && 'km_from' in value)
  return (of as { readonly road: string | null } | undefined)?.road ?? null
}

/** Most roads of a table; the state's network has some 2,000. */
const MAX_ROADS = 20_000
/** Most tables whose roads are cached. */
const MAX_TABLES = 16

const known = new WeakMap<Lake, LRUCache<string, Promise<readonly string[]>>>()

/** Returns the roads that rows of a table name. They are read once per snapshot, also for concurrent requests. */
export function roadsOfTable(lake: Lake, dataset: Dataset, { pins, timeout_ms }: Omit<QueryLimits, 'since'>): Promise<readonly string[]> {
  const state = pins.get(dataset.id)
  if (!state?.snapshotId) return Promise.resolve([])
  const cache = known.get(lake) ?? new LRUCache<string, Promise<readonly string[]>>({ max: MAX_TABLES })
  known.set(lake, cache)
  const key = `${dataset.id} ${state.snapshotId}`
  const there = cache.get(key)
  if (there) return there
  const name = column(dataset, 'road')
  const roads = sql`SELECT DISTINCT ${name} AS value FROM ${scan(dataset, {})} WHERE ${name} IS NOT NULL ORDER BY value LIMIT ${MAX_ROADS}`
  const found = lake
    .query(roads, { pins, timeout_ms, columns: {}, maxRows: MAX_ROADS })
    .then((rows) => rows.map(({ value }) => String(value)))
  cache.set(key, found)
  found.catch(() => cache.delete(key))
  return found
}
