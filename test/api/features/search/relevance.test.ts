import { afterAll, beforeAll, expect, test } from 'vitest'
import { searchList } from '../../../../api/endpoints/search/search.ts'
import { orderOf, positionOf } from '../../../../api/engine/request/paging.ts'
import type { SearchIndex } from '../../../../api/features/search/search-index.ts'
import type { ListReturn } from '../../../../api/kernel/endpoint.ts'
import type { SearchFound } from '../../../../api/kernel/reads/search-view.ts'
import { communityOf } from '../../../../lake/places/communities.ts'
import { regionOf } from '../../../../lake/places/regions.ts'
import { isMeant, judgedQueries } from './relevance.ts'
import { worldIndex } from './world-index.ts'

let index: SearchIndex
beforeAll(async () => {
  index = await worldIndex()
})
afterAll(() => index?.close())

type Hits = Pick<SearchFound, 'counts'> & { readonly hits: SearchFound['records'] }
const hitsOf = async (found: Promise<SearchFound>): Promise<Hits> => found.then(({ records, counts }) => ({ hits: records, counts }))

/** All hits, as the list shows them. */
const BY_SCORE = { order: orderOf(searchList.returns as ListReturn, null), after: null, limit: null }

const search = (q: string, more: { readonly region?: readonly string[]; readonly collections?: readonly string[] } = {}): Promise<Hits> =>
  hitsOf(index.search({ q, collections: null, region: null, near: null, ...more }, BY_SCORE))

test('people find the intended result: first in 85 of 100 cases, among the first three in 95', async () => {
  const judged = judgedQueries()
  expect(judged.length).toBeGreaterThanOrEqual(150)
  const places = await Promise.all(judged.map(async (one) => (await search(one.q)).hits.findIndex((hit) => isMeant(one, hit))))
  const missed = judged.filter((_, at) => places[at] === -1 || (places[at] as number) > 2).map(({ q }) => q)
  const share = (most: number): number => places.filter((place) => place >= 0 && place < most).length / judged.length
  expect(share(1), 'success@1').toBeGreaterThanOrEqual(0.85)
  expect(share(3), `success@3; missed: ${missed.join(', ')}`).toBeGreaterThanOrEqual(0.95)
})

test('every judged title is in the world', async () => {
  const judged = judgedQueries().filter(
    ({ titles, collection }) => collection !== 'datasets' && !titles.some((title) => / km /.test(title)),
  )
  for (const one of judged) {
    const [title] = one.titles as [string]
    const { hits } = await search(title.replaceAll('*', ' '), { collections: [one.collection] })
    expect(
      hits.some((hit) => isMeant(one, hit)),
      `${one.q}: ${title}`,
    ).toBe(true)
  }
})

test.each([
  ['MAD', 'airports', 'MAD'],
  ['bcn', 'airports', 'BCN'],
  ['LEMD', 'airports', 'MAD'],
  ['28013', 'municipalities', '28079'],
  ['17000', 'rail-stations', '17000'],
  ['es alg', 'ports', 'ESALG'],
])('the thing with the code %s is first', async (q, collection, id) => {
  expect((await search(q)).hits[0]).toMatchObject({ collection, id })
})

test.each([
  ['Andalucía', '41'],
  ['País Vasco', '48'],
  ['euskadi', '48'],
  ['galicia', '15'],
  ['catalunya', '08'],
  ['castilla y leon', '47'],
  ['castilla la mancha', '45'],
  ['canarias', '35'],
  ['comunidad valenciana', '46'],
  ['extremadura', '10'],
  ['aragón', '50'],
])('the name of a community, %s, finds its provinces first', async (q, one) => {
  const codes = communityOf(one)?.province_codes ?? []
  const { hits } = await search(q)
  expect(
    hits
      .slice(0, codes.length)
      .map(({ collection, id }) => `${collection} ${id}`)
      .toSorted(),
  ).toEqual(codes.map((code) => `provinces ${code}`))
})

test('a large town is before what has its name and more elsewhere, by its inhabitants', async () => {
  const { hits } = await search('san fernando')
  expect(hits[0]).toMatchObject({ collection: 'municipalities', id: '11031' })
})

test('two exchanged letters are one typo, side by side or around a third', async () => {
  for (const [q, title] of [
    ['bajaras', 'Aeropuerto Adolfo Suárez Madrid-Barajas'],
    ['zaragzoa', 'Zaragoza'],
    ['chamratin', 'Madrid-Chamartín-Clara Campoamor'],
  ])
    expect([q, (await search(q as string)).hits[0]?.title]).toEqual([q, title])
})

test('what has the whole name is before what only contains it or is spelt alike', async () => {
  for (const [q, title] of [
    ['sol', 'Sol'],
    ['la palma', 'La Palma'],
    ['pto de la cruz', 'Puerto de la Cruz'],
    ['galp palma', 'GALP, Palma'],
  ])
    expect([q, (await search(q as string)).hits[0]?.title]).toEqual([q, title])
  expect((await search('tiempo burgos')).hits[0]).toMatchObject({ collection: 'weather-stations', province_code: '09' })
})

test('a town is before its station, port or airport', async () => {
  for (const q of [
    'aranjuez',
    'girona',
    'ibiza',
    'hospitalet de llobregat',
    'vigo',
    'castelldefels',
    'el escorial',
    'manises',
    'fuenterrabia',
  ]) {
    const { hits } = await search(q)
    expect([q, hits[0]?.collection]).toEqual([q, 'municipalities'])
  }
  const scores = (await search('ibiza')).hits.map(({ score }) => score)
  expect(scores).toEqual(scores.toSorted((one, other) => other - one))
})

test('a code is before longer ones', async () => {
  expect((await search('C3')).hits[0]).toMatchObject({ collection: 'rail-routes', title: expect.stringMatching(/^C3 /) })
})

test('a suggestion needs only the beginning of a word', async () => {
  const suggest = async (q: string): Promise<readonly string[]> =>
    (await hitsOf(index.suggest({ q, collections: null, region: null, near: null }, BY_SCORE))).hits.slice(0, 3).map(({ title }) => title)
  expect(await suggest('ato')).toContain('Madrid-Puerta de Atocha-Almudena Grandes')
  expect(await suggest('barcelona san')).toContain('Barcelona-Sants')
  expect((await suggest('barcel'))[0]).toBe('Barcelona')
  expect(await suggest('repsol geta')).toContain('REPSOL, Getafe')
})

test('the nearest goes first, where the caller gives a position', async () => {
  const near = { lat: 42.2311, lon: -8.7123 }
  const { hits } = await hitsOf(index.search({ q: 'repsol', collections: ['gas-stations'], region: null, near }, BY_SCORE))
  expect(hits[0]?.title).toBe('REPSOL, Vigo')
  expect(hits[0]?.distance_m).toBeLessThan(20_000)
})

test('an island is found by its names, shows its municipalities, and keeps the results inside', async () => {
  for (const [q, url] of [
    ['Tenerife', '/api/geo/municipios?province=384'],
    ['mallorca', '/api/geo/municipios?province=073'],
    ['isla de la palma', '/api/geo/municipios?province=383'],
    ['Ibiza', '/api/geo/municipios?province=072'],
  ])
    expect((await search(q as string, { collections: ['provinces'] })).hits[0]?.url, q).toBe(url)
  const { hits } = await search('arona', { region: regionOf('Tenerife') ?? [] })
  expect(hits.map(({ title }) => title)).toContain('Arona')
  expect((await search('arona', { region: regionOf('La Palma') ?? [] })).hits.filter(({ title }) => title === 'Arona')).toEqual([])
})

test('a province keeps the results inside, and counts only those', async () => {
  const { hits, counts } = await search('repsol', { region: ['27'] })
  expect(new Set(hits.map(({ province_code }) => province_code))).toEqual(new Set(['27']))
  expect(counts.find(({ collection }) => collection === 'gas-stations')?.hits).toBe(hits.length)
})

test('a typed position finds the municipality that contains it, then the nearest', async () => {
  for (const q of ['40.4168, -3.7038', '40,4168 -3,7038', '-3.7038, 40.4168', '40°25′0″N 3°42′14″W']) {
    const { hits } = await search(q)
    expect(hits[0], q).toMatchObject({ collection: 'municipalities', title: 'Madrid' })
    expect(hits[1], q).toMatchObject({ collection: 'rail-stations', title: 'Sol' })
  }
})

test('a kilometre is where the posts of its road say', async () => {
  const { hits } = await search('A-6 km 12')
  expect(hits[0]).toMatchObject({ title: 'A-6 km 12', province_code: '28', url: '/api/geo/pk?road=A-6&km=12&province=28', plan: 'FREE' })
  expect(hits[0]?.position?.lat).toBeCloseTo(40.5, 1)
  expect(hits[1]).toMatchObject({ collection: 'roads', title: 'A-6' })
  // The number is whole: no. Distances are from the kilometre.
  expect(hits.flatMap(({ collection, title }) => (collection === 'roads' ? title : []))).toEqual(['A-6 km 12', 'A-6'])
  expect(hits[1]?.distance_m).toBeGreaterThan(0)
  // A kilometre that no post is near is not made up.
  expect((await search('A-6 km 1900')).hits[0]).toMatchObject({ collection: 'roads', title: 'A-6' })
})

test('the nearest things are nearest first, within the radius', async () => {
  const { hits, counts } = await hitsOf(index.nearby({ lat: 40.4168, lon: -3.7038, radius_m: 3000, collections: null }, BY_SCORE))
  const distances = hits.map(({ distance_m }) => distance_m as number)
  expect(hits[0]?.title).toBe('Sol')
  expect(distances).toEqual(distances.toSorted((one, other) => one - other))
  expect(distances.at(-1)).toBeLessThanOrEqual(3000)
  expect(counts.reduce((sum, one) => sum + one.hits, 0)).toBe(hits.length)
})

test('highlights are the words that match', async () => {
  const { hits } = await search('chamarin clara')
  const [hit] = hits as [(typeof hits)[number]]
  expect(hit.highlights.map(({ field, start, length }) => (field === 'title' ? hit.title.slice(start, start + length) : field))).toEqual([
    'Chamartín',
    'Clara',
  ])
})

test('pages of any order have each hit once, with its number of all', async () => {
  const ask = { q: 'repsol san', collections: null, region: null, near: { lat: 40, lon: -3 } }
  for (const sort of ['-score', 'score', 'distance_m', 'title']) {
    const order = orderOf(searchList.returns as ListReturn, sort)
    const whole = await index.search(ask, { order, after: null, limit: null })
    const paged: SearchFound['records'][number][] = []
    for (let found: SearchFound | null = null; found?.hasMore ?? paged.length === 0; ) {
      found = await index.search(ask, { order, after: found && positionOf(order, { ...found.records.at(-1) }), limit: 150 })
      paged.push(...found.records)
      expect(found.total).toBe(whole.records.length)
    }
    expect(paged, sort).toEqual(whole.records)
  }
})

test('the first page, for which only the best hits are ordered, is the beginning of all hits', async () => {
  const queries = [
    ...judgedQueries().flatMap(({ q }, nth) => (nth % 3 === 0 ? [q] : [])),
    'san sa',
    'la palma',
    'de',
    'madrid',
    'villanueva',
    'gasolinera repsol',
  ]
  const differing: string[] = []
  for (const q of queries) {
    const ask = { q, collections: null, region: null, near: null }
    const [first, all] = [await index.search(ask, { ...BY_SCORE, limit: 7 }), await index.search(ask, BY_SCORE)]
    expect(first.total, q).toBe(all.total)
    if (JSON.stringify(first.records) !== JSON.stringify(all.records.slice(0, 7))) differing.push(q)
  }
  expect(queries.length).toBeGreaterThan(50)
  expect(differing).toEqual([])
})

test('documents that change are found as they are now, and only then is the version another', async () => {
  const { version } = index.views().of('ENTERPRISE')
  const one = { id: 'x', title: 'Zzyzx', subtitle: null, position: null, province_code: null, importance: 1 }
  expect(await index.replace('incidents', [one])).toBe(true)
  expect((await search('zzyzx')).hits.map(({ id }) => id)).toEqual(['x'])
  expect(index.views().of('ENTERPRISE').version).not.toBe(version)
  expect(await index.replace('incidents', [{ ...one }])).toBe(false)
  expect(await index.replace('incidents', [])).toBe(true)
  expect((await search('zzyzx', { collections: ['incidents'] })).hits).toEqual([])
  // The same documents are the same version.
  expect(index.views().of('ENTERPRISE').version).toBe(version)
})
