import { Parser, Store } from 'n3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endpoints } from '../../../../api/endpoints/catalog.ts'
import { DATASET_FREQUENCIES } from '../../../../api/features/cards/dcat.ts'
import type { Endpoint } from '../../../../api/kernel/endpoint.ts'
import { feeds } from '../../../../jobs/feeds/catalog.ts'
import { datasets } from '../../../../lake/catalog.ts'
import { incidents } from '../../../../lake/datasets/road/incidents.ts'
import type { Dataset } from '../../../../lake/schema/dataset.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'

const NS = {
  dcat: 'http://www.w3.org/ns/dcat#',
  dct: 'http://purl.org/dc/terms/',
  foaf: 'http://xmlns.com/foaf/0.1/',
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  vcard: 'http://www.w3.org/2006/vcard/ns#',
}
const PUBLISHER = 'http://datos.gob.es/recurso/sector-publico/org/Organismo/E0DAT0001'
let service: TestService
let store: Store
beforeAll(async () => {
  service = await startService({ catalogPublisher: PUBLISHER, supportContact: 'mailto:support@example.org' })
  await service.land(incidents, [exampleTableRow(incidents)], Date.UTC(2026, 0, 2))
  const response = await service.open('/api/datasets', { Accept: 'text/turtle' })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/turtle; charset=utf-8'])
  store = new Store(new Parser({ baseIRI: 'http://base.invalid/' }).parse(await response.text()))
})
afterAll(() => service?.close())

const expand = (name: string): string => {
  const [prefix = '', local] = name.split(':')
  return `${NS[prefix as keyof typeof NS]}${local}`
}
/** The IRI of a dataset. */
const idOf = (id: string): string => instances('dcat:Dataset').find(({ value }) => value.endsWith(`/${id}`))?.value ?? ''
const instances = (type: string) => store.getSubjects(expand('rdf:type'), expand(type), null)

describe('the catalogue as DCAT-AP-ES', () => {
  // The requirements of the profile (Violation in its SHACL shapes), with the largest number of each.
  const REQUIRED: readonly [type: string, property: string, most: number][] = [
    ['dcat:Catalog', 'dct:title', 9],
    ['dcat:Catalog', 'dct:description', 9],
    ['dcat:Catalog', 'dct:publisher', 1],
    ['dcat:Catalog', 'foaf:homepage', 1],
    ['dcat:Catalog', 'dcat:themeTaxonomy', 3],
    ['dcat:Catalog', 'dct:issued', 1],
    ['dcat:Catalog', 'dct:modified', 1],
    ['dcat:Catalog', 'dct:language', 9],
    ['dcat:Catalog', 'dct:license', 1],
    ['dcat:Catalog', 'dcat:dataset', 999],
    ['dcat:Dataset', 'dct:title', 9],
    ['dcat:Dataset', 'dct:description', 9],
    ['dcat:Dataset', 'dct:publisher', 1],
    ['dcat:Dataset', 'dct:accrualPeriodicity', 1],
    ['dcat:Dataset', 'dct:accessRights', 1],
    ['dcat:Dataset', 'dcat:contactPoint', 1],
    ['dcat:Dataset', 'dcat:keyword', 9],
    ['dcat:Dataset', 'dcat:theme', 9],
    ['dcat:Dataset', 'dcat:distribution', 9],
    ['dcat:Distribution', 'dcat:accessURL', 9],
    ['dcat:Distribution', 'dct:title', 9],
    ['dcat:Distribution', 'dct:description', 9],
    ['dcat:Distribution', 'dct:license', 1],
    ['dcat:Distribution', 'dct:rights', 1],
    ['dcat:Distribution', 'dct:format', 1],
    ['dcat:Distribution', 'dcat:mediaType', 1],
    ['dcat:DataService', 'dct:title', 9],
    ['dcat:DataService', 'dct:description', 9],
    ['dcat:DataService', 'dcat:contactPoint', 1],
    ['vcard:Organization', 'vcard:fn', 1],
    ['vcard:Organization', 'vcard:organization-name', 1],
    ['vcard:Organization', 'vcard:hasURL', 1],
    ['vcard:Organization', 'vcard:hasUID', 1],
    ['vcard:Organization', 'vcard:hasEmail', 1],
    ['dcat:DataService', 'dct:publisher', 1],
    ['dcat:DataService', 'dcat:theme', 9],
    ['dcat:DataService', 'dcat:endpointURL', 1],
    ['dcat:DataService', 'dcat:endpointDescription', 1],
    ['dcat:DataService', 'dct:accessRights', 1],
  ]
  test.each(REQUIRED)('every %s has %s, %i at most', (type, property, most) => {
    const found = instances(type)
    expect(found.length).toBeGreaterThan(0)
    for (const one of found) {
      const values = store.getObjects(one, expand(property), null)
      expect(values.length, one.value).toBeGreaterThan(0)
      expect(values.length, one.value).toBeLessThanOrEqual(most)
    }
  })

  // The patterns of values in the same shapes.
  const AUTHORITY = 'http://publications\\.europa\\.eu/resource/authority'
  test.each([
    ['dct:accrualPeriodicity', `^${AUTHORITY}/frequency/[A-Z0-9]+$`],
    ['dct:accessRights', `^${AUTHORITY}/access-right/PUBLIC$`],
    ['dct:format', `^${AUTHORITY}/file-type/(JSON|GEOJSON|PARQUET)$`],
    ['dct:language', `^${AUTHORITY}/language/(SPA|ENG)$`],
    ['dct:spatial', `^${AUTHORITY}/country/ESP$`],
    ['dcat:theme', `^(${AUTHORITY}/data-theme/[A-Z]+|http://datos\\.gob\\.es/kos/sector-publico/sector/[a-z-]+)$`],
    ['dcat:mediaType', '^https://www\\.iana\\.org/assignments/media-types/[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+$'],
    ['vcard:hasEmail', '^mailto:.+@.+$'],
  ])('values of %s are IRIs like %s', (property, pattern) => {
    const values = store.getObjects(null, expand(property), null)
    expect(values.length).toBeGreaterThan(0)
    for (const { termType, value } of values) expect([termType, value]).toEqual(['NamedNode', expect.stringMatching(new RegExp(pattern))])
  })

  test('titles and descriptions are in Spanish and English, and a size is a whole number', () => {
    for (const type of ['dcat:Catalog', 'dcat:Dataset', 'dcat:Distribution', 'dcat:DataService'])
      for (const one of instances(type))
        for (const property of ['dct:title', 'dct:description']) {
          const languages = store.getObjects(one, expand(property), null).map((text) => text.termType === 'Literal' && text.language)
          expect(languages.sort(), `${one.value} ${property}`).toEqual(['en', 'es'])
        }
    const sizes = store.getObjects(null, expand('dcat:byteSize'), null)
    expect(sizes.length).toBeGreaterThan(0)
    for (const size of sizes)
      expect(size).toMatchObject({
        value: expect.stringMatching(/^\d+$/),
        datatype: { value: expect.stringContaining('#nonNegativeInteger') },
      })
  })

  test('a frequency is that of the data, not of looks at its publisher', () => {
    const frequency = (id: string): string | undefined =>
      store.getObjects(idOf(id), expand('dct:accrualPeriodicity'), null)[0]?.value.split('/').at(-1)
    const known = { incidents: '1MIN', fuel_prices: '30MIN', fuel_bulletin: 'WEEKLY', imd_sections: 'ANNUAL', traffic_hours: 'HOURLY' }
    expect(Object.fromEntries(Object.keys(known).map((id) => [id, frequency(id)]))).toEqual(known)
    const isFed = (dataset: Dataset): boolean => feeds.some(({ into }) => into.includes(dataset))
    const unknown = datasets.filter((one) => one.visibility === 'public' && !isFed(one) && DATASET_FREQUENCIES[one.id] === undefined)
    expect(unknown.map(({ id }) => id)).toEqual([])
    expect(Object.keys(DATASET_FREQUENCIES).filter((id) => !datasets.some((one) => one.id === id))).toEqual([])
  })

  test('distributions of a dataset are its rows', () => {
    const listOf = (id: string): string[] =>
      store
        .getObjects(idOf(id), expand('dcat:distribution'), null)
        .flatMap((one) => store.getObjects(one, expand('dcat:accessURL'), null).map(({ value }) => new URL(value).pathname))
    expect(listOf('ferry_stops')).toEqual(['/api/export/ferry_stops'])
    expect(listOf('ferry_routes')).toContain('/api/maritimo/ferries')
  })

  test('rights name every attribution, and a download has the whole list without a key', async () => {
    for (const one of store.getObjects(null, expand('dct:rights'), null)) {
      expect(one.termType).toBe('NamedNode')
      expect(store.getObjects(one, 'http://www.w3.org/2000/01/rdf-schema#label', null).length, one.value).toBeGreaterThan(0)
    }
    const downloads = store.getObjects(null, expand('dcat:downloadURL'), null).map(({ value }) => new URL(value))
    expect(downloads.map(({ pathname }) => pathname)).toContain('/api/incidents')
    for (const { pathname } of downloads) {
      const { returns } = endpoints.find(({ path }) => path === pathname) as Endpoint
      expect(returns.kind === 'list' && returns.limit.default !== null, pathname).toBe(false)
    }
    // Without Redis and data some cannot be answered now; none is refused.
    const statuses = await Promise.all(
      downloads.map(async ({ pathname, search }) => [pathname, (await service.open(`${pathname}${search}`)).status] as const),
    )
    expect(statuses.filter(([, status]) => [400, 401, 403, 406].includes(status))).toEqual([])
  })

  test('lists every public dataset, with texts in one language each and IRIs that are absolute', async () => {
    const { datasets } = await service.json('/api/datasets')
    expect(
      instances('dcat:Dataset')
        .map(({ value }) => value.split('/').at(-1))
        .sort(),
    ).toEqual(datasets.map((one: Reply) => one.id).sort())
    for (const { subject, predicate, object } of store) {
      if (object.termType === 'NamedNode') expect(object.value).toMatch(/^(https?:\/\/|mailto:)[^ ]+$/)
      if (object.termType !== 'Literal' || !['title', 'description', 'keyword'].some((end) => predicate.value.endsWith(end))) continue
      expect(object.language, predicate.value).toMatch(/^(es|en)$/)
      expect(object.value.trim()).not.toBe('')
      const same = store
        .getObjects(subject, predicate, null)
        .filter((one) => one.termType === 'Literal' && one.language === object.language)
      expect(same.length).toBe(1)
    }
  })

  test('has the sectors, publisher and links of the profile, and none that leads nowhere', () => {
    const [catalog] = instances('dcat:Catalog')
    const values = (name: string): string[] => store.getObjects(catalog ?? null, expand(name), null).map(({ value }) => value)
    expect(values('dcat:themeTaxonomy')).toContain('http://datos.gob.es/kos/sector-publico/sector')
    expect(values('dct:language')).toContain('http://publications.europa.eu/resource/authority/language/SPA')
    for (const { object } of store.match(
      null,
      store.getPredicates(null, null, null).find((one) => one.value === expand('dct:publisher')),
    ))
      expect(object.value).toBe(PUBLISHER)
    for (const name of ['dcat:dataset', 'dcat:service', 'dcat:distribution', 'dcat:servesDataset'])
      for (const object of store.getObjects(null, expand(name), null))
        expect(store.countQuads(object, null, null, null), object.value).toBeGreaterThan(0)
    for (const one of instances('dcat:Dataset'))
      expect(
        store
          .getObjects(one, expand('dcat:theme'), null)
          .some(({ value }) => value.startsWith('http://datos.gob.es/kos/sector-publico/sector/')),
      ).toBe(true)
  })

  test('is chosen by Accept, and by the filters of the list; JSON stays the default', async () => {
    const type = async (accept: string): Promise<string | null> =>
      (await service.open('/api/datasets', { Accept: accept })).headers.get('content-type')
    expect(await type('application/ld+json')).toBe('application/ld+json')
    for (const accept of ['*/*', 'application/json', 'application/json, text/turtle;q=0.9', 'text/html, */*;q=0.8'])
      expect(await type(accept), accept).toContain('application/json')
    const filtered = await (await service.open('/api/datasets?domain=road', { Accept: 'application/ld+json' })).json()
    const road = (filtered as Reply)['@graph'].filter((one: Reply) => one['@type'] === 'dcat:Dataset')
    expect(road.length).toBe((await service.json('/api/datasets?domain=road')).total)
    const wrong = await service.open('/api/datasets?domains=road', { Accept: 'text/turtle' })
    expect(wrong.status).toBe(400)
  })

  test('is not sent again to a client that has it', async () => {
    const first = await service.open('/api/datasets/incidents', { Accept: 'application/ld+json' })
    const again = await service.open('/api/datasets/incidents', {
      Accept: 'application/ld+json',
      'If-None-Match': first.headers.get('etag') as string,
    })
    expect(again.status).toBe(304)
    expect(first.headers.get('vary')).toContain('Accept')
  })
})

test('a card is Croissant 1.1 with a field for each column', async () => {
  const response = await service.open('/api/datasets/incidents', { Accept: 'application/ld+json' })
  const card = (await response.json()) as Reply
  expect(card).toMatchObject({
    '@type': 'Dataset',
    conformsTo: 'http://mlcommons.org/croissant/1.1',
    name: 'incidents',
    isLiveDataset: true,
  })
  for (const name of ['description', 'license', 'url', 'creator', 'datePublished']) expect(card[name], name).toBeTruthy()
  const { columns } = await service.json('/api/datasets/incidents/schema')
  expect(card.recordSet[0].field.map((one: Reply) => one.name)).toEqual(columns.map((one: Reply) => one.name))
  expect((await service.open('/api/datasets/incident', { Accept: 'application/ld+json' })).status).toBe(404)
})

test('a schema is a Frictionless Table Schema with the columns of CSV', async () => {
  const type = 'application/vnd.tableschema+json'
  const schema = (await (await service.open('/api/datasets/incidents/schema', { Accept: type })).json()) as Reply
  const names = schema.fields.map((one: Reply) => one.name)
  expect(names).toEqual(expect.arrayContaining(['source', 'lat', 'lon', 'observed_at', 'fetch_id']))
  expect(schema.primaryKey).toEqual([...incidents.entity, incidents.time])
  for (const name of schema.primaryKey) expect(names).toContain(name)
  const types = new Set(schema.fields.map((one: Reply) => one.type))
  for (const one of types) expect(['string', 'integer', 'number', 'boolean', 'datetime', 'date', 'array', 'any']).toContain(one)
})
