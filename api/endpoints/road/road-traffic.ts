import { imdRoads } from '../../../lake/datasets/mobility/imd-roads.ts'
import { roadSections } from '../../../lake/datasets/road/road-network.ts'
import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import { foldRoad, foldRoadSql } from '../../../lake/places/road-key.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, sql } from '../../../lake/query/sql.ts'
import { col } from '../../../lake/schema/columns.ts'
import { defineCachedQuery } from '../../kernel/reads/cached-query.ts'

const IMD_COLUMNS = {
  road: col.string(1, 'Road designation.'),
  year: col.integer(2, 'Year.', { unit: '1' }),
  imd: col.float(3, 'Mean daily vehicles.', { unit: 'veh/d' }),
  length_km: col.float(4, 'Length of the counted sections.', { unit: 'km' }),
}

/** Mean daily vehicles of a road in a year, and the length of its counted sections. */
export interface RoadTraffic {
  readonly year: number
  readonly imd: number
  readonly length_km: number
}

/** The traffic of roads in the newest year, by folded name. Its only key is the empty string. */
export const dailyTraffic = defineCachedQuery<ReadonlyMap<string, RoadTraffic>>({
  name: 'daily traffic of roads',
  from: [imdRoads],
  maxEntries: 1,
  read: async (reader) => {
    const edition = (await reader.versions(imdRoads))
      .map(({ name }) => name)
      .sort()
      .at(-1)
    if (edition === undefined) return new Map()
    const rows = scan(imdRoads, { edition: { eq: edition } })
    const found = await reader.all(
      sql`
        SELECT road, any_value(year) AS year, CAST(sum(imd * length_km) / sum(length_km) AS DOUBLE) AS imd, CAST(sum(length_km) AS DOUBLE) AS length_km
        FROM ${rows} GROUP BY road ORDER BY road`,
      IMD_COLUMNS,
    )
    return new Map(found.map(({ road, year, imd, length_km }) => [foldRoad(road), { year, imd, length_km }]))
  },
})

const HOLDER_COLUMNS = {
  road: col.string(1, 'Road designation.'),
  state: col.integer(2, 'Sections that the state holds.', { unit: '1' }),
  others: col.integer(3, 'Sections that it does not hold.', { unit: '1' }),
}

/** Who holds a road with imported sections. */
export type Holder = 'STATE' | 'OTHER' | 'SEVERAL'

/** The holders of roads by folded name, by the newest edition of each province. Its only key is the empty string. */
export const roadHolders = defineCachedQuery<ReadonlyMap<string, Holder>>({
  name: 'holders of roads',
  from: [roadSections],
  maxEntries: 1,
  read: async (reader) => {
    const found = await reader.all(
      sql`
        WITH sections AS (
          SELECT ${foldRoadSql(sql`road`)} AS road, is_state_road
          FROM ${scan(roadSections, {})}
          WHERE is_in_service AND is_state_road IS NOT NULL
          QUALIFY published_at = max(published_at) OVER (PARTITION BY province_code)
        )
        SELECT road, CAST(count_if(is_state_road) AS INTEGER) AS state, CAST(count_if(NOT is_state_road) AS INTEGER) AS others
        FROM sections
        GROUP BY road
        ORDER BY road`,
      HOLDER_COLUMNS,
    )
    return new Map(found.map(({ road, state, others }) => [road, others === 0 ? 'STATE' : state === 0 ? 'OTHER' : 'SEVERAL']))
  },
})

const ACCIDENT_COLUMNS = {
  source: col.string(1, 'Source.'),
  year: col.integer(2, 'Year.', { unit: '1' }),
  accidents: col.integer(3, 'Accidents.', { unit: '1' }),
}

/** Accidents with victims on a road by source and year, the newest year first; the key is the road's folded name. */
export const accidentYears = defineCachedQuery<readonly { readonly source: string; readonly year: number; readonly accidents: number }[]>({
  name: 'accidents of a road by year',
  from: [roadAccidents],
  maxEntries: 500,
  read: (reader, road) =>
    reader.all(
      sql`
        SELECT source, year, CAST(count(*) AS INTEGER) AS accidents
        FROM ${scan(roadAccidents)}
        WHERE coalesce(${foldRoadSql(column(roadAccidents, 'road'))} = ${road}, false) AND is_casualty
        GROUP BY source, year
        ORDER BY year DESC, source`,
      ACCIDENT_COLUMNS,
    ),
})
