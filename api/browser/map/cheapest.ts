import type { DataLayer } from './layers/layer.ts'

/** The cheapest of some things, with its price. */
export interface Cheapest {
  readonly feature: GeoJSON.Feature
  readonly price: number
}

/** Returns the cheapest of the things whose layer has prices; null without any. The first of equals wins. */
export function cheapestIn(
  things: readonly { readonly layer: Pick<DataLayer, 'hasPrice'>; readonly feature: GeoJSON.Feature }[],
): Cheapest | null {
  let best: Cheapest | null = null
  for (const { layer, feature } of things) {
    const price: unknown = layer.hasPrice ? feature.properties?.['price'] : null
    if (typeof price === 'number' && price > 0 && (best === null || price < best.price)) best = { feature, price }
  }
  return best
}
