import { endpoints } from '../../../../api/endpoints/catalog.ts'
import type { NetworkLine, NetworkRoute, NetworkStation, RailNetwork } from '../../../../api/endpoints/rail/network.ts'
import { Posts } from '../../../../api/endpoints/road/posts.ts'
import { collections } from '../../../../api/endpoints/search/catalog.ts'
import type { Collection, SearchDocument } from '../../../../api/endpoints/search/collection.ts'
import { SearchIndex } from '../../../../api/features/search/search-index.ts'
import type { StatesOf } from '../../../../api/kernel/endpoint.ts'
import { placeAt } from '../../../../lake/places/municipalities.ts'
import type { Post } from '../../../../lake/places/place-on-road.ts'
import { LISTED_PORTS } from '../../../../lake/places/ports.ts'
import { provinceByCode } from '../../../../lake/places/provinces.ts'
import type { AnyRow, Dataset } from '../../../../lake/schema/dataset.ts'
import { AIRPORTS } from '../../../../scripts/stand-in/world/aviation/airports.ts'
import { dgtCameras, dgtSpeedCameras, madridCameras } from '../../../../scripts/stand-in/world/cameras.ts'
import { chargingSitesAt } from '../../../../scripts/stand-in/world/charging-sites.ts'
import { FERRY_OPERATORS } from '../../../../scripts/stand-in/world/ferry-lines.ts'
import { countStations } from '../../../../scripts/stand-in/world/madrid-counts.ts'
import { marinePosts } from '../../../../scripts/stand-in/world/marine-posts.ts'
import { panels } from '../../../../scripts/stand-in/world/panels.ts'
import { railNetwork } from '../../../../scripts/stand-in/world/rail-network.ts'
import { roadNetwork } from '../../../../scripts/stand-in/world/road-network.ts'
import { fillingStations } from '../../../../scripts/stand-in/world/stations.ts'
import { weatherStations } from '../../../../scripts/stand-in/world/weather-stations.ts'
import { makeWorld, type World } from '../../../../scripts/stand-in/world/world.ts'

const SEED = 1
const KM_STEP = 3
/** Inhabitants of towns without filling stations in this world, as in the register. */
const PEOPLE = [['11031', 94_000]] as const

/** An index without documents. */
export function emptyIndex(): SearchIndex {
  const plans = new Map(endpoints.map(({ path, plan }) => [path, plan]))
  return new SearchIndex({
    collections,
    planOf: (path) => plans.get(path) ?? null,
    onEnd: (error) => {
      throw error
    },
  })
}

/** The index over lasting things in the simulated world; temporary ones (incidents, warnings, alerts) are not in it. */
export async function worldIndex(): Promise<SearchIndex> {
  const index = emptyIndex()
  const world = makeWorld(SEED)
  index.setPosts(new Posts(postsOf(world)), '')
  for (const [id, documents] of worldDocuments(world)) await index.replace(id, documents)
  return index
}

/** Documents of each collection with data in the simulated world. */
export function worldDocuments(world: World): Map<string, readonly SearchDocument[]> {
  const rows = new Map([
    ['fuel_stations', stationRows(world)],
    ['airports', airportRows()],
    ['weather_stations', weatherRows(world)],
    ['traffic_count_stations', countRows(world)],
    ['vms_devices', panelRows(world)],
    ['cameras', cameraRows(world)],
    ['speed_cameras', speedCameraRows(world)],
    ['charging_sites', chargingRows(world)],
    ['marine_stations', marineRows(world)],
    ['ports', portRows()],
  ])
  const slices: Readonly<Record<string, unknown>> = {
    network: networkOf(world),
    stations: new Map(),
    register: { year: 2025, people: new Map(PEOPLE) },
    posts: new Posts(middlesOf(world)),
    traffic: new Map(),
    holders: new Map(),
    hotspots: [],
    models: [],
    ferries: { connections: ferryConnections(), terminals: new Map() },
    listed: portRows(),
  }
  return new Map(
    collections.map((one: Collection) => {
      const states = one.from.map(({ id }: Dataset) => ({ rows: rows.get(id) ?? [], parts: [] })) as unknown as StatesOf<typeof one.from>
      return [one.id, [...one.documents(states, slices)]]
    }),
  )
}

function stationRows(world: World): AnyRow[] {
  return world.part(fillingStations).map((one) => ({
    station_id: String(one.id),
    brand: one.brand.name,
    address: one.address,
    locality: one.locality,
    postal_code: one.postalCode,
    municipality: one.municipalityName,
    municipality_code: one.municipality.code,
    province_code: one.municipality.province,
    position: { lat: one.lat, lon: one.lon },
    road: null,
    km: null,
  }))
}

function airportRows(): AnyRow[] {
  return AIRPORTS.map(({ iata, icao, name, municipality, lat, lon, movements_k, keywords }) => ({
    ...{ source: 'ourairports', iata, icao, name, municipality, position: { lat, lon }, ...placeAt({ lat, lon }) },
    type: movements_k >= 40 ? 'LARGE_AIRPORT' : movements_k >= 4 ? 'MEDIUM_AIRPORT' : 'SMALL_AIRPORT',
    keywords,
  }))
}

function weatherRows(world: World): AnyRow[] {
  return world.part(weatherStations).map((one) => ({
    source: 'aemet',
    listing: 'INVENTORY',
    station_id: one.id,
    name: one.name,
    province_code: one.municipality.province,
    municipality_code: one.municipality.code,
    altitude_m: one.altitude_m,
    synop_code: one.synop,
    position: { lat: one.lat, lon: one.lon },
    status: 'ACTIVE',
  }))
}

function countRows(world: World): AnyRow[] {
  return world.part(countStations).map((one) => ({
    source: 'madrid',
    station_id: `ES${String(one.number).padStart(2, '0')}`,
    direction: '1',
    name: one.street,
    heading: 'N-S',
    is_counted: true,
    position: { lat: one.lat, lon: one.lon },
    municipality_code: '28079',
    status: 'ACTIVE',
  }))
}

function panelRows(world: World): AnyRow[] {
  return world.part(panels).map(({ id, road, point, destination }) => ({
    ...{ source: 'dgt', panel_id: String(id), road, km: point.km, destination, position: { lat: point.lat, lon: point.lon } },
    ...{ municipality: point.municipality.name, municipality_code: point.municipality.code, province_code: point.municipality.province },
  }))
}

function cameraRows(world: World): AnyRow[] {
  const onRoads = world.part(dgtCameras).map(({ id, road, point, destination }) => ({
    ...{ source: 'dgt', camera_id: String(id), name: null, road, km: point.km, destination, position: { lat: point.lat, lon: point.lon } },
    ...{ municipality: point.municipality.name, municipality_code: point.municipality.code, province_code: point.municipality.province },
  }))
  const inMadrid = world.part(madridCameras).map(({ number, name, lat, lon }) => ({
    ...{ source: 'madrid', camera_id: number, name, road: null, km: null, destination: null, position: { lat, lon } },
    ...{ municipality: 'Madrid', municipality_code: '28079', province_code: '28' },
  }))
  return [...onRoads, ...inMadrid]
}

function speedCameraRows(world: World): AnyRow[] {
  return world.part(dgtSpeedCameras).map(({ id, road, from, to }) => ({
    ...{ source: 'dgt', speed_camera_id: String(id), type: to ? 'SECTION' : 'FIXED', name: null, road, km: from.km, position: from },
    ...{ municipality: from.municipality.name, municipality_code: from.municipality.code, province_code: from.municipality.province },
  }))
}

function chargingRows(world: World): AnyRow[] {
  return chargingSitesAt(world, Date.UTC(2026, 9, 1)).map(({ id, operator, station, lat, lon }) => ({
    ...{ source: 'dgt', site_id: id, name: null, operator, address: station.address, municipality: station.municipality.name },
    ...{ postal_code: station.postalCode, road: null },
    ...{ position: { lat, lon }, ...placeAt({ lat, lon }) },
  }))
}

/** Signs for a missing value: the feed leaves them out. */
const NO_SIGN = /^(|NINGUNO|NO HAY|SIN ROTULO)$/

function marineRows(world: World): AnyRow[] {
  return world.part(marinePosts).map(({ id, port, sign, address, municipality, position }) => ({
    ...{ station_id: String(id), port, brand: NO_SIGN.test(sign) ? null : sign, address, locality: null, position },
    ...{ municipality: municipality.name, municipality_code: municipality.code, province_code: municipality.province },
  }))
}

function portRows(): AnyRow[] {
  return LISTED_PORTS.map(({ id, name, authority, position, isIndexed, aliases }) => ({
    ...{ source: isIndexed ? 'world_port_index' : 'port_list', port_id: id, name, published_name: null, position, ...placeAt(position) },
    ...{ alternate_name: aliases.join('; ') || null, locode: isIndexed ? id : null, port_authority: authority, harbor_size: null },
  }))
}

/** The search texts of ferry routes: each line of an operator, there and back. */
function ferryConnections(): AnyRow[] {
  return Object.entries(FERRY_OPERATORS).flatMap(([network, { agency, lines }]) =>
    lines.flatMap(({ id, calls }) => {
      const stops = calls.map(({ id: stop_id, name, lat, lon }) => ({ network, stop_id, name, position: { lat, lon } }))
      return [stops, stops.toReversed()].map((own, way) => ({
        ...{ id: `${network}-${id}-${way}`, network, agency_name: agency, name: null, calls: own, terminals: own },
      }))
    }),
  )
}

function networkOf(world: World): RailNetwork {
  const { nucleos, commuterStations, longDistanceStations, trains } = world.part(railNetwork)
  const lines = new Map<string, Map<string, NetworkLine>>()
  const add = (code: string, line: NetworkLine): void => {
    const own = lines.get(code) ?? new Map<string, NetworkLine>()
    lines.set(code, own.set(`${line.nucleo_code} ${line.short_name}`, line))
  }
  for (const { code, lines: own } of nucleos)
    for (const { name, stations } of own)
      for (const station of stations) add(station.code, { network: 'CERCANIAS', nucleo_code: code, short_name: name, route_type: '2' })
  for (const { pattern } of trains)
    for (const { station } of pattern.stops)
      add(station.code, { network: 'AVLDMD', nucleo_code: null, short_name: pattern.route.name, route_type: '2' })
  const stations = new Map<string, NetworkStation>()
  for (const { code, name, lat, lon } of [...commuterStations, ...longDistanceStations])
    stations.set(code, {
      stop_id: code,
      name,
      position: { lat, lon },
      networks: ['CERCANIAS'],
      has_wheelchair_boarding: null,
      timezone: null,
      in_service: lines.has(code),
      lines: [...(lines.get(code)?.values() ?? [])],
      timetable_until: null,
    })
  const routes: [string, NetworkRoute][] = nucleos.flatMap(({ code, lines: own }) =>
    own.map(({ name, routeIds, stations: stops, trips }): [string, NetworkRoute] => [
      routeIds[0] as string,
      {
        ...{ route_id: routeIds[0] as string, network: 'CERCANIAS', nucleo_code: code, short_name: name, route_type: '2' },
        ...{ color: null, text_color: null, trips, patterns: 1, directions: [0], stop_ids: stops.map((stop) => stop.code) },
        ...{ named: { origin: null, destination: null }, geometry_source: null, geometry: null, timetable_until: null },
      },
    ]),
  )
  // Long distance: the trains of a route, each once.
  const byRoute = Map.groupBy(trains, ({ pattern }) => pattern.route.id)
  for (const [route_id, own] of byRoute) {
    const { pattern } = own[0] as (typeof own)[number]
    routes.push([
      route_id,
      {
        ...{
          route_id,
          network: 'AVLDMD',
          nucleo_code: null,
          short_name: pattern.route.name,
          route_type: '2',
          color: null,
          text_color: null,
        },
        ...{ trips: own.length, patterns: 1, directions: [0], stop_ids: pattern.stops.map(({ station }) => station.code) },
        ...{ named: { origin: null, destination: null }, geometry_source: null, geometry: null, timetable_until: null },
      },
    ])
  }
  return { stations, routes: new Map(routes) }
}

function postsOf(world: World): Post[] {
  const { stretches, pointAt } = world.part(roadNetwork)
  return [...stretches].flatMap(([province_code, own]) =>
    own.flatMap(({ road, from_km, to_km }) => {
      if (!road.isMain) return []
      const posts: Post[] = []
      for (let km = from_km; km <= to_km; km += KM_STEP) {
        const point = pointAt(road, km)
        if (point)
          posts.push({
            ...{ road: road.name, province_code, km, position: { lat: point.lat, lon: point.lon } },
            ...{ source: 'dgt', records: 1, error_m: 100 },
          })
      }
      return posts
    }),
  )
}

function middlesOf(world: World): Post[] {
  const { stretches, pointAt } = world.part(roadNetwork)
  return [...stretches].flatMap(([province_code, own]) =>
    own.flatMap(({ road, from_km, to_km }) => {
      const km = (from_km + to_km) / 2
      const point = pointAt(road, km) ?? pointAt(road, from_km)
      if (!point || !provinceByCode(province_code)) return []
      return [{ road: road.name, province_code, km, position: { lat: point.lat, lon: point.lon }, source: 'dgt', records: 1, error_m: 100 }]
    }),
  )
}
