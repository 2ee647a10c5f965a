import { roadAxes, roadPoints } from '../../../lake/datasets/road/road-network.ts'
import { accidentPositions, animalAccidentPositions } from '../../../lake/datasets/safety/accident-places.ts'
import { animalAccidents } from '../../../lake/datasets/safety/animal-accidents.ts'
import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import { Axes, type AxisRow } from '../../../lake/places/axes.ts'
import { distanceM, EARTH_M } from '../../../lake/places/distance.ts'
import type { PlaceOnRoad } from '../../../lake/places/place-on-road.ts'
import { foldRoad, foldRoadSql } from '../../../lake/places/road-key.ts'
import { type Scan, scan } from '../../../lake/query/scan.ts'
import { type Sql, sql } from '../../../lake/query/sql.ts'
import { col, type Point } from '../../../lake/schema/columns.ts'
import type { Dataset, FeedRow, Row } from '../../../lake/schema/dataset.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { type Derived, type DerivedPart, defineDerived, type ModelGiven } from '../define.ts'

/** Points of a road farther apart than this, km, leave the stretch between them unlocated. */
const GAP_KM = 5
/** Tolerance of a match: half of the tenth of a kilometre to which points are stored. */
const SAME_KM = 0.05
const [MONTH, PROVINCE] = [/^\d{4}-\d{2}$/, /^\d{2}$/]

const { source, edition, accident_id, period_start, road, province_code, km, direction } = roadAccidents.columns
/** Columns of an accident, and those of its place between the points of its road. */
const ACCIDENT_COLUMNS = {
  ...{ source, edition, accident_id, period_start, road, province_code, km, direction },
  position: col.point([0, 0], 'Where it was by points.', { nullable: true, example: null }),
  error_m: col.decimal(0, 'Error by points.', { scale: 1, unit: 'm', nullable: true, example: null }),
}

type Accident = Pick<Row<typeof roadAccidents>, 'source' | 'edition' | 'accident_id' | 'period_start' | 'direction' | 'position'> & {
  readonly road: string
  readonly province_code: string
  readonly km: number
  readonly error_m: number | null
}

// Derived, not looked up when accidents land: landed rows depend only on their file, as in a replay, while points and axes of
// roads grow. The lineage records which content of all of them an edition was built from, and a change of any rebuilds it.

function positionsDerived(into: Dataset, accidents: Dataset, select: (edition: Scan) => Sql): Derived {
  return defineDerived({
    by: 'model',
    into,
    from: [accidents, roadPoints, roadAxes],
    revision: 3,
    // The axes of 52 provinces land one by one: each would rebuild every edition.
    isNightly: true,
    parts: (_versions, held) => partsOf(held(accidents), held(roadPoints), held(roadAxes)),
    gives: ACCIDENT_COLUMNS,
    reads: (part) => positionsOf(select(scan(accidents, { edition: { eq: part.version } })), part),
    rows: located,
  })
}

/** Positions of accidents by road and kilometre, for sources that publish none. */
export const accidentPositionsDerived = positionsDerived(
  accidentPositions,
  roadAccidents,
  (edition) => sql`
    SELECT source, edition, accident_id, period_start, road, province_code, km, direction FROM ${edition} WHERE position_lat IS NULL`,
)

/** The same for accidents with animals, which have no published positions. */
export const animalPositionsDerived = positionsDerived(
  animalAccidentPositions,
  animalAccidents,
  (edition) => sql`
    SELECT source, edition, accident_id, occurred_at AS period_start, road, province_code, km, direction FROM ${edition}`,
)

/** A part of each edition, from the newest month of points and all axes; none if neither of them exists. */
function partsOf(editions: readonly string[], months: readonly string[], axes: readonly string[]): DerivedPart[] {
  const ways = [...months.slice(-1), ...axes]
  return ways.length === 0 ? [] : editions.map((version) => ({ version, from: [version, ...ways] }))
}

/** The positions of accidents: on the measured axis of their road in their province, else between its points, if any. */
async function located({ from }: DerivedPart, { given, read, signal }: ModelGiven): Promise<FeedRow<typeof accidentPositions>[]> {
  const rows: FeedRow<typeof accidentPositions>[] = []
  const measured = new Set(from.filter((version) => PROVINCE.test(version)))
  // One province at a time: the axes of the whole country are two million points.
  for (const [province, accidents] of Map.groupBy(given as unknown as readonly Accident[], (one) => one.province_code)) {
    signal.throwIfAborted()
    const query = sql`SELECT * FROM ${scan(roadAxes, { province: { eq: province } })}`
    const axes = measured.has(province) ? new Axes((await read(query, tableColumns(roadAxes))) as unknown as AxisRow[]) : null
    for (const accident of accidents) {
      const { source, edition, accident_id, period_start, position, error_m } = accident
      const onAxis = axes && placeOn(axes, accident)
      if (onAxis === 'AMBIGUOUS') continue
      if (onAxis) rows.push({ ...{ source, edition, accident_id, period_start }, ...onAxis, method: 'AXIS' })
      else if (position && error_m !== null)
        rows.push({ ...{ source, edition, accident_id, period_start, position, error_m }, method: 'POINTS' })
    }
  }
  return rows
}

/**
 * The place on the carriageway of the accident's direction. Without a direction it is in the middle of both carriageways, and
 * half the distance between them is added to the error. AMBIGUOUS if the province has the kilometre at several places.
 */
export function placeOn(
  axes: Axes,
  accident: Pick<Accident, 'road' | 'km' | 'province_code' | 'direction'>,
): { readonly position: Point; readonly error_m: number } | 'AMBIGUOUS' | null {
  const { km, province_code } = accident
  const key = foldRoad(accident.road)
  const [[one, another], [other]] = ['POSITIVE', 'NEGATIVE'].map((direction) => axes.at(key, km, { province_code, direction })) as [
    PlaceOnRoad[],
    PlaceOnRoad[],
  ]
  if (another) return 'AMBIGUOUS'
  if (!one || !other) return null
  if (accident.direction === 'POSITIVE') return one
  if (accident.direction === 'NEGATIVE') return other
  const middle = (name: 'lat' | 'lon'): number => Number(((one.position[name] + other.position[name]) / 2).toFixed(6))
  return {
    position: { lat: middle('lat'), lon: middle('lon') },
    error_m: Math.ceil(Math.max(one.error_m, other.error_m) + distanceM(one.position, other.position) / 2),
  }
}

/**
 * Accidents with a road, a kilometre and a province, and their positions by points, as `/api/geo/pk` finds them: at a point, or
 * on the line between its neighbours on that road and province, at most 5 km apart and consistent with their kilometres. The
 * error is the larger one of the points plus the road's possible distance from the line (Stewart's theorem).
 */
function positionsOf(accidents: Sql, { from }: DerivedPart): Sql {
  const month = from.find((version) => MONTH.test(version)) ?? ''
  // At a point both ends of the stretch are that point.
  const along = (name: Sql): Sql => sql`round(before.${name} + f * (after.${name} - before.${name}), 6)`
  const half = (one: Sql, other: Sql): Sql => sql`sin(radians(${one} - ${other}) / 2) ** 2`
  return sql`
    WITH points AS MATERIALIZED (
      SELECT ${foldRoadSql(sql`road`)} AS key, province_code, CAST(km AS DOUBLE) AS km,
        {lat: position_lat, lon: position_lon, error_m: CAST(error_m AS DOUBLE), km: CAST(km AS DOUBLE)} AS point
      FROM ${scan(roadPoints, { month: { eq: month } })}
      QUALIFY row_number() OVER (PARTITION BY ${foldRoadSql(sql`road`)}, province_code, km ORDER BY records DESC, road) = 1
    ),
    placed AS (
      SELECT * REPLACE (CAST(km AS DOUBLE) AS km), ${foldRoadSql(sql`road`)} AS key
      FROM (${accidents})
      WHERE road IS NOT NULL AND km IS NOT NULL AND province_code IS NOT NULL
    ),
    between_points AS (
      SELECT placed.*, earlier.point AS before, later.point AS after
      FROM placed
      ASOF LEFT JOIN points AS earlier ON placed.key = earlier.key AND placed.province_code = earlier.province_code AND placed.km > earlier.km
      ASOF LEFT JOIN points AS later ON placed.key = later.key AND placed.province_code = later.province_code AND placed.km <= later.km
    ),
    ends AS (
      SELECT * REPLACE (
        CASE WHEN ${isSame(sql`before`)} THEN before WHEN ${isSame(sql`after`)} THEN after ELSE before END AS before,
        CASE WHEN ${isSame(sql`before`)} THEN before ELSE after END AS after
      )
      FROM between_points
    ),
    stretches AS (
      SELECT *, 1000 * (after.km - before.km) AS length_m,
        CASE WHEN after.km = before.km THEN 0 ELSE (km - before.km) / (after.km - before.km) END AS f,
        2 * ${EARTH_M} * asin(sqrt(${half(sql`after.lat`, sql`before.lat`)}
          + cos(radians(before.lat)) * cos(radians(after.lat)) * ${half(sql`after.lon`, sql`before.lon`)})) AS chord_m
      FROM ends
    )
    SELECT source, edition, accident_id, period_start, road, province_code, km, direction,
      CASE WHEN ${isContinuous} THEN ${along(sql`lat`)} END AS position_lat, CASE WHEN ${isContinuous} THEN ${along(sql`lon`)} END AS position_lon,
      CASE WHEN ${isContinuous} THEN CAST(
        ceil(greatest(before.error_m, after.error_m) + sqrt(f * (1 - f) * abs(length_m ** 2 - chord_m ** 2))) AS DECIMAL(9, 1)) END AS error_m
    FROM stretches
    ORDER BY edition, accident_id`
}

const isSame = (point: Sql): Sql => sql`coalesce(abs(${point}.km - km) <= ${SAME_KM}, false)`
/** No straight line is longer than the road, and no gap too wide; null or false without a point on both sides. */
const isContinuous = sql`(after.km - before.km <= ${GAP_KM} AND chord_m <= 1.1 * length_m + before.error_m + after.error_m)`
