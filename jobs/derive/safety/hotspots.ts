import { accidentPositions } from '../../../lake/datasets/safety/accident-places.ts'
import { accidentHotspots } from '../../../lake/datasets/safety/hotspots.ts'
import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { type HotspotSet, type HotspotsGiven, hotspotSets, type hotspotsOf, isByRoad, mostErrorM } from '../../../models/hotspots/sets.ts'
import { inThread } from '../../../models/in-thread.ts'
import { type DerivedPart, defineDerived } from '../define.ts'

/** The random runs take minutes of a core. */
const IN_THREAD = { file: new URL('../../../models/hotspots/sets.ts', import.meta.url), name: 'hotspotsOf' }
const { year, period_end, province_code, municipality_code, road, km, street, position, location_error_m } = roadAccidents.columns
const { accident_type, severity, hour_local, killed_24h, hospitalised_24h, slight_24h } = roadAccidents.columns
/** Columns of an accident that black spots are made from: those of the country are 300,000. */
const COLUMNS = {
  ...{ year, period_end, province_code, municipality_code, road, km, street, position, location_error_m },
  ...{ accident_type, severity, hour_local, killed_24h, hospitalised_24h, slight_24h },
}

/** The set of a part; its inputs are those of the set again. */
const setOf = ({ version, from }: DerivedPart): HotspotSet | undefined => hotspotSets(from, from).find(({ name }) => name === version)

/**
 * Black spots of each source for every parameter set: of the cities by published positions, of the country by those of road and
 * kilometre. Takes some minutes of one core, so it runs at night in a thread.
 */
export const hotspotsDerived = defineDerived({
  by: 'model',
  into: accidentHotspots,
  from: [roadAccidents, accidentPositions],
  revision: 2,
  isNightly: true,
  waitsForParts: true,
  parts: (editions, held) =>
    hotspotSets(editions, held(accidentPositions)).map((set) => ({
      ...{ version: set.name, from: set.editions },
      of: isByRoad(set) ? [roadAccidents, accidentPositions] : [roadAccidents],
    })),
  gives: COLUMNS,
  reads: (part) => {
    const set = setOf(part)
    const accidents = sql`${scan(roadAccidents, { edition: { in: part.from } })}`
    const columns = sql`a.year, a.period_end, a.province_code, a.municipality_code, a.road, a.km, a.street, a.accident_type, a.severity,
      a.hour_local, a.killed_24h, a.hospitalised_24h, a.slight_24h`
    if (!set || !isByRoad(set))
      return sql`
        SELECT ${columns}, a.position_lat, a.position_lon, a.location_error_m FROM ${accidents} AS a
        WHERE a.is_casualty
        ORDER BY a.edition, a.accident_id`
    return sql`
      SELECT ${columns}, p.position_lat, p.position_lon, p.error_m AS location_error_m
      FROM ${accidents} AS a
      LEFT JOIN ${scan(accidentPositions, { edition: { in: part.from }, error_m: { lte: mostErrorM(set.bandwidth_m) } })} AS p
        ON a.edition = p.edition AND a.accident_id = p.accident_id
      WHERE a.is_casualty
      ORDER BY a.edition, a.accident_id`
  },
  rows: async (part, { given, before, signal }) => {
    const found = await inThread<typeof hotspotsOf>({ ...IN_THREAD, signal }, setOf(part) as HotspotSet, {
      accidents: given as unknown as HotspotsGiven['accidents'],
      before: before as unknown as HotspotsGiven['before'],
    })
    return found as unknown as AnyRow[]
  },
})
