import { roadPoints } from '../../../lake/datasets/road/road-points.ts'
import { accidentPositions, animalAccidentPositions } from '../../../lake/datasets/safety/accident-positions.ts'
import { animalAccidents } from '../../../lake/datasets/safety/animal-accidents.ts'
import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import { EARTH_M } from '../../../lake/places/distance.ts'
import { foldRoadSql } from '../../../lake/places/road-key.ts'
import { scan } from '../../../lake/query/scan.ts'
import { type Sql, sql } from '../../../lake/query/sql.ts'
import { defineDerived } from '../define.ts'

/** Points of a road farther apart than this, km, leave the stretch between them unlocated. */
const GAP_KM = 5
/** Tolerance of a match: half of the tenth of a kilometre to which points are stored. */
const SAME_KM = 0.05

// Derived, not looked up when accidents land: landed rows depend only on their file, as in a replay, while road points grow
// every day. The lineage records which content of both an edition was built from, and a change of either rebuilds it.

/** Positions of accidents by road and kilometre, for sources that publish none. */
export const accidentPositionsDerived = defineDerived({
  by: 'versions',
  into: accidentPositions,
  from: [roadAccidents, roadPoints],
  newest: [roadPoints],
  revision: 1,
  parts: each,
  rows: ({ version }, [month = '']) =>
    positionsOf(
      sql`SELECT source, edition, accident_id, period_start, road, province_code, km FROM ${scan(roadAccidents, { edition: { eq: version } })} WHERE position_lat IS NULL`,
      month,
    ),
})

/** The same for accidents with animals, which have no published positions. */
export const animalPositionsDerived = defineDerived({
  by: 'versions',
  into: animalAccidentPositions,
  from: [animalAccidents, roadPoints],
  newest: [roadPoints],
  revision: 1,
  parts: each,
  rows: ({ version }, [month = '']) =>
    positionsOf(
      sql`SELECT source, edition, accident_id, occurred_at AS period_start, road, province_code, km FROM ${scan(animalAccidents, { edition: { eq: version } })}`,
      month,
    ),
})

/** A part of each edition. */
function each(editions: readonly string[]): { version: string; from: readonly string[] }[] {
  return editions.map((version) => ({ version, from: [version] }))
}

/**
 * The positions of accidents, as `/api/geo/pk` finds those of a kilometre: at a point, or on the line between its neighbours
 * on that road and province, at most 5 km apart and consistent with their kilometres. The error is the larger one of the
 * points plus the road's possible distance from the line (Stewart's theorem).
 */
function positionsOf(accidents: Sql, month: string): Sql {
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
      SELECT source, edition, accident_id, period_start, ${foldRoadSql(sql`road`)} AS key, province_code, CAST(km AS DOUBLE) AS km
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
      WHERE before IS NOT NULL AND after IS NOT NULL AND after.km - before.km <= ${GAP_KM}
    )
    SELECT source, edition, accident_id, period_start, ${along(sql`lat`)} AS position_lat, ${along(sql`lon`)} AS position_lon,
      CAST(ceil(greatest(before.error_m, after.error_m) + sqrt(f * (1 - f) * abs(length_m ** 2 - chord_m ** 2))) AS DECIMAL(9, 1)) AS error_m
    FROM stretches
    WHERE chord_m <= 1.1 * length_m + before.error_m + after.error_m`
}

const isSame = (point: Sql): Sql => sql`coalesce(abs(${point}.km - km) <= ${SAME_KM}, false)`
