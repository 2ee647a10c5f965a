import { imdRoads } from '../../../lake/datasets/mobility/imd.ts'
import { roadPoints, roadSections } from '../../../lake/datasets/road/road-network.ts'
import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import { corridors } from '../../../lake/places/corridors.ts'
import { islandAt } from '../../../lake/places/islands.ts'
import { lengthM } from '../../../lake/places/lines.ts'
import type { Post } from '../../../lake/places/place-on-road.ts'
import { codeOfRegion, isIsland } from '../../../lake/places/regions.ts'
import { foldRoad, foldRoadSql } from '../../../lake/places/road-key.ts'
import { scan } from '../../../lake/query/scan.ts'
import { column, sql } from '../../../lake/query/sql.ts'
import { defineCodes } from '../../../lake/schema/codes.ts'
import { col, type Point, type RowOf } from '../../../lake/schema/columns.ts'
import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { field, maybe, nested, record, type ValueOf } from '../../kernel/fields.ts'
import { areaFilter } from '../../kernel/filters.ts'
import { codeParam, listOf, textParam } from '../../kernel/params/params.ts'
import { provinceParam, roadName } from '../../kernel/params/params-place.ts'
import { defineCachedQuery } from '../../kernel/reads/cached-query.ts'
import { defineMemoryFilter } from '../../kernel/reads/filter.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { provinceName } from '../common-fields.ts'
import { ROAD_ITEMS } from './along/route-item.ts'
import { THING_DATASETS, thingsOf } from './along/things.ts'
import { type Posts, ROAD_TABLES, roadPosts } from './posts.ts'
import { pathRoad, suggestRoad } from './road-geometry.ts'
import { countsOn } from './road-state.ts'

const IMD_COLUMNS = {
  road: col.string(1, 'Road designation.'),
  year: col.integer(2, 'Year.', { unit: '1' }),
  imd: col.float(3, 'Mean daily vehicles.', { unit: 'veh/d' }),
  length_km: col.float(4, 'Length of the counted sections.', { unit: 'km' }),
}

/** Mean daily vehicles of a road in a year, and the length of its counted sections. */
type RoadTraffic = Readonly<Omit<RowOf<typeof IMD_COLUMNS>, 'road'>>

/** The traffic of roads in the newest year, by folded name. Its only key is the empty string. */
export const dailyTraffic = defineCachedQuery<ReadonlyMap<string, RoadTraffic>>({
  name: 'daily traffic of roads',
  from: [imdRoads],
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
type Holder = 'STATE' | 'OTHER' | 'SEVERAL'

/** The holders of roads by folded name, by the newest edition of each province. Its only key is the empty string. */
export const roadHolders = defineCachedQuery<ReadonlyMap<string, Holder>>({
  name: 'holders of roads',
  from: [roadSections],
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
const accidentYears = defineCachedQuery<readonly Readonly<RowOf<typeof ACCIDENT_COLUMNS>>[]>({
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

const ROAD_CLASSES = defineCodes('road_class', 'Class of a road, by its designation.', {
  MOTORWAY: ['Autovía o autopista', 'Motorway or dual carriageway'],
  NATIONAL: ['Carretera nacional', 'National road'],
  OTHER: ['Autonómica, provincial o local', 'Regional, provincial or local road'],
})

const ROAD_HOLDERS = defineCodes('road_holder', 'Who holds a road.', {
  STATE: ['Estado', 'The state'],
  OTHER: ['Otra administración', 'Another administration'],
  SEVERAL: ['El Estado y otras administraciones, por tramos', 'The state and others, by section'],
})

const roadFields = {
  id: field.text('Its designation.', 'A-2'),
  name: maybe.text('Name of the road, if it has one.', 'Autovía del Nordeste'),
  class: field.code('Its class, by its designation; see `holder` for whose road it is.', ROAD_CLASSES, 'MOTORWAY'),
  holder: maybe.code(
    "Who holds it, by IGN's sections of the road network; null where these are not imported or state none.",
    ROAD_HOLDERS,
    null,
  ),
  provinces: field.list('Official names of the provinces with located kilometres of it.', field.text('A name.'), ['Barcelona']),
  province_codes: field.list('Their INE codes.', field.text('A code.'), ['08']),
  km_from: field.decimal('First located kilometre.', 'km', 1, 582),
  km_to: field.decimal('Last located kilometre.', 'km', 1, 598.5),
  located_km: field.decimal(
    'Length of its continuous located parts: along its measured axis where the network is imported, else between located kilometres.',
    'km',
    1,
    16.2,
  ),
  counted_km: maybe.decimal("Length of its sections on the ministry's traffic map; null if it is not there.", 'km', 1, null),
  imd_veh_day: maybe.integer('Mean daily vehicles over these sections; null without them.', 'veh/d', null),
  imd_year: maybe.integer('Year of that figure.', '1', null),
  position: field.point('A located kilometre about halfway.', { lat: 41.514583, lon: 1.897944 }),
} as const

/** A road with the codes of the provinces and islands that it is in. */
type Road = ValueOf<typeof roadFields> & { readonly places: ReadonlySet<string> }

const listed = record('Road', 'A road with located kilometres.', roadFields)

/** The roads with located kilometres, with their traffic; by folded name. */
export const roadsOf = memo(
  (
    posts: Posts,
    traffic: ReadonlyMap<string, RoadTraffic> | null,
    holders: ReadonlyMap<string, Holder> | null,
  ): ReadonlyMap<string, Road> => {
    const names = new Map(corridors.map(({ id, name }) => [foldRoad(id), name.split(', ')[1] ?? null]))
    return new Map(
      [...posts.roads].map((road) => {
        const all = posts.marks(road)
        const [first, last, middle] = [all[0], all.at(-1), all[all.length >> 1]] as [Post, Post, Post]
        const islands = all.flatMap(({ province_code, position }) => islandAt(province_code, position) ?? [])
        const codes = [...new Set(all.map(({ province_code }) => province_code))].sort()
        const counted = traffic?.get(road) ?? null
        const id = roadName(middle.road)
        const made = {
          ...{ id, name: names.get(road) ?? null, class: classOf(id), holder: holders?.get(road) ?? null },
          provinces: codes.flatMap((code) => provinceName(code) ?? []),
          places: new Set([...codes, ...islands]),
          ...{ province_codes: codes, km_from: first.km, km_to: last.km, located_km: locatedKm(posts, road) },
          counted_km: counted && Math.round(10 * counted.length_km) / 10,
          ...{ imd_veh_day: counted && Math.round(counted.imd), imd_year: counted && counted.year, position: middle.position as Point },
        }
        return [road, made]
      }),
    )
  },
)

function classOf(road: string): string {
  if (/^(A|AP|R)-?\d{1,2}$/.test(road)) return 'MOTORWAY'
  return /^N-?[\dIVX]/.test(road) ? 'NATIONAL' : 'OTHER'
}

function locatedKm(posts: Posts, road: string): number {
  const lines = posts.runs(road).map((run) => run.map(({ position }) => [position.lon, position.lat] as const))
  const metres = lines.reduce((sum, line) => sum + lengthM(line), posts.axes.lengthM(road))
  return Math.round(metres / 100) / 10
}

const textFilter = defineMemoryFilter({
  name: 'q',
  param: textParam('Part of the designation or the name; case, accents and hyphens are ignored.', { max: 60, example: 'A-2' }),
  matches: (q) => {
    const wanted = foldRoad(q)
    return ({ id, name }: Road) => foldRoad(id).includes(wanted) || (name !== null && foldRoad(name).includes(wanted))
  },
})
const classFilter = defineMemoryFilter({
  name: 'class',
  param: listOf(codeParam('Class of the road.', ROAD_CLASSES, { example: 'MOTORWAY' })),
  matches: (classes) => (road: Road) => classes.includes(road.class),
  present: { class: (road: Road) => road.class },
})
const ownProvinceFilter = defineMemoryFilter({
  name: 'province',
  param: provinceParam,
  matches:
    (region) =>
    ({ places }: Road) =>
      isIsland(region) ? places.has(codeOfRegion(region)) : region.some((code) => places.has(code)),
  present: { province: ({ province_codes }: Road) => province_codes },
})

const ABOUT =
  'Roads with kilometres whose position is known, from records of other lists; with the daily traffic of the roads on the traffic map of the ministry.'

/** The catalogue of roads. */
export const roadList = defineEndpoint({
  path: '/api/carreteras',
  plan: 'FREE',
  summary: 'Roads with their class, provinces, located kilometres and daily traffic',
  summary_es: 'Carreteras con su clase, provincias, kilómetros localizados e IMD',
  about: ABOUT,
  filters: [textFilter, classFilter, ownProvinceFilter, areaFilter],
  returns: listReturn('roads', listed, { sorts: ['id', 'imd_veh_day', 'located_km'] }),
  read: {
    kind: 'memory',
    from: [],
    lake: [...ROAD_TABLES, imdRoads, roadSections],
    needs: [roadPoints],
    answer: async ({ cached, optional }) => [
      ...roadsOf(await cached(roadPosts, ''), await optional(dailyTraffic, ''), await optional(roadHolders, '')).values(),
    ],
  },
  example: { q: 'A-2' },
})

const profile = record('RoadProfile', 'A road with what is on it now, its traffic and its accidents.', {
  ...roadFields,
  now: nested.objects('How many things are on the road now, by kind, as its state lists them; kinds without any are left out.', {
    kind: field.code('Kind of thing.', ROAD_ITEMS, 'INCIDENT'),
    count: field.integer('Number of them.', '1', 2),
    without_km: field.integer('Number of others that state the road without a kilometre: its state does not list them.', '1', 0),
  }),
  accidents: nested.objects('Accidents with victims by source and year, the newest first; sources overlap and are never added.', {
    source: roadAccidents.columns.source,
    year: roadAccidents.columns.year,
    accidents: field.integer('Accidents.', '1', 12),
  }),
  state_url: field.text('Path of everything on it now.', '/api/carreteras/A-2/estado'),
  geometry_url: field.text('Path of its line.', '/api/carreteras/A-2/geometria'),
})

/** One road. */
export const roadById = defineEndpoint({
  path: '/api/carreteras/{road}',
  plan: 'FREE',
  excerpts: [{ of: roadAccidents, columns: ['source', 'year'] }],
  summary: 'One road: provinces, kilometres, live counts, daily traffic and accidents',
  summary_es: 'Una carretera: provincias, kilómetros, recuento actual, IMD y accidentes',
  about: ABOUT,
  params: { road: pathRoad },
  returns: { kind: 'one', record: profile },
  read: {
    kind: 'memory',
    from: THING_DATASETS,
    lake: [...ROAD_TABLES, imdRoads, roadSections, roadAccidents],
    needs: [roadPoints],
    isOfAny: true,
    answer: async ({ states, cached, optional }, { road }) => {
      const posts = await cached(roadPosts, '')
      const found = roadsOf(posts, await optional(dailyTraffic, ''), await optional(roadHolders, '')).get(road)
      if (!found) return null
      const path = `/api/carreteras/${encodeURIComponent(found.id)}`
      return {
        ...found,
        now: countsOn(road, thingsOf(states, posts), posts.marks(road)),
        accidents: (await optional(accidentYears, road)) ?? [],
        ...{ state_url: `${path}/estado`, geometry_url: `${path}/geometria` },
      }
    },
    suggestion: suggestRoad(),
  },
  example: { road: 'A-2' },
})
