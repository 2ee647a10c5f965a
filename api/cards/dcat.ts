import type { Dataset } from '../../lake/schema/dataset.ts'
import { isoInstant } from '../../lake/schema/time.ts'
import { datasetsOf, pathParams, type SystemView } from '../define/endpoint.ts'
import type { Iri, Literal, Resource } from './rdf.ts'

/** Inputs of the catalogue. */
export interface DcatParts {
  readonly baseUrl: string
  /** IRI of the publisher in the register of Spanish public bodies (DIR3); null if the operator has none. */
  readonly publisher: string | null
  readonly begun_at: number
}

const EU = 'http://publications.europa.eu/resource/authority'
const SECTOR = 'http://datos.gob.es/kos/sector-publico/sector'
const IANA = 'https://www.iana.org/assignments/media-types'
/** Sector of the Spanish taxonomy and theme of the European one, by domain; transport by default. */
const THEMES: Readonly<Record<string, readonly [sector: string, theme: string]>> = {
  weather: ['medio-ambiente', 'ENVI'],
  fuel: ['energia', 'ENER'],
}
const TRANSPORT = ['transporte', 'TRAN'] as const

const iri = (text: string): Iri => ({ iri: text })
const en = (text: string): Literal => ({ text, lang: 'en' })
const es = (text: string): Literal => ({ text, lang: 'es' })
const at = (ms: number): Literal => ({ text: isoInstant(ms), type: 'xsd:dateTime' })
const languages = [iri(`${EU}/language/SPA`), iri(`${EU}/language/ENG`)]

/** The catalogue of datasets as DCAT-AP-ES 1.0.0: catalogue, datasets, distributions, and the API as a data service. */
export function dcatCatalog(system: SystemView, datasets: readonly Dataset[], parts: DcatParts): Resource[] {
  const { baseUrl, publisher, begun_at } = parts
  const changes = [...system.tables.values()].map(({ updated_at }) => updated_at)
  const agent = publisher ?? `${baseUrl}/#publisher`
  const service = `${baseUrl}/#api`
  const of = (dataset: Dataset): string => `${baseUrl}/api/datasets/${dataset.id}`
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
      'dcat:dataset': datasets.map((dataset) => iri(of(dataset))),
      'dcat:service': [iri(service)],
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
    id: service,
    type: 'dcat:DataService',
    properties: {
      'dct:title': [es('API de Traffic Intelligence'), en('Traffic Intelligence API')],
      'dct:publisher': [iri(agent)],
      'dcat:theme': themes(TRANSPORT),
      'dcat:endpointURL': [iri(`${baseUrl}/api`)],
      'dcat:endpointDescription': [iri(`${baseUrl}/openapi.json`)],
      'dcat:servesDataset': datasets.map((dataset) => iri(of(dataset))),
      'dct:accessRights': [iri(`${EU}/access-right/PUBLIC`)],
      'foaf:page': [iri(`${baseUrl}/docs`)],
    },
  }
  const described = datasets.flatMap((dataset) => datasetResources(system, dataset, { id: of(dataset), agent, service, baseUrl }))
  return [catalog, ...own, api, ...described]
}

function datasetResources(
  system: SystemView,
  dataset: Dataset,
  names: { readonly id: string; readonly agent: string; readonly service: string; readonly baseUrl: string },
): Resource[] {
  const { id, agent, service, baseUrl } = names
  const table = system.tables.get(dataset.id)
  const path = system.endpoints.find((endpoint) => datasetsOf(endpoint)[0] === dataset && pathParams(endpoint.path).length === 0)?.path
  const common = {
    'dct:license': [iri(licenceOf(dataset, baseUrl))],
    'dct:rights': dataset.sources.map(
      ({ attribution }): Resource => ({ type: 'dct:RightsStatement', properties: { 'rdfs:label': [es(attribution)] } }),
    ),
  }
  const bulk: Resource = {
    id: `${id}#parquet`,
    type: 'dcat:Distribution',
    properties: {
      'dct:title': [es(`${dataset.title} (Parquet)`)],
      'dct:description': [
        es('Ficheros de la tabla completa, con clave del plan ENTERPRISE.'),
        en('Files of the whole table, with a key of the plan ENTERPRISE.'),
      ],
      'dcat:accessURL': [iri(`${baseUrl}/api/export/${dataset.id}`)],
      'dcat:mediaType': [iri(`${IANA}/application/vnd.apache.parquet`)],
      'dcat:accessService': [iri(service)],
      ...(table ? { 'dcat:byteSize': [{ text: String(table.bytes), type: 'xsd:decimal' } satisfies Literal] } : {}),
      ...common,
    },
  }
  const json: Resource = {
    id: `${id}#json`,
    type: 'dcat:Distribution',
    properties: {
      'dct:title': [es(`${dataset.title} (JSON)`)],
      'dct:description': [es('Respuestas de la API.'), en('Replies of the API.')],
      'dcat:accessURL': [iri(`${baseUrl}${path}`)],
      'dct:format': [iri(`${EU}/file-type/JSON`)],
      'dcat:mediaType': [iri(`${IANA}/application/json`)],
      'dcat:accessService': [iri(service)],
      ...common,
    },
  }
  const distributions = path === undefined ? [bulk] : [json, bulk]
  const [from, to] = [table?.covered_from ?? null, table?.latest_row_at ?? null]
  const period: Resource[] =
    from === null || to === null
      ? []
      : [{ type: 'dct:PeriodOfTime', properties: { 'dcat:startDate': [at(from)], 'dcat:endDate': [at(to)] } }]
  return [
    {
      id,
      type: 'dcat:Dataset',
      properties: {
        'dct:title': [en(dataset.title)],
        'dct:description': [en(dataset.about)],
        'dct:identifier': [{ text: id }],
        'dct:publisher': [iri(agent)],
        'dcat:theme': themes(THEMES[dataset.domain] ?? TRANSPORT),
        'dcat:keyword': [en(dataset.domain)],
        'dct:accessRights': [iri(`${EU}/access-right/PUBLIC`)],
        'dct:language': languages,
        'dct:spatial': [iri(`${EU}/country/ESP`)],
        'dct:temporal': period,
        'dct:modified': table ? [at(table.updated_at)] : [],
        'dct:source': dataset.sources.map(({ url }) => iri(url)),
        'foaf:page': [iri(`${baseUrl}/docs`)],
        'dcat:distribution': distributions.map((one) => iri(one.id ?? '')),
      },
    },
    ...distributions,
  ]
}

function themes([sector, theme]: readonly [string, string]): Iri[] {
  return [iri(`${SECTOR}/${sector}`), iri(`${EU}/data-theme/${theme}`)]
}

/** The licence of a dataset; with several licences the card, which lists them. */
function licenceOf({ id, sources }: Dataset, baseUrl: string): string {
  const urls = new Set(sources.map(({ licence_url }) => licence_url))
  return urls.size === 1 ? ([...urls][0] as string) : `${baseUrl}/api/datasets/${id}`
}
