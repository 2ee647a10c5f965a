/** A line of the base map with its points as lon, lat, lon, lat, …, degrees. */
export interface BaseLine {
  readonly name: string
  readonly points: Float64Array
}

/** What the thread makes tiles from, besides the boundaries, which it reads itself. */
export interface BaseMapInput {
  readonly roads: readonly BaseLine[]
  readonly railways: readonly BaseLine[]
  /** Inhabitants by INE code of municipality and province. */
  readonly people: ReadonlyMap<string, number>
}

/** A tile that the thread makes: zoom, column and row of the usual scheme (EPSG:3857, origin in the north-west). */
export interface TileAddress {
  readonly z: number
  readonly x: number
  readonly y: number
}
