import { animalAccidents } from '../../lake/datasets/safety/animal-accidents.ts'
import { roadAccidents } from '../../lake/datasets/safety/road-accidents.ts'
import { foldRoadSql } from '../../lake/places/road-key.ts'
import { type Scan, scan } from '../../lake/query/scan.ts'
import { type Sql, sql } from '../../lake/query/sql.ts'
import { type Columns, col } from '../../lake/schema/columns.ts'
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

/** A SELECT of the accidents with animals that have a road and a kilometre, as `SectionAccident` has them; of all editions, each of which is a year. */
export function sectionAccidents(from: Scan = scan(animalAccidents)): Sql {
  return sql`
    SELECT province_code, ${foldRoadSql(sql`road`)} AS road, km, local_date, hour_local,
      CAST(date_part('minute', timezone('UTC', occurred_at)) AS INTEGER) AS minute, animal_code
    FROM ${from}
    WHERE road IS NOT NULL AND km IS NOT NULL
    ORDER BY local_date, accident_id`
}

/** Columns of `cityAccidents`. */
export const CITY_ACCIDENT_COLUMNS = {
  district: col.string(1, 'District.'),
  local_date: col.local_date(2, 'Day, local.'),
  hour_local: col.integer(3, 'Hour, local.', { unit: 'h' }),
} as const satisfies Columns

/** An accident of a city. */
export interface CityAccident {
  readonly district: string
  readonly local_date: string
  readonly hour_local: number
}

/** A SELECT of the accidents of a source that have a district and an hour; one that two editions have counts once. */
export function cityAccidents(source: string): Sql {
  return sql`
    SELECT district, CAST(timezone(${MADRID}, period_start) AS DATE) AS local_date, hour_local
    FROM ${scan(roadAccidents)}
    WHERE source = ${source} AND district IS NOT NULL AND hour_local IS NOT NULL
    QUALIFY row_number() OVER (PARTITION BY accident_id ORDER BY edition) = 1
    ORDER BY period_start, accident_id`
}
