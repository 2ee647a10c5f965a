import { MOBILITY_STUDIES, ZONE_LEVELS } from '../../../lake/datasets/mobility/codes.ts'
import { mobilityZoneAreas, OUTLINE_TOLERANCE_M } from '../../../lake/datasets/mobility/zone-areas.ts'
import { mobilityZoneMembers } from '../../../lake/datasets/mobility/zone-members.ts'
import { mobilityZonePoints } from '../../../lake/datasets/mobility/zone-points.ts'
import { mobilityZones } from '../../../lake/datasets/mobility/zones.ts'
import { municipalityByCode } from '../../../lake/places/municipalities.ts'
import { ofWkb } from '../../../lake/query/wkb.ts'
import { col, type MultiPolygon } from '../../../lake/schema/columns.ts'
import { defineEndpoint, type State, type StatesOf } from '../../define/endpoint.ts'
import { meaning, nested, optional, record, type ValueOf } from '../../define/fields.ts'
import { columnFilter, defineMemoryFilter } from '../../define/filter.ts'
import { memo } from '../../define/memo.ts'
import { noDataYet } from '../../define/no-data.ts'
import { codeParam } from '../../define/params.ts'
import { provinceParam } from '../../define/params-place.ts'
import type { Problem } from '../../define/problems.ts'
import { provinceField, provinceName, stateFields } from '../tail.ts'
import { levelKey, type ZoneOutlines, zoneKey, zoneOutlines } from './zone-outlines.ts'

const { columns } = mobilityZoneMembers
const { name, population } = mobilityZones.columns

/** What is told of a municipality that a zone holds. */
const municipalityFields = {
  municipality_code: meaning(columns.municipality_code, 'INE code of the municipality.'),
  municipality: col.string(0, 'Official name of the municipality; null for a code that is none today.', {
    nullable: true,
    example: 'Laguardia',
  }),
  sections: meaning(columns.sections, 'Census sections of the municipality in the zone.'),
} as const

/** What is told of a zone. */
const zoneFields = {
  id: columns.zone_id,
  name: optional(name, 'Name that the ministry gives the zone; null where it gives none.'),
  study: columns.study,
  level: columns.zone_level,
  province: provinceField(columns.province_code),
  province_code: optional(
    columns.province_code,
    'INE code of the province that the zone lies in; null where it is in several, or none is told.',
  ),
  population: meaning(
    population,
    'Inhabitants of the zone, as the ministry counts them; null where it gives no number, as of shared land.',
  ),
  is_shared_land: col.boolean(0, 'True for land that several municipalities share, which belongs to none.', { example: false }),
  position: optional(
    mobilityZonePoints.columns.position,
    'Centroid of the zone, as the ministry gives it; it need not lie within the zone. Null where none is told.',
  ),
  geometry: optional(
    mobilityZoneAreas.columns.outline,
    `What the zone covers, for maps: no border is more than ${OUTLINE_TOLERANCE_M} m off that of the ministry, and parts too small for that are left out. One that is not valid as published, as where it crosses itself, is not here either. Null where none is told.`,
  ),
  geometry_at: optional(
    mobilityZoneAreas.columns.observed_at,
    'Fetch of the edition of the polygons that geometry is of; null without it.',
  ),
  municipalities: nested.objects('The municipalities that it holds, whole or in part.', municipalityFields),
  source: col.string(0, 'Source of the record.', { example: 'mitma' }),
  source_id: columns.zone_id,
  observed_at: meaning(
    columns.observed_at,
    'Version of the zone: the fetch since which it holds what it does, under this name, with this population, centroid and newest edition of the polygons of its level.',
  ),
  ...stateFields(columns.observed_at),
} as const

const zone = record(
  'MobilityZone',
  'A zone of a study of mobility, its name, population, centroid and polygons, and the municipalities that it holds.',
  zoneFields,
)

type Zone = ValueOf<typeof zoneFields>
/** A zone without its polygons, which are made for those alone that are shown. */
type Draft = Omit<Zone, 'geometry'>
type Member = State<typeof mobilityZoneMembers>['rows'][number]
type Named = State<typeof mobilityZones>['rows'][number]
type Placed = State<typeof mobilityZonePoints>['rows'][number]

const DATASETS = [mobilityZoneMembers, mobilityZones, mobilityZonePoints] as const

type ZoneStates = StatesOf<typeof DATASETS>
/** The zones of a state of their members, with what else is told of them: names, centroids, polygons. Made once for the same. */
const zonesOf = memo((...[members, names, points, polygons]: [...ZoneStates, ZoneOutlines | null]): readonly Draft[] => {
  const [named, placed] = [new Map(names.rows.map((row) => [zoneKey(row), row])), new Map(points.rows.map((row) => [zoneKey(row), row]))]
  return [...Map.groupBy(members.rows, zoneKey)].map(([key, rows]) =>
    zoneOf(rows, {
      ...{ named: named.get(key), placed: placed.get(key), geometry_at: polygons?.outlines.get(key)?.observed_at ?? null },
      polygonsAt: polygons?.observed_at.get(levelKey(rows[0] as Member)) ?? 0,
    }),
  )
})

/** What is told of a zone beside its members. */
interface Told {
  readonly named: Named | undefined
  readonly placed: Placed | undefined
  readonly geometry_at: number | null
  /** Fetch of the newest edition of polygons of its level, whether the zone is in it or not; 0 for none. */
  readonly polygonsAt: number
}

/** A zone of its members, one at least: of those that are published still, where any is. */
function zoneOf(rows: readonly Member[], { named, placed, geometry_at, polygonsAt }: Told): Draft {
  const active = rows.filter(({ status }) => status === 'ACTIVE')
  const held = active.length > 0 ? active : rows
  const [first] = held as [Member]
  const told = [...rows, ...(named ? [named] : []), ...(placed ? [placed] : [])]
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
    // What has left a zone changes it as well, polygons too.
    observed_at: Math.max(polygonsAt, ...told.map(({ observed_at }) => observed_at)),
    updated_at: Math.max(polygonsAt, ...told.map(({ updated_at }) => updated_at)),
    is_stale: held.every(({ is_stale }) => is_stale),
  }
}

/** The problem of zones whose members no publication has listed yet. */
const noZones = (): Problem =>
  noDataYet('No list of the zones has arrived yet', {
    missing: [DATASETS[0]],
    waits_for: ['the first list of zones of a study'],
    retry_after_s: 30,
  })

/** The zones of the studies. */
export const zoneList = defineEndpoint({
  path: '/api/movilidad/zonas',
  domain: 'mobility',
  plan: 'PRO',
  summary: 'Zones of the studies of mobility: codes, names, population, centroids, polygons, municipalities that they hold, version',
  about:
    'A zone is a district, a municipality or several small ones together, or a large urban area, whose id is its name. Ids of two levels may be alike, and those of two studies are not the same zones; names, populations, centroids and polygons are of the study since 2022 (V2) alone. ' +
    'A zone is found under each province that it holds a municipality of. Polygons are simplified; unsimplified they are in the dataset `mobility_zone_areas`. Zones of one level do not overlap but by slivers, those of several do. `fields` leaves polygons out, but in GeoJSON, where they are what a feature is.',
  figure: {
    grain: 'One zone of one level of one study.',
    method:
      'As the ministry publishes it, simplified polygons aside. What a zone holds is by census sections: a municipality is in each zone that has one of its sections, and the zone is in a province where all of them are.',
  },
  params: {},
  filters: [
    columnFilter('level', codeParam('Level of the zones.', ZONE_LEVELS, { example: 'MUNICIPALITY' }), 'level'),
    columnFilter('study', codeParam('Study.', MOBILITY_STUDIES, { example: 'V2' }), 'study'),
    defineMemoryFilter({
      name: 'province',
      param: provinceParam,
      matches: (province) => (one: Draft) => one.municipalities.some(({ municipality_code }) => municipality_code?.startsWith(province)),
    }),
  ],
  returns: {
    kind: 'list',
    name: 'zones',
    record: zone,
    key: ['id', 'level', 'study'],
    id: 'id',
    sorts: ['id', 'name', 'population', 'updated_at'],
    order: 'id',
    limit: { default: 100, max: 20_000 },
  },
  read: {
    kind: 'memory',
    from: DATASETS,
    lake: [mobilityZoneAreas],
    needs: [],
    isOfAny: true,
    answer: async ({ states, extra }) => {
      if (states[0].parts.length === 0) throw noZones()
      const polygons = await extra(zoneOutlines, '')
      const finish = (draft: Draft): Zone => {
        const outline = polygons?.outlines.get(zoneKey({ study: draft.study, zone_level: draft.level, zone_id: draft.id }))
        return {
          ...draft,
          // Made when it is written: coordinates take four times the memory of their bytes.
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
