import { MOBILITY_STUDIES, ZONE_LEVELS } from '../../../lake/datasets/mobility/codes.ts'
import { mobilityZoneMembers } from '../../../lake/datasets/mobility/zone-members.ts'
import { mobilityZonePoints } from '../../../lake/datasets/mobility/zone-points.ts'
import { mobilityZones } from '../../../lake/datasets/mobility/zones.ts'
import { municipalityByCode } from '../../../lake/places/municipalities.ts'
import { col } from '../../../lake/schema/columns.ts'
import { defineEndpoint, type State, type StatesOf } from '../../define/endpoint.ts'
import { meaning, nested, optional, record, type ValueOf } from '../../define/fields.ts'
import { codeParam } from '../../define/params.ts'
import { provinceParam } from '../../define/params-place.ts'
import { provinceField, provinceName, stateFields } from '../tail.ts'

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
  municipalities: nested.objects('The municipalities that it holds, whole or in part.', municipalityFields),
  source: col.string(0, 'Source of the record.', { example: 'mitma' }),
  source_id: columns.zone_id,
  observed_at: meaning(
    columns.observed_at,
    'Version of the zone: the fetch since which it holds what it does, under this name, with this population and centroid.',
  ),
  ...stateFields(columns.observed_at),
} as const

const zone = record(
  'MobilityZone',
  'A zone of a study of mobility, its name, population and centroid, and the municipalities that it holds.',
  zoneFields,
)

type Zone = ValueOf<typeof zoneFields>
type Member = State<typeof mobilityZoneMembers>['rows'][number]
type Named = State<typeof mobilityZones>['rows'][number]
type Placed = State<typeof mobilityZonePoints>['rows'][number]

/** What tells zones apart: ids of two levels may be alike, and those of two studies. */
const keyOf = ({ study, zone_level, zone_id }: Pick<Member, 'study' | 'zone_level' | 'zone_id'>): string =>
  [study, zone_level, zone_id].join('|')

const DATASETS = [mobilityZoneMembers, mobilityZones, mobilityZonePoints] as const

/** The zones of a state of their members, with what states of their names and centroids tell of them. */
function zonesOf([members, names, points]: StatesOf<typeof DATASETS>): Zone[] {
  const [named, placed] = [new Map(names.rows.map((row) => [keyOf(row), row])), new Map(points.rows.map((row) => [keyOf(row), row]))]
  return [...Map.groupBy(members.rows, keyOf)].map(([key, rows]) => zoneOf(rows, named.get(key), placed.get(key)))
}

/** A zone of its members, one at least: of those that are published still, where any is. */
function zoneOf(rows: readonly Member[], named: Named | undefined, placed: Placed | undefined): Zone {
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
    is_shared_land: held.every(({ municipality_code }) => municipality_code === null),
    municipalities: held
      .flatMap(({ municipality_code, sections }) =>
        municipality_code === null
          ? []
          : [{ municipality_code, municipality: municipalityByCode(municipality_code)?.name ?? null, sections }],
      )
      .sort((one, other) => (one.municipality_code < other.municipality_code ? -1 : 1)),
    ...{ source: 'mitma', source_id: first.zone_id, status: first.status },
    // What has left a zone changes it as well.
    observed_at: Math.max(...told.map(({ observed_at }) => observed_at)),
    updated_at: Math.max(...told.map(({ updated_at }) => updated_at)),
    is_stale: held.every(({ is_stale }) => is_stale),
  }
}

/** The zones of the studies. */
export const zoneList = defineEndpoint({
  path: '/api/movilidad/zonas',
  domain: 'mobility',
  plan: 'PRO',
  summary: 'Zones of the studies of mobility: codes, names, population, centroids, municipalities that they hold, version',
  about:
    'A zone is a district, a municipality or several small ones together, or a large urban area, whose id is its name. Ids of two levels may be alike, and those of two studies are not the same zones. ' +
    'A zone is found under each province that it holds a municipality of. Polygons are not among what is told; as GeoJSON a zone is its centroid.',
  params: {
    level: codeParam('Level of the zones.', ZONE_LEVELS, { example: 'MUNICIPALITY' }),
    study: codeParam('Study.', MOBILITY_STUDIES, { example: 'V2' }),
    province: provinceParam,
  },
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
    kind: 'live',
    from: DATASETS,
    records: zonesOf,
    pick: (zones, { level, study, province }) =>
      zones.filter(
        (one) =>
          (level === null || one.level === level) &&
          (study === null || one.study === study) &&
          (province === null || one.municipalities.some(({ municipality_code }) => municipality_code?.startsWith(province))),
      ),
  },
  example: { level: 'MUNICIPALITY', limit: '5' },
})
