import type { roadPoints } from '../datasets/road/road-network.ts'
import type { Line, Point } from '../schema/columns.ts'
import type { Row } from '../schema/dataset.ts'
import { distanceM } from './distance.ts'

/** A point of a road. */
export type Post = Pick<Row<typeof roadPoints>, 'road' | 'province_code' | 'km' | 'position' | 'source' | 'records' | 'error_m'>

/** A place on a road: on its measured axis, or on a straight line between two located posts or at one. */
export interface PlaceOnRoad {
  readonly road: string
  /** Province of the nearer post. */
  readonly province_code: string
  /** Direction of the traffic of the carriageway; UNKNOWN for a place between located posts. */
  readonly direction: string
  readonly km: number
  readonly position: Point
  readonly error_m: number
  readonly before: Post
  readonly after: Post
}

/** The line of a road on the map. */
export interface RoadLine {
  readonly line: Line
  /** The largest error on the line, m. */
  readonly error_m: number
}

/** The place of a kilometre; null if it has none, or several that differ by more than the error: any of them may be meant. */
export function onlyPlace(places: readonly PlaceOnRoad[]): PlaceOnRoad | null {
  const [widest] = places.toSorted((one, other) => other.error_m - one.error_m)
  return widest && places.every(({ position }) => distanceM(position, widest.position) <= widest.error_m) ? widest : null
}
