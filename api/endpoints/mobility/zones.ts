import { MOBILITY_STUDIES, ZONE_LEVELS } from '../../../lake/datasets/mobility/codes.ts'
import {
  mobilityZoneAreas,
  mobilityZoneMembers,
  mobilityZonePoints,
  mobilityZones,
  OUTLINE_TOLERANCE_M,
} from '../../../lake/datasets/mobility/zones.ts'
import { municipalityByCode } from '../../../lake/places/municipalities.ts'
import { isOfRegion } from '../../../lake/places/regions.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import { ofWkb } from '../../../lake/query/wkb.ts'
import { type Columns, col, type MultiPolygon } from '../../../lake/schema/columns.ts'
import { defineEndpoint, listReturn, type State, type StatesOf } from '../../kernel/endpoint.ts'
import { field, maybe, meaning, nested, optional, record, type ValueOf } from '../../kernel/fields.ts'
import { codeParam } from '../../kernel/params/params.ts'
import { provinceParam } from '../../kernel/params/params-place.ts'
import type { Problem } from '../../kernel/problems.ts'
import { defineCachedQuery } from '../../kernel/reads/cached-query.ts'
import { columnFilter, defineMemoryFilter } from '../../kernel/reads/filter.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { noDataYet } from '../../kernel/reads/no-data.ts'
import { provinceField, provinceName, stateFields } from '../common-fields.ts'
import { MOBILITY_PAGE } from './study.ts'

interface Level {
  readonly study: string
  readonly zone_level: string
}

/** Key of a zone level: each study has its own. */
const levelKey = ({ study, zone_level }: Level): string => `${study}|${zone_level}`

/** Key of a zone: ids may repeat between levels and between studies. */
function zoneKey(zone: Level & { readonly zone_id: string }): string {
  return `${levelKey(zone)}|${zone.zone_id}`
}

/** The polygons of a zone as WKB, which takes a quarter of the memory of coordinates. */
interface ZoneOutline {
  readonly wkb: Buffer
  readonly observed_at: number
}

/** Polygons of zones. */
interface ZoneOutlines {
  /** By zone (`zoneKey`): for each level of a study, the polygons of its newest edition. */
  readonly outlines: ReadonlyMap<string, ZoneOutline>
  /** When that edition was fetched, by level (`levelKey`). */
  readonly observed_at: ReadonlyMap<string, number>
}

const { study, zone_level, zone_id, edition, observed_at } = mobilityZoneAreas.columns
const NEWEST = { study, zone_level, edition: col.string(1, 'Its newest edition.') } as const satisfies Columns
/** Without a declared outline column: undeclared columns arrive as raw bytes. */
const OUTLINES = { study, zone_level, zone_id, edition, observed_at } as const satisfies Columns

/** The outlines of zones, of the newest editions. */
const zoneOutlines = defineCachedQuery<ZoneOutlines>({
  name: 'mobility zone outlines',
  from: [mobilityZoneAreas],
  async read({ rows, all }) {
    const editions = sql`SELECT study, zone_level, max(edition) AS edition FROM ${scan(mobilityZoneAreas)} GROUP BY ALL`
    const newest = new Map((await all(editions, NEWEST)).map((row) => [levelKey(row), row.edition]))
    const found = { outlines: new Map<string, ZoneOutline>(), observed_at: new Map<string, number>() }
    const query = sql`SELECT study, zone_level, zone_id, edition, observed_at, outline
      FROM ${scan(mobilityZoneAreas, { edition: { in: [...new Set(newest.values())] } })}`
    for await (const batch of rows(query, OUTLINES))
      for (const row of batch) {
        const zone = { study: row['study'] as string, zone_level: row['zone_level'] as string, zone_id: row['zone_id'] as string }
        if (newest.get(levelKey(zone)) !== row['edition']) continue
        const at = row['observed_at'] as number
        found.outlines.set(zoneKey(zone), { wkb: row['outline'] as Buffer, observed_at: at })
        found.observed_at.set(levelKey(zone), at)
      }
    return found
  },
})

const { columns } = mobilityZoneMembers
const { name, population } = mobilityZones.columns

/** Fields of a municipality in a zone. */
const municipalityFields = {
  municipality_code: meaning(columns.municipality_code, 'INE code of the municipality.'),
  municipality: maybe.text('Official name of the municipality; null for a code that no longer exists.', 'Laguardia'),
  sections: meaning(columns.sections, 'Census sections of the municipality in the zone.'),
} as const

/** Fields of a zone. */
const zoneFields = {
  id: columns.zone_id,
  name: optional(name, 'Name of the zone, as the ministry publishes it; null without one.'),
  study: columns.study,
  level: columns.zone_level,
  province: provinceField(columns.province_code),
  province_code: optional(
    columns.province_code,
    'INE code of the province of the zone; null if it is in several or the source states none.',
  ),
  population: meaning(population, 'Inhabitants of the zone, as the ministry counts them; null without a number, as for shared land.'),
  is_shared_land: field.boolean('True for land shared by several municipalities, which belongs to none.', false),
  position: optional(
    mobilityZonePoints.columns.position,
    'Centroid of the zone, as the ministry publishes it; it may be outside the zone. Null if not published.',
  ),
  geometry: optional(
    mobilityZoneAreas.columns.outline,
    `Area of the zone, for maps: no border is more than ${OUTLINE_TOLERANCE_M} m off the ministry's, and smaller parts are left out. A polygon that is published with an error, such as a border that crosses itself, has the same error here. Null if not published.`,
  ),
  geometry_at: optional(mobilityZoneAreas.columns.observed_at, 'Fetch of the polygon edition of geometry; null without geometry.'),
  municipalities: nested.objects('Its municipalities, whole or in part.', municipalityFields),
  source: field.text('Source of the record.', 'mitma'),
  source_id: columns.zone_id,
  observed_at: meaning(
    columns.observed_at,
    'Version of the zone: the fetch since which its municipalities, name, population, centroid and the newest polygon edition of its level are unchanged.',
  ),
  ...stateFields(columns.observed_at),
} as const

const zone = record(
  'MobilityZone',
  'A zone of a study of mobility, its name, population, centroid and polygons, and its municipalities.',
  zoneFields,
)

type Zone = ValueOf<typeof zoneFields>
/** A zone without its polygons, which are decoded only for records that are shown. */
type Draft = Omit<Zone, 'geometry'>
type Member = State<typeof mobilityZoneMembers>['rows'][number]
type Named = State<typeof mobilityZones>['rows'][number]
type Placed = State<typeof mobilityZonePoints>['rows'][number]

const DATASETS = [mobilityZoneMembers, mobilityZones, mobilityZonePoints] as const

type ZoneStates = StatesOf<typeof DATASETS>
/** The zones of a state of their members, with names, centroids and polygons. Cached for equal states. */
const zonesOf = memo((...[members, names, points, polygons]: [...ZoneStates, ZoneOutlines | null]): readonly Draft[] => {
  const [named, placed] = [new Map(names.rows.map((row) => [zoneKey(row), row])), new Map(points.rows.map((row) => [zoneKey(row), row]))]
  return [...Map.groupBy(members.rows, zoneKey)].map(([key, rows]) =>
    zoneOf(rows, {
      ...{ named: named.get(key), placed: placed.get(key), geometry_at: polygons?.outlines.get(key)?.observed_at ?? null },
      polygonsAt: polygons?.observed_at.get(levelKey(rows[0] as Member)) ?? 0,
    }),
  )
})

/** Optional data of a zone besides its members. */
interface ZoneData {
  readonly named: Named | undefined
  readonly placed: Placed | undefined
  readonly geometry_at: number | null
  /** Fetch of the newest polygon edition of its level, whether or not it includes the zone; 0 for none. */
  readonly polygonsAt: number
}

/** A zone from its members, at least one: the active ones, if there are any. */
function zoneOf(rows: readonly Member[], { named, placed, geometry_at, polygonsAt }: ZoneData): Draft {
  const active = rows.filter(({ status }) => status === 'ACTIVE')
  const held = active.length > 0 ? active : rows
  const [first] = held as [Member]
  const parts = [...rows, ...(named ? [named] : []), ...(placed ? [placed] : [])]
  const provinces = new Set(held.flatMap(({ province_code }) => province_code ?? []))
  const province_code = provinces.size === 1 ? ([...provinces][0] ?? null) : null
  return {
    ...{ id: first.zone_id, name: named?.name ?? null, study: first.study, level: first.zone_level },
    ...{ province: provinceName(province_code), province_code, population: named?.population ?? null },
    position: placed?.position ?? null,
    geometry_at,
    is_shared_land: held.every(({ municipality_code }) => municipality_code === null),
    municipalities: held
      .flatMap(({ municipality_code, sections }) =>
        municipality_code === null
          ? []
          : [{ municipality_code, municipality: municipalityByCode(municipality_code)?.name ?? null, sections }],
      )
      .sort((one, other) => (one.municipality_code < other.municipality_code ? -1 : 1)),
    ...{ source: 'mitma', source_id: first.zone_id, status: first.status },
    // Removed members change the zone too, as do polygons.
    observed_at: Math.max(polygonsAt, ...parts.map(({ observed_at }) => observed_at)),
    updated_at: Math.max(polygonsAt, ...parts.map(({ updated_at }) => updated_at)),
    is_stale: held.every(({ is_stale }) => is_stale),
  }
}

/** The problem of zones without any published list of members. */
const noZones = (): Problem =>
  noDataYet('No list of the zones has arrived yet', {
    missing: [DATASETS[0]],
    waits_for: ['the first list of zones of a study'],
  })

/** The zones of the studies. */
export const zoneList = defineEndpoint({
  path: '/api/movilidad/zonas',
  plan: 'PRO',
  summary: 'Zones of the mobility studies: names, population, polygons, municipalities',
  summary_es: 'Zonas de los estudios de movilidad: códigos, población y polígonos',
  about:
    'A zone is a district, a municipality or several small ones, or a large urban area. Ids may repeat between levels, and the zones of the two studies differ. Only the study since 2022 (V2) has names, populations, centroids and polygons. Polygons are simplified. `fields` can leave polygons out, except in GeoJSON.',
  explained: MOBILITY_PAGE,
  statistic: {
    grain: 'One zone of one level of one study.',
    method:
      'As the ministry publishes it, except for simplified polygons. Membership is by census sections: a municipality is in each zone with one of its sections, and a zone is in a province if all its sections are.',
  },
  filters: [
    columnFilter('level', codeParam('Level of the zones.', ZONE_LEVELS, { example: 'MUNICIPALITY' }), 'level'),
    columnFilter('study', codeParam('Study.', MOBILITY_STUDIES, { example: 'V2' }), 'study'),
    defineMemoryFilter({
      name: 'province',
      param: provinceParam,
      matches: (region) => {
        const isInside = isOfRegion(region)
        return (one: Draft) =>
          one.municipalities.some(({ municipality_code }) =>
            isInside({ municipality_code, province_code: municipality_code && municipality_code.slice(0, 2) }),
          )
      },
    }),
  ],
  returns: listReturn('zones', zone, {
    key: ['id', 'level', 'study'],
    sorts: ['id', 'name', 'population', 'updated_at'],
  }),
  read: {
    kind: 'memory',
    from: DATASETS,
    lake: [mobilityZoneAreas],
    needs: [],
    isOfAny: true,
    answer: async ({ states, optional: extra }) => {
      if (states[0].parts.length === 0) throw noZones()
      const polygons = await extra(zoneOutlines, '')
      const finish = (draft: Draft): Zone => {
        const outline = polygons?.outlines.get(zoneKey({ study: draft.study, zone_level: draft.level, zone_id: draft.id }))
        return {
          ...draft,
          // Decoded when written: coordinates take four times the memory of their bytes.
          get geometry() {
            return outline ? (ofWkb('multipolygon', outline.wkb) as MultiPolygon) : null
          },
        }
      }
      return { drafts: zonesOf(...states, polygons), finish, counts: {} }
    },
  },
  example: { level: 'MUNICIPALITY', limit: '5' },
})
