import { fuelStations } from '../../../lake/datasets/fuel/prices.ts'
import { chargingSites } from '../../../lake/datasets/road/charging-sites.ts'
import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { lowEmissionZones } from '../../../lake/datasets/road/low-emission-zones.ts'
import { municipalityRegister } from '../../../lake/datasets/road/municipality-register.ts'
import { ignBoundaries } from '../../../lake/datasets/road/sources.ts'
import { v16Beacons } from '../../../lake/datasets/road/v16.ts'
import { vmsDevices } from '../../../lake/datasets/road/vms.ts'
import { type Area, loadAtlas } from '../../../lake/places/atlas.ts'
import { boundaryOf } from '../../../lake/places/boundaries.ts'
import { CAPITALS } from '../../../lake/places/capitals.ts'
import { communityNames } from '../../../lake/places/communities.ts'
import { distanceM } from '../../../lake/places/distance.ts'
import { allMunicipalities, municipalityByCode } from '../../../lake/places/municipalities.ts'
import { municipalityNames } from '../../../lake/places/municipality-names.ts'
import { provinceByCode, provinces } from '../../../lake/places/provinces.ts'
import { isOfRegion } from '../../../lake/places/regions.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import { col, type MultiPolygon, type Point } from '../../../lake/schema/columns.ts'
import type { Row } from '../../../lake/schema/dataset.ts'
import { tableColumns } from '../../../lake/schema/physical.ts'
import { defineEndpoint, listReturn, type State, type StatesOf } from '../../kernel/endpoint.ts'
import { field, maybe, nested, record, type ValueOf } from '../../kernel/fields.ts'
import { searchFilter } from '../../kernel/filters.ts'
import { oneOf, required, textParam, withDefault } from '../../kernel/params/params.ts'
import { provinceParam } from '../../kernel/params/params-place.ts'
import { defineCachedQuery } from '../../kernel/reads/cached-query.ts'
import { defineMemoryFilter } from '../../kernel/reads/filter.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { provinceField, provinceName, withExample } from '../common-fields.ts'
import { NETWORK_TABLES, type RailNetwork, railNetwork } from '../rail/network.ts'
import { withoutDuplicates } from './same-incident.ts'

/** Inhabitants by INE code of municipality and province, of the newest edition. Its only key is the empty string. */
export const inhabitants = defineCachedQuery<Register>({
  name: 'inhabitants',
  from: [municipalityRegister],
  async read({ all }) {
    const newest = sql`(SELECT max(edition) FROM ${scan(municipalityRegister)})`
    const query = sql`SELECT * FROM ${scan(municipalityRegister)} WHERE edition = ${newest}`
    const rows = await all<Row<typeof municipalityRegister>>(query, tableColumns(municipalityRegister))
    const people = new Map<string, number>()
    for (const { municipality_code, province_code, population } of rows)
      if (population !== null) for (const code of [municipality_code, province_code]) people.set(code, (people.get(code) ?? 0) + population)
    return { year: rows[0] ? Number(rows[0].edition) : null, people }
  },
})

/** The inhabitants of an edition of the register. */
export interface Register {
  readonly year: number | null
  readonly people: ReadonlyMap<string, number>
}

const DATASETS = [incidents, v16Beacons, vmsDevices, fuelStations, chargingSites, lowEmissionZones] as const
type Known = StatesOf<typeof DATASETS>

const ABOUT_BOUNDARY =
  "Boundaries are IGN's (CNIG, CC BY 4.0), from the package es-atlas: accurate to some 200 m. `zoom` simplifies them to a pixel of a web map of that zoom."

const ZOOMS = ['4', '5', '6', '7', '8', '9', '10', '11', '12'] as const
const zoom = oneOf('Zoom of the web map on which the boundary is drawn; lists without it have no boundary.', ZOOMS, { example: '7' })

const count = (about: string, example: number) => field.integer(about, '1', example)
const countFields = {
  incidents: count('Active incidents.', 3),
  beacons: count('Active V16 beacons.', 1),
  panels: count('Variable-message panels.', 12),
  gas_stations: count('Filling stations.', 80),
  charging_sites: count('Sites with charging points.', 25),
  low_emission_zones: count('Low-emission zones.', 1),
} as const
type Counts = ValueOf<typeof countFields>

const placed = (of: string) =>
  ({
    bbox: maybe.list(
      'West, south, east and north of the boundary; null without one.',
      field.float('Edge.', 'deg'),
      [-4.58, 39.88, -3.05, 41.17],
    ),
    position: maybe.point(`Middle of the box of the ${of}; null without a boundary.`, { lat: 40.525, lon: -3.815 }),
    geometry: col.multipolygon(0, 'Boundary; null without `zoom` in lists, and for a place that has none in the atlas.', {
      nullable: true,
      example: null,
    }),
  }) as const

const population = (of: string) =>
  ({
    population: maybe.integer(`Inhabitants of the ${of} in IGN's register; null where it is not imported.`, '1', 3_422_416),
    population_year: maybe.integer('Year of the inhabitants.', '1', 2025),
  }) as const

const provinceFields = {
  id: field.text('INE code.', '28'),
  name: field.text('Official name.', 'Madrid'),
  names: field.list('Names in every official language.', field.text('Name.'), ['Madrid']),
  community_names: field.list('Names of its autonomous community or city.', field.text('Name.'), ['Comunidad de Madrid']),
  ...placed('province'),
} as const
const { geometry: municipalBoundary, ...municipalBox } = placed('municipality')
const municipalityFields = {
  id: field.text('INE code.', '28079'),
  name: field.text('Official name.', 'Madrid'),
  names: field.list('Names in use, current and former.', field.text('Name.'), ['Madrid']),
  province: withExample(provinceField(incidents.columns.province_code), 'Madrid'),
  province_code: field.text('INE code of its province.', '28'),
  is_capital: field.boolean('True for the capital of a province.', true),
  ...municipalBox,
} as const

const counts = nested.object('What is there now; a feed that has not arrived counts 0, see `meta.missing`.', countFields)
const province = record('Province', 'A province or autonomous city.', provinceFields)
const provinceDetail = record('ProvinceDetail', 'A province with what is there now.', {
  ...provinceFields,
  ...population('province'),
  counts,
})
const municipality = record('Municipality', 'A municipality.', municipalityFields)
const municipalityDetail = record('MunicipalityDetail', 'A municipality with what is there now and the nearest services.', {
  ...municipalityFields,
  ...population('municipality'),
  geometry: municipalBoundary,
  counts,
  nearest: nested.objects('The nearest service of each kind within 100 km of the middle of the municipality.', {
    kind: field.text('Kind: gas-station, charging-site or rail-station.', 'gas-station'),
    id: field.text('Id of the service.', '4375'),
    name: maybe.text('Its name; null if it has none.', 'REPSOL'),
    distance_m: field.integer('Straight-line distance.', 'm', 420),
    url: field.text('Path of its details.', '/api/gas-stations/4375'),
  }),
})

function boxOf(area: Area | undefined): Pick<ValueOf<typeof provinceFields>, 'bbox' | 'position'> {
  if (!area) return { bbox: null, position: null }
  const { west, south, east, north } = area
  return { bbox: [west, south, east, north], position: { lat: (south + north) / 2, lon: (west + east) / 2 } }
}

function drawn(area: Area | undefined, atZoom: (typeof ZOOMS)[number] | null): MultiPolygon | null {
  const boundary = area && atZoom !== null ? boundaryOf(area, Number(atZoom)) : []
  return boundary.length > 0 ? boundary : null
}

function peopleOf(
  register: Register | null,
  code: string,
): { readonly population: number | null; readonly population_year: number | null } {
  const population = register?.people.get(code) ?? null
  return { population, population_year: population === null ? null : (register?.year ?? null) }
}

const areas = memo(({ municipalities, provinces: all }: ReturnType<typeof loadAtlas>) => ({
  provinces: new Map(all.map((area) => [area.code, area])),
  municipalities: new Map(municipalities.map((area) => [area.code, area])),
}))

function provinceOf(code: string, atZoom: (typeof ZOOMS)[number] | null): ValueOf<typeof provinceFields> {
  const { name, names } = provinceByCode(code) as (typeof provinces)[number]
  const all = [...new Set([...name.split('/'), ...Object.values(names)])]
  const area = areas(loadAtlas()).provinces.get(code)
  const community_names = communityNames(code)
  return { id: code, name, names: all, community_names, ...boxOf(area), geometry: drawn(area, atZoom) }
}

function municipalityOf(code: string): ValueOf<typeof municipalityFields> {
  const province_code = code.slice(0, 2)
  return {
    ...{ id: code, name: municipalityByCode(code)?.name ?? '', names: [...new Set(municipalityNames(code))] },
    ...{ province: provinceName(province_code), province_code, is_capital: CAPITALS.has(code) },
    ...boxOf(areas(loadAtlas()).municipalities.get(code)),
  }
}

const municipalitiesOf = memo((_atlas: ReturnType<typeof loadAtlas>) => allMunicipalities().map(({ code }) => municipalityOf(code)))

/** A row of a current state with the codes of its place. */
type Placed = Pick<State<(typeof DATASETS)[number]>['rows'][number], 'status' | 'province_code' | 'municipality_code'>

/** Rows by province and by municipality, counted once per state. */
const tallyOf = memo((rows: readonly Placed[]): ReadonlyMap<string, number> => {
  const found = new Map<string, number>()
  for (const { status, province_code, municipality_code } of rows)
    if (status === 'ACTIVE')
      for (const code of [province_code, municipality_code]) if (code !== null) found.set(code, (found.get(code) ?? 0) + 1)
  return found
})

/** Incidents as lists have them: one of several sources. */
const incidentRows = memo((state: State<typeof incidents>) => withoutDuplicates(state.rows))

function countsOf([incidentState, ...others]: Known, code: string): Counts {
  const all: readonly (readonly Placed[])[] = [incidentRows(incidentState), ...others.map(({ rows }) => rows)]
  const [incident = 0, beacon = 0, panel = 0, gas = 0, site = 0, zone = 0] = all.map((rows) => tallyOf(rows).get(code) ?? 0)
  return { incidents: incident, beacons: beacon, panels: panel, gas_stations: gas, charging_sites: site, low_emission_zones: zone }
}

/** A service that is farther away, in metres, is none of the place: no train goes from Cádiz to Tenerife. */
const NEAR_M = 100_000

type Service = ValueOf<typeof municipalityDetail.fields>['nearest'][number]

/** The nearest of the things with a position, at most `NEAR_M` away, as a service; none without one. */
function nearestOf<T extends { readonly position: Point | null }>(
  { kind, path }: { readonly kind: string; readonly path: string },
  things: readonly T[],
  from: Point,
  named: (thing: T) => readonly [id: string, name: string | null],
): Service[] {
  let best: { thing: T; distance_m: number } | null = null
  for (const thing of things) {
    if (thing.position === null) continue
    const distance_m = Math.round(distanceM(from, thing.position))
    if (distance_m <= NEAR_M && (best === null || distance_m < best.distance_m)) best = { thing, distance_m }
  }
  if (best === null) return []
  const [id, name] = named(best.thing)
  return [{ kind, id, name, distance_m: best.distance_m, url: `${path}/${id}` }]
}

/** Stations with trips. */
const trainStationsOf = memo(({ stations }: RailNetwork) => [...stations.values()].filter(({ in_service }) => in_service))

const SERVICES = {
  gas: { kind: 'gas-station', path: '/api/gas-stations' },
  site: { kind: 'charging-site', path: '/api/electrolineras' },
  train: { kind: 'rail-station', path: '/api/trenes/estaciones' },
} as const

function servicesNear([, , , stations, sites]: Known, rail: RailNetwork | null, from: Point): Service[] {
  return [
    ...nearestOf(SERVICES.gas, stations.rows, from, ({ station_id, brand }) => [station_id, brand]),
    ...nearestOf(SERVICES.site, sites.rows, from, ({ site_id, name }) => [site_id, name]),
    ...nearestOf(SERVICES.train, rail ? trainStationsOf(rail) : [], from, ({ stop_id, name }) => [stop_id, name]),
  ]
}

const nameFilter = searchFilter(
  'the name of the place, in any official language',
  ({ names }: { readonly names: readonly string[] }) => names,
  'vizcaya',
)
const inRegion = defineMemoryFilter({
  name: 'province',
  param: provinceParam,
  matches: (region) => {
    const isInside = isOfRegion(region)
    return ({ id, province_code }: { readonly id: string; readonly province_code: string }) =>
      isInside({ province_code, municipality_code: id })
  },
})

/** Provinces with names and boundaries. */
export const provinceList = defineEndpoint({
  path: '/api/geo/provincias',
  plan: 'FREE',
  summary: 'Provinces: INE code, names in every official language, box and boundary',
  summary_es: 'Provincias: código INE, nombres en cada lengua oficial, caja y límite',
  about: ABOUT_BOUNDARY,
  sources: [ignBoundaries],
  params: { zoom },
  filters: [nameFilter],
  returns: listReturn('provinces', province, { sorts: ['id', 'name'] }),
  read: { kind: 'system', records: (_system, { zoom: at }) => provinces.map(({ code }) => provinceOf(code, at)) },
  example: { q: 'madrid', zoom: '6' },
})

/** One province with what is there now. */
export const provinceByCodeDetail = defineEndpoint({
  path: '/api/geo/provincias/{code}',
  plan: 'FREE',
  summary: 'One province with what is there now',
  summary_es: 'Una provincia con lo que hay ahora en ella',
  about: ABOUT_BOUNDARY,
  sources: [ignBoundaries],
  params: { code: required(textParam('INE code of the province, two digits.', { max: 20, example: '28' })), zoom: withDefault(zoom, '7') },
  returns: { kind: 'one', record: provinceDetail },
  read: {
    kind: 'memory',
    from: DATASETS,
    lake: [municipalityRegister],
    needs: [],
    isOfAny: true,
    reportsMissing: true,
    answer: async ({ states, optional }, { code, zoom: at }) =>
      provinceByCode(code)
        ? { ...provinceOf(code, at), ...peopleOf(await optional(inhabitants, ''), code), counts: countsOf(states, code) }
        : null,
  },
  example: { code: '28' },
})

/** Municipalities with names and boxes. */
export const municipalityList = defineEndpoint({
  path: '/api/geo/municipios',
  plan: 'FREE',
  summary: 'Municipalities: INE code, names, province and box',
  summary_es: 'Municipios: código INE, nombres, provincia y caja',
  about: ABOUT_BOUNDARY,
  sources: [ignBoundaries],
  filters: [nameFilter, inRegion],
  returns: listReturn('municipalities', municipality, { sorts: ['id', 'name'], limit: { default: 100, max: 20_000 } }),
  read: { kind: 'system', records: () => municipalitiesOf(loadAtlas()) },
  example: { q: 'getafe', province: 'Madrid' },
})

/** One municipality with what is there now and what is near. */
export const municipalityByCodeDetail = defineEndpoint({
  path: '/api/geo/municipios/{code}',
  plan: 'FREE',
  summary: 'One municipality with its boundary, what is there now and the nearest services',
  summary_es: 'Un municipio con lo que hay ahora y los servicios más cercanos',
  about: `${ABOUT_BOUNDARY} Services are measured from the middle of the box.`,
  sources: [ignBoundaries],
  params: {
    code: required(textParam('INE code of the municipality, five digits.', { max: 20, example: '28079' })),
    zoom: withDefault(zoom, '10'),
  },
  returns: { kind: 'one', record: municipalityDetail },
  read: {
    kind: 'memory',
    from: DATASETS,
    lake: [...NETWORK_TABLES, municipalityRegister],
    needs: [],
    isOfAny: true,
    reportsMissing: true,
    answer: async ({ states, optional }, { code, zoom: at }) => {
      if (!municipalityByCode(code)) return null
      const made = municipalityOf(code)
      const geometry = drawn(areas(loadAtlas()).municipalities.get(code), at)
      const nearest = made.position ? servicesNear(states, await optional(railNetwork, ''), made.position) : []
      return { ...made, ...peopleOf(await optional(inhabitants, ''), code), geometry, counts: countsOf(states, code), nearest }
    },
  },
  example: { code: '28079' },
})
