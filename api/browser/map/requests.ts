import { chosenOf, type DataLayer, type Properties } from './layers/layer.ts'

/** A list of the API as GeoJSON. */
export interface Collection {
  readonly type: 'FeatureCollection'
  readonly features: readonly GeoJSON.Feature[]
  /** Time of the data, ISO 8601; null if it has none. */
  readonly updated_at?: string | null
  readonly meta?: { readonly stale?: boolean }
}

/** A path with another parameter. */
export const withParam = (path: string, param: string): string => `${path}${path.includes('?') ? '&' : '?'}${param}`

/** What a list is requested for: the visible area (degrees: west, south, east, north), and the language of texts. */
interface Wanted {
  readonly bbox: readonly number[]
  readonly lang: string
}

/** The paths of a layer's lists. */
export function pathsOf(layer: DataLayer, { bbox, lang }: Wanted): string[] {
  const { choice } = layer
  return [layer.path, ...(layer.also ?? [])].map((first) => {
    const path = choice ? first.replace(new RegExp(`(?<=[?&]${choice.param}=)[^&]+`), chosenOf(choice)) : first
    const spoken = layer.hasTexts ? withParam(path, `lang=${lang}`) : path
    const shaped = layer.featuresOf ? spoken : withParam(spoken, 'format=geojson')
    return layer.isByArea ? withParam(shaped, `bbox=${bbox.map((one) => one.toFixed(3)).join(',')}`) : shaped
  })
}

/** The features of a layer's replies as one list. */
export function collectionOf(layer: DataLayer, replies: readonly Properties[]): Collection {
  const lists = replies.map((reply) =>
    layer.featuresOf
      ? ({ ...reply, type: 'FeatureCollection', features: layer.featuresOf(reply) } as Collection)
      : (reply as unknown as Collection),
  )
  const [only] = lists
  if (only && lists.length === 1) return only
  return {
    ...{ type: 'FeatureCollection', features: lists.flatMap(({ features }) => features) },
    updated_at: lists.map(({ updated_at }) => updated_at ?? '').toSorted()[0] || null,
    meta: { stale: lists.some(({ meta }) => meta?.stale) },
  }
}

/** The id of a thing by its properties; null if it has none. */
export function idOf(of: Properties): string | null {
  const id = of['id'] ?? of['mmsi'] ?? of['icao24'] ?? of['section']
  return id === undefined || id === null ? null : String(id)
}
