import type { Dataset } from '../../../lake/schema/dataset.ts'
import { isoInstant } from '../../../lake/schema/time.ts'
import { feedsBehind } from '../../endpoints/service/dataset.ts'
import { requestReader } from '../../engine/request/request.ts'
import { datasetsOf, type Endpoint, pathParams, type SystemView } from '../../kernel/endpoint.ts'
import { essenceOf, type Format, formatsOf } from '../../kernel/formats.ts'
import { Problem } from '../../kernel/problems.ts'
import { DATASETS_ES } from './datasets-es.ts'
import type { Iri, Literal, Resource } from './rdf.ts'

/** Inputs of the catalogue. */
export interface DcatParts {
  readonly baseUrl: string
  /** IRI of the publisher in the register of Spanish public bodies (DIR3); null if the operator has none. */
  readonly publisher: string | null
  /** Address for questions: mailto:, tel: or https:; null for the page about plans, which names it. */
  readonly contact: string | null
  readonly begun_at: number
}

/** IRIs of the parts that datasets refer to. */
interface Names {
  readonly baseUrl: string
  readonly agent: string
  readonly service: string
  readonly contact: string
}

const EU = 'http://publications.europa.eu/resource/authority'
const SECTOR = 'http://datos.gob.es/kos/sector-publico/sector'
const IANA = 'https://www.iana.org/assignments/media-types'
/** Spanish name, sector of the Spanish taxonomy and theme of the European one, by domain. */
const DOMAINS: Readonly<Record<string, readonly [name: string, sector: string, theme: string]>> = {
  air: ['calidad del aire', 'medio-ambiente', 'ENVI'],
  aviation: ['aviación', 'transporte', 'TRAN'],
  fuel: ['carburantes', 'energia', 'ENER'],
  maritime: ['transporte marítimo', 'transporte', 'TRAN'],
  mobility: ['movilidad', 'transporte', 'TRAN'],
  rail: ['ferrocarril', 'transporte', 'TRAN'],
  road: ['carreteras', 'transporte', 'TRAN'],
  safety: ['seguridad vial', 'transporte', 'TRAN'],
  service: ['modelos', 'transporte', 'TRAN'],
  transit: ['transporte público', 'transporte', 'TRAN'],
  weather: ['meteorología', 'medio-ambiente', 'ENVI'],
}
/** Frequencies of the European list, by the cadence of a feed, in s. */
const FREQUENCIES: readonly (readonly [most_s: number, code: string])[] = [
  [60, '1MIN'],
  [300, '5MIN'],
  [600, '10MIN'],
  [900, '15MIN'],
  [1800, '30MIN'],
  [3600, 'HOURLY'],
  [7200, 'BIHOURLY'],
  [10_800, 'TRIHOURLY'],
  [43_200, '12HRS'],
  [86_400, 'DAILY'],
  [7 * 86_400, 'WEEKLY'],
  [31 * 86_400, 'MONTHLY'],
]
/** File types of the European list. */
const FILE_TYPES: Readonly<Partial<Record<Format, string>>> = { json: 'JSON', geojson: 'GEOJSON', parquet: 'PARQUET' }
/** Lists whose records are not the rows of the dataset that they read first, by dataset: the right one, or null for none. */
const LISTS: Readonly<Record<string, string | null>> = {
  ...{ ferry_stops: null, road_points: null, rail_trip_updates: null, mobility_zone_members: null },
  ...{ ferry_routes: '/api/maritimo/ferries', mobility_zones: '/api/movilidad/zonas' },
}

const iri = (text: string): Iri => ({ iri: text })
const en = (text: string): Literal => ({ text, lang: 'en' })
const es = (text: string): Literal => ({ text, lang: 'es' })
const at = (ms: number): Literal => ({ text: isoInstant(ms), type: 'xsd:dateTime' })
const languages = [iri(`${EU}/language/SPA`), iri(`${EU}/language/ENG`)]

/**
 * The catalogue of datasets as DCAT-AP-ES 1.0.0: catalogue, datasets, distributions, and the API as a data service. All
 * attributions are in one statement of rights with an IRI: the profile allows one, and no blank node.
 */
export function dcatCatalog(system: SystemView, datasets: readonly Dataset[], parts: DcatParts): Resource[] {
  const { baseUrl, publisher, begun_at } = parts
  const changes = [...system.tables.values()].map(({ updated_at }) => updated_at)
  const agent = publisher ?? `${baseUrl}/#publisher`
  const names: Names = { baseUrl, agent, service: `${baseUrl}/#api`, contact: `${baseUrl}/#contact` }
  const catalog: Resource = {
    id: `${baseUrl}/api/datasets`,
    type: 'dcat:Catalog',
    properties: {
      'dct:title': [es('Catálogo de datos de Traffic Intelligence'), en('Data catalogue of Traffic Intelligence')],
      'dct:description': [es('Datos de transporte de España: vigentes e históricos.'), en('Transport data of Spain, live and historical.')],
      'dct:publisher': [iri(agent)],
      'foaf:homepage': [iri(`${baseUrl}/`)],
      'dcat:themeTaxonomy': [iri(SECTOR), iri(`${EU}/data-theme`)],
      'dct:issued': [at(begun_at)],
      'dct:modified': [at(Math.max(begun_at, ...changes))],
      'dct:language': languages,
      'dct:license': [iri(`${EU}/licence/CC0`)],
      'dct:spatial': [iri(`${EU}/country/ESP`)],
      'dcat:dataset': datasets.map((dataset) => iri(idOf(dataset, names))),
      'dcat:service': [iri(names.service)],
    },
  }
  const own: Resource[] =
    publisher === null
      ? [
          {
            id: agent,
            type: 'foaf:Agent',
            properties: { 'foaf:name': [es('Traffic Intelligence')], 'foaf:homepage': [iri(`${baseUrl}/`)] },
          },
        ]
      : []
  const api: Resource = {
    id: names.service,
    type: 'dcat:DataService',
    properties: {
      'dct:title': [es('API de Traffic Intelligence'), en('Traffic Intelligence API')],
      'dct:description': [
        es('Interfaz REST con los datos de transporte de España, vigentes e históricos.'),
        en('REST interface to the transport data of Spain, live and historical.'),
      ],
      'dct:publisher': [iri(agent)],
      'dcat:contactPoint': [iri(names.contact)],
      'dcat:theme': themes('road'),
      'dcat:keyword': [es('transporte'), en('transport')],
      'dcat:endpointURL': [iri(`${baseUrl}/api`)],
      'dcat:endpointDescription': [iri(`${baseUrl}/openapi.json`)],
      'dcat:servesDataset': datasets.map((dataset) => iri(idOf(dataset, names))),
      'dct:accessRights': [iri(`${EU}/access-right/PUBLIC`)],
      'foaf:page': [iri(`${baseUrl}/docs`)],
    },
  }
  return [catalog, ...own, contactOf(parts, names), api, ...datasets.flatMap((dataset) => datasetResources(system, dataset, names))]
}

function idOf({ id }: Dataset, { baseUrl }: Names): string {
  return `${baseUrl}/api/datasets/${id}`
}

/** The contact of all datasets. Its page is the one about plans, unless the address is a page itself. */
function contactOf({ baseUrl, contact }: DcatParts, { agent, contact: id }: Names): Resource {
  const pageOf = contact?.startsWith('https:') ? contact : `${baseUrl}/plans`
  return {
    id,
    type: 'vcard:Organization',
    properties: {
      'vcard:fn': [es('Traffic Intelligence')],
      'vcard:organization-name': [es('Traffic Intelligence')],
      'vcard:hasUID': [iri(agent)],
      'vcard:hasURL': [iri(pageOf)],
      'vcard:hasEmail': contact?.startsWith('mailto:') ? [iri(contact)] : [],
      'vcard:hasTelephone': contact?.startsWith('tel:') ? [iri(contact)] : [],
    },
  }
}

function datasetResources(system: SystemView, dataset: Dataset, names: Names): Resource[] {
  const { baseUrl, agent, contact } = names
  const { domain, sources } = dataset
  const id = idOf(dataset, names)
  const table = system.tables.get(dataset.id)
  const [title, about] = textsOf(dataset)
  const distributions = distributionsOf(system, dataset, names)
  const [from, to] = [table?.covered_from ?? null, table?.latest_row_at ?? null]
  const period: Resource[] =
    from === null || to === null
      ? []
      : [{ type: 'dct:PeriodOfTime', properties: { 'dcat:startDate': [at(from)], 'dcat:endDate': [at(to)] } }]
  const cadences = feedsBehind(dataset, system.feeds, table).map(({ every_s }) => every_s)
  return [
    {
      id,
      type: 'dcat:Dataset',
      properties: {
        'dct:title': title,
        'dct:description': about,
        'dct:identifier': [{ text: id }],
        'dct:publisher': [iri(agent)],
        'dcat:contactPoint': [iri(contact)],
        'dcat:theme': themes(domain),
        'dcat:keyword': [es(DOMAINS[domain]?.[0] ?? domain), en(domain)],
        'dct:accessRights': [iri(`${EU}/access-right/PUBLIC`)],
        'dct:accrualPeriodicity': [iri(`${EU}/frequency/${frequencyOf(dataset, cadences)}`)],
        'dct:language': languages,
        'dct:spatial': [iri(`${EU}/country/ESP`)],
        'dct:temporal': period,
        'dct:modified': table ? [at(table.updated_at)] : [],
        'dct:source': sources.map(({ url }) => iri(url)),
        'dcat:landingPage': [iri(id)],
        'foaf:page': [iri(`${baseUrl}/docs`)],
        'dcat:distribution': distributions.map((one) => iri(one.id ?? '')),
      },
    },
    ...distributions,
    {
      id: `${id}#rights`,
      type: 'dct:RightsStatement',
      properties: { 'rdfs:label': sources.map(({ attribution }) => es(attribution)) },
    },
  ]
}

/** The distributions of a dataset: replies of its list as JSON and GeoJSON, and the files of its table. */
function distributionsOf(system: SystemView, dataset: Dataset, names: Names): Resource[] {
  const { baseUrl, service } = names
  const id = idOf(dataset, names)
  const table = system.tables.get(dataset.id)
  const own = LISTS[dataset.id]
  const list = system.endpoints.find((endpoint) =>
    own === undefined ? datasetsOf(endpoint)[0] === dataset && pathParams(endpoint.path).length === 0 : endpoint.path === own,
  )
  const [titles] = textsOf(dataset)
  const of = (format: Format, kind: string, abouts: readonly Literal[], properties: Resource['properties']): Resource => ({
    id: `${id}#${format}`,
    type: 'dcat:Distribution',
    properties: {
      'dct:title': titles.map((one) => ({ ...one, text: `${one.text} (${kind})` })),
      'dct:description': abouts,
      ...properties,
      'dct:format': [iri(`${EU}/file-type/${FILE_TYPES[format]}`)],
      'dcat:mediaType': [iri(`${IANA}/${essenceOf(format)}`)],
      'dcat:accessService': [iri(service)],
      'dcatap:availability': [iri(`${EU}/planned-availability/AVAILABLE`)],
      'dct:license': [iri(licenceOf(dataset, baseUrl))],
      'dct:rights': [iri(`${id}#rights`)],
      'dct:language': languages,
    },
  })
  const replies = [es('Respuestas de la API.'), en('Replies of the API.')]
  const shown = (endpoint: Endpoint, format: 'json' | 'geojson', kind: string): Resource => {
    const url = `${baseUrl}${endpoint.path}?format=${format}`
    return of(format, kind, replies, {
      'dcat:accessURL': [iri(url)],
      'dcat:downloadURL': isOpen(endpoint) && isWhole(endpoint) ? [iri(url)] : [],
    })
  }
  const files = [
    es('Ficheros de la tabla completa, con clave del plan ENTERPRISE.'),
    en('Files of the whole table, with a key of the plan ENTERPRISE.'),
  ]
  return [
    ...(list ? [shown(list, 'json', 'JSON')] : []),
    ...(list && formatsOf(list.returns).includes('geojson') ? [shown(list, 'geojson', 'GeoJSON')] : []),
    of('parquet', 'Parquet', files, {
      'dcat:accessURL': [iri(`${baseUrl}/api/export/${dataset.id}`)],
      'dcat:byteSize': table ? [{ text: String(table.bytes), type: 'xsd:nonNegativeInteger' }] : [],
    }),
  ]
}

/** True for a list that is sent whole unless a limit is given. */
function isWhole({ returns }: Endpoint): boolean {
  return returns.kind !== 'list' || returns.limit.default === null
}

/** True for a path that opens without a key or a parameter, as a download must. */
function isOpen(endpoint: Endpoint): boolean {
  if (endpoint.plan !== 'FREE') return false
  try {
    requestReader(endpoint)(endpoint.path, {})
    return true
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}

/** The title and the description of a dataset, in Spanish and English. */
function textsOf({ id, title, about }: Dataset): readonly [readonly Literal[], readonly Literal[]] {
  const spanish = DATASETS_ES[id]
  return spanish
    ? [
        [es(spanish[0]), en(title)],
        [es(spanish[1]), en(about)],
      ]
    : [[en(title)], [en(about)]]
}

function frequencyOf({ id }: Dataset, cadences: readonly number[]): string {
  const own = DATASET_FREQUENCIES[id]
  if (own !== undefined) return own
  if (cadences.length === 0) return 'UNKNOWN'
  const least = Math.min(...cadences)
  return FREQUENCIES.find(([most_s]) => least <= most_s)?.[1] ?? 'IRREG'
}

function themes(domain: string): Iri[] {
  const [, sector, theme] = DOMAINS[domain] ?? ['', 'transporte', 'TRAN']
  return [iri(`${SECTOR}/${sector}`), iri(`${EU}/data-theme/${theme}`)]
}

/** The licence of a dataset; with several licences the card, which lists them. */
function licenceOf({ id, sources }: Dataset, baseUrl: string): string {
  const urls = new Set(sources.map(({ licence_url }) => licence_url))
  return urls.size === 1 ? ([...urls][0] as string) : `${baseUrl}/api/datasets/${id}`
}

/**
 * How often a dataset changes, by the list of frequencies of the EU vocabularies, where the cadence of its feeds does not say it:
 * tables that are derived, and publishers that are looked at more often than they publish.
 */
export const DATASET_FREQUENCIES: Readonly<Record<string, string>> = Object.freeze({
  ...every('HOURLY', 'v16_hours traffic_section_hours traffic_hours traffic_city_hours corridor_hours'),
  ...every('15MIN', 'traffic_forecasts'),
  ...every('12HRS', 'weather_forecast_hourly weather_forecast_daily'),
  ...every('DAILY', 'traffic_days traffic_typical_weeks fuel_days fuel_forecasts mobility_flow_days rail_timetable_changes risk_estimates'),
  ...every('DAILY', 'rail_stations rail_routes rail_shapes rail_trips rail_stop_times rail_calendar vms_devices cameras charging_sites'),
  ...every('DAILY', 'weather_days weather_road_days airport_days airport_observed_days model_scores'),
  ...every('WEEKLY', 'fuel_bulletin'),
  ...every('MONTHLY', 'traffic_readings_15m traffic_sensor_editions traffic_section_states_archive traffic_counts_hourly'),
  ...every('MONTHLY', 'mobility_trips mobility_district_trips mobility_gau_trips mobility_overnight_stays imd_detector_months'),
  ...every('MONTHLY', 'corridor_sensor_months road_accidents airport_traffic arrival_atfm_delays enroute_atfm_delays'),
  ...every(
    'ANNUAL',
    'municipality_register imd_sections imd_roads animal_accidents accident_codebook accident_sections accident_positions',
  ),
  ...every('ANNUAL', 'animal_accident_positions accident_hotspots risk_profiles'),
  ...every('IRREG', 'speed_cameras low_emission_zones traffic_count_stations road_points road_sections road_posts road_axes rail_stock'),
  ...every('IRREG', 'mobility_zones mobility_zone_members mobility_zone_points mobility_zone_areas traffic_models model_cards'),
  ...every('IRREG', 'weather_station_roads traffic_sections traffic_sensors air_quality_stations weather_stations marine_stations'),
  ...every('NEVER', 'mobility_v1_trips'),
})

function every(code: string, datasets: string): Readonly<Record<string, string>> {
  return Object.fromEntries(datasets.split(' ').map((id) => [id, code]))
}
