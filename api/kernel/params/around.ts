import { type Column, col, type Point } from '../../../lake/schema/columns.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { placeOf, type RecordShape, record } from '../fields.ts'
import type { AnyFilter } from '../reads/filter.ts'
import type { Area } from '../reads/geo.ts'

/** A circle around the point of a request. */
export type Circle = Extract<Area, { kind: 'circle' }>

/** Distance member of records in replies to a search around a point. */
export const DISTANCE = 'distance_m'
/** The parameters of that point. */
export const POINT = ['lat', 'lon'] as const

const distance: Column<number> = col.integer(
  0,
  'Straight-line distance from the requested point, 0 inside a shape; only in replies to a search around a point (`lat`, `lon`).',
  { unit: 'm', example: 420 },
)

/** How a list is searched around a point. */
export interface Around {
  /** Name of the filter that has the point. */
  readonly filter: string
  /** Returns a function for the distance of a record in metres; null for a record without a place. */
  readonly distance: (centre: Point) => (record: AnyRow) => number | null
  /** The record without a distance; the list's own record if it has a distance anyway. */
  readonly plain: RecordShape
}

/** The part of a list's declaration used here. */
interface Listed {
  readonly record: RecordShape
  readonly sorts: readonly string[]
}

/**
 * Returns how lists with these filters are searched around a point; null if no filter takes a circle or records have no place.
 */
export function aroundOf({ record: plain }: Listed, filters: readonly AnyFilter[]): Around | null {
  const found = filters.find((filter) => filter.distance)
  if (!found?.distance || placeOf(plain.fields) === null) return null
  return { filter: found.name, distance: found.distance as Around['distance'], plain }
}

/** The same list with a distance in its records, and an order by it. */
export function withDistance<L extends Listed>(returns: L): L {
  const sorts = returns.sorts.includes(DISTANCE) ? returns.sorts : [...returns.sorts, DISTANCE]
  return { ...returns, sorts, record: DISTANCE in returns.record.fields ? returns.record : distantShape(returns.record) }
}

const distantShapes = new WeakMap<RecordShape, RecordShape>()

/** The shape with a distance; one per shape, because lists with the same record share its schema. */
function distantShape(plain: RecordShape): RecordShape {
  const known = distantShapes.get(plain)
  if (known) return known
  const { name, about, fields, ...options } = plain
  const made = record(name, about, { ...fields, [DISTANCE]: distance }, { ...options, sometimes: [...(plain.sometimes ?? []), DISTANCE] })
  distantShapes.set(plain, made)
  return made
}

/** The circle that a request searches; null without a search around a point. */
export function circleOf(around: Around | null, values: Readonly<Record<string, unknown>>): Circle | null {
  const area = around && (values[around.filter] as Area | null | undefined)
  return area?.kind === 'circle' ? area : null
}

/** Copies of records with their distances from the centre of a circle, in whole metres. */
export function measured(records: readonly AnyRow[], around: Around, circle: Circle): AnyRow[] {
  const distanceOf = around.distance(circle)
  return records.map((one) => {
    const found = distanceOf(one)
    return { ...one, [DISTANCE]: found === null ? null : Math.round(found) }
  })
}
