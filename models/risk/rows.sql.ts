import { animalAccidents } from '../../lake/datasets/safety/animal-accidents.ts'
import { roadAccidents } from '../../lake/datasets/safety/road-accidents.ts'
import { foldRoadSql } from '../../lake/places/road-key.ts'
import { type Scan, scan } from '../../lake/query/scan.ts'
import { type Sql, sql } from '../../lake/query/sql.ts'
import { type Columns, col, type RowOf } from '../../lake/schema/columns.ts'
import { MADRID } from '../../lake/schema/time.ts'

const { columns } = animalAccidents

/** Columns of `sectionAccidents`. */
export const SECTION_ACCIDENT_COLUMNS = {
  province_code: columns.province_code,
  road: columns.road,
  km: columns.km,
  local_date: columns.local_date,
  hour_local: columns.hour_local,
  minute: col.integer(1, 'Minute of the hour.', { unit: 'min' }),
  animal_code: columns.animal_code,
} as const satisfies Columns

/**
 * A SELECT of the accidents with animals with a road and a kilometre, as `SectionAccident`, over all editions, each of which is a
 * year.
 */
export function sectionAccidents(from: Scan = scan(animalAccidents)): Sql {
  return sql`
    SELECT province_code, ${foldRoadSql(sql`road`)} AS road, km, local_date, hour_local,
      CAST(date_part('minute', timezone('UTC', occurred_at)) AS INTEGER) AS minute, animal_code
    FROM ${from}
    WHERE road IS NOT NULL AND km IS NOT NULL
    ORDER BY local_date, accident_id`
}

/**
 * A SELECT of the national table's accidents with someone killed or hurt, a road and a kilometre, as `SectionAccident`. The table
 * has month, weekday and hour: the id chooses one of the four or five possible days at random (MD5), always the same, so that a
 * week is a random part of its month.
 */
export function casualtyAccidents(from: Scan): Sql {
  const first = sql`make_date(year, month, 1)`
  const begin = sql`(${first} + CAST((weekday_iso - isodow(${first}) + 7) % 7 AS INTEGER))`
  const weeks = sql`(date_diff('day', ${begin}, last_day(${first})) // 7 + 1)`
  const chance = sql`CAST('0x' || left(md5(edition || '/' || accident_id), 8) AS BIGINT)`
  return sql`
    SELECT province_code, ${foldRoadSql(sql`road`)} AS road, km, ${begin} + CAST(7 * (${chance} % ${weeks}) AS INTEGER) AS local_date, hour_local,
      30 AS minute, CAST(NULL AS VARCHAR) AS animal_code
    FROM ${from}
    WHERE is_casualty AND province_code IS NOT NULL AND road IS NOT NULL AND km IS NOT NULL AND weekday_iso IS NOT NULL AND hour_local IS NOT NULL
    ORDER BY edition, accident_id`
}

/** Columns of `cityAccidents`. */
export const CITY_ACCIDENT_COLUMNS = {
  district: col.string(1, 'District.'),
  local_date: col.local_date(2, 'Day, local.'),
  hour_local: col.integer(3, 'Hour, local.', { unit: 'h' }),
} as const satisfies Columns

/** An accident of a city. */
export type CityAccident = Readonly<RowOf<typeof CITY_ACCIDENT_COLUMNS>>

/** A SELECT of a source's accidents with a district and an hour; an accident in two editions counts once. */
export function cityAccidents(source: string): Sql {
  return sql`
    SELECT district, CAST(timezone(${MADRID}, period_start) AS DATE) AS local_date, hour_local
    FROM ${scan(roadAccidents)}
    WHERE source = ${source} AND district IS NOT NULL AND hour_local IS NOT NULL
    QUALIFY row_number() OVER (PARTITION BY accident_id ORDER BY edition) = 1
    ORDER BY period_start, accident_id`
}
