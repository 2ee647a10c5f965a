import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PAGE_POLICIES } from '../../../../api/auth/page-access.ts'
import { DEFAULT_PLANS } from '../../../../api/auth/plans.ts'
import { LAYERS } from '../../../../api/browser/map/layers/layers.ts'
import { collectionOf, idOf, pathsOf } from '../../../../api/browser/map/requests.ts'
import { endpoints } from '../../../../api/endpoints/catalog.ts'
import { LANGS } from '../../../../api/kernel/fields.ts'
import { INCIDENT_TYPES } from '../../../../lake/datasets/road/codes.ts'
import { roadAxes } from '../../../../lake/datasets/road/road-network.ts'
import { until } from '../../../helpers/until.ts'
import { exampleService } from '../../example-service.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'
import { labelsOf } from './page-labels.ts'

const T0 = Date.UTC(2026, 0, 2)
const service = await exampleService()
const LAYERS_IN = new URL('../../../../api/browser/map/layers/', import.meta.url)
const layerFiles = ['layers-live.ts', 'layers-places.ts'].map((name) => readFileSync(new URL(name, LAYERS_IN), 'utf8')).join('')

const tokenOf = (html: string): string => /data-token="([^"]+)"/.exec(html)?.[1] ?? ''
async function page(of = service, headers: Record<string, string> = {}): Promise<{ readonly html: string; readonly headers: Headers }> {
  const response = await of.open('/map?lang=en', headers)
  expect(response.status).toBe(200)
  return { html: await response.text(), headers: response.headers }
}

describe('the page', () => {
  test('is for its caller, runs only what is ours, and works as a list without scripts', async () => {
    const { html, headers } = await page()
    expect(headers.get('cache-control')).toBe('no-store')
    const policy = headers.get('content-security-policy')
    expect(policy).toContain("script-src 'self'")
    expect(policy).toContain("worker-src 'self'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect(html).toMatch(/<noscript>.*\/docs/)
  })

  test.each(LANGS)('brings the labels of every code that a layer is coloured by: %s', async (lang) => {
    const html = await (await service.open(`/map?lang=${lang}`)).text()
    const labels = labelsOf(html)
    for (const { id, colour, codes = '' } of LAYERS.filter(({ colour: [kind] }) => kind === 'match'))
      for (let at = 2; at + 1 < colour.length; at += 2)
        expect(labels[codes]?.[colour[at] as string], `${id} ${colour[at]}`).toMatch(/\p{L}/u)
    const used = layerFiles.matchAll(/words\('([a-z_]+)'/g)
    expect([...new Set(Array.from(used, ([, list]) => list))].filter((list) => !labels[list as string])).toEqual([])
    expect(labels['incident_type']?.['ACCIDENT']).toBe(INCIDENT_TYPES.codes.ACCIDENT[lang])
    expect(html).toContain(`<html lang="${lang === 'en' ? 'en' : 'es'}">`)
  })

  test('takes the language of texts from the browser, of all five', async () => {
    expect((await page(service, { 'Accept-Language': 'gl-ES,es;q=0.8' })).html).toContain('data-texts="en"')
    const response = await service.open('/map', { 'Accept-Language': 'gl-ES,es;q=0.8' })
    const html = await response.text()
    expect(html).toContain('<html lang="es">')
    expect(html).toContain('data-texts="gl"')
    const other = await (await service.open('/map', { 'Accept-Language': 'eu,en;q=0.8' })).text()
    expect(other).toContain('<html lang="en">')
    expect(other).toContain('data-texts="eu"')
  })
})

describe('the limit of the page', () => {
  let limited: TestService
  beforeAll(async () => {
    limited = await startService({ plans: DEFAULT_PLANS, proxies: '127.0.0.1' })
  })
  afterAll(() => limited?.close())
  /** The statuses of 12 requests from an address with a token: more than admitted without a key. */
  const statuses = (token: string, address: string, path = '/api/incidents?limit=1'): Promise<number[]> =>
    Promise.all(
      Array.from({ length: 12 }, async () => {
        const headers = { 'X-Page-Token': token, 'X-Forwarded-For': address }
        return (await limited.open(path, headers)).status
      }),
    )

  test('is of its own, for its address alone', async () => {
    const token = tokenOf((await page(limited, { 'X-Forwarded-For': '198.51.100.1' })).html)
    expect(PAGE_POLICIES[0]?.limit).toBeGreaterThan(12)
    expect(await statuses(token, '198.51.100.1')).not.toContain(429)
    expect(await statuses(token, '198.51.100.2')).toContain(429)
  })

  test.each(['', 'made-up', 'WzQ5ODkwMywicGFnZSJd.AAAAAAAAAAAAAAAAAAAAAA'])(
    'a token that is not ours, %j, changes nothing',
    async (token) => {
      expect(await statuses(token, `198.51.100.${10 + token.length}`)).toContain(429)
    },
  )

  test('tiles have a road as soon as its axis has landed', async () => {
    const tile = async (): Promise<string> => {
      const response = await limited.open('/map/tiles/11/1021/765.mvt', { 'X-Forwarded-For': '198.51.100.4' })
      expect(response.status).toBe(200)
      return Buffer.from(await response.arrayBuffer()).toString('latin1')
    }
    expect(await tile()).not.toContain('N-4321')
    // In this tile.
    const geometry = [
      [-0.48, 41.2],
      [-0.4, 41.3],
    ]
    const row = {
      ...exampleTableRow(roadAxes),
      road: 'N-4321',
      geometry,
      kilometres: [1, 14],
      errors_m: [25],
      posts: [1],
      km_from: 1,
      km_to: 14,
    }
    await limited.land(roadAxes, [row], T0)
    await until('the road in the tile', async () => (await tile()).includes('N-4321'), 20_000)
  })

  test('opens no layer of the plans', async () => {
    const token = tokenOf((await page(limited, { 'X-Forwarded-For': '198.51.100.3' })).html)
    for (const layer of LAYERS.filter(({ plan }) => plan !== 'FREE'))
      for (const path of pathsOf(layer, { bbox: [-4, 40, -3, 41], lang: 'en' })) {
        const response = await limited.open(path, { 'X-Page-Token': token, 'X-Forwarded-For': '198.51.100.3' })
        expect([path, response.status]).toEqual([path, 401])
      }
  })
})

describe('tiles', () => {
  const tile = (path: string) => service.open(`/map/tiles/${path}`)

  test('contain the land, its provinces and their names', async () => {
    const response = await tile('5/15/12.mvt')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/vnd.mapbox-vector-tile')
    const text = Buffer.from(await response.arrayBuffer()).toString('latin1')
    for (const name of ['land', 'province', 'province_name', 'Madrid']) expect(text).toContain(name)
    const { etag } = Object.fromEntries(response.headers)
    expect((await service.open('/map/tiles/5/15/12.mvt', { 'If-None-Match': etag as string })).status).toBe(304)
  })

  test('are empty where nothing is, and enough for the deepest zoom', async () => {
    expect((await (await tile('6/0/0.mvt')).arrayBuffer()).byteLength).toBe(0)
    const near = Buffer.from(await (await tile('11/1003/772.mvt')).arrayBuffer()).toString('latin1')
    expect(near).toContain('municipality')
  })

  test.each(['2/3/3.mvt', '12/1/1.mvt', '5/32/1.mvt', '5/-1/1.mvt', '5/1/x.mvt', '5/1/1.png', '5/1.5/1.mvt'])(
    '%s is not found',
    async (path) => {
      const response = await tile(path)
      expect(response.status).toBe(404)
      expect(((await response.json()) as Reply).detail).toContain('z from 3 to 11')
    },
  )
})

describe.each(LAYERS.map((layer) => [layer.id, layer] as const))('the layer %s', (_id, layer) => {
  let features: readonly GeoJSON.Feature[]
  const get = async (path: string): Promise<Reply> =>
    (await service.get(path, { 'X-API-Key': await service.key('ENTERPRISE') }).then((one) => one.json())) as Reply
  beforeAll(async () => {
    const replies = await Promise.all(pathsOf(layer, { bbox: [-19, 27, 5, 44], lang: 'en' }).map(get))
    // Not every city has example rows.
    const known = replies.filter(({ code }) => code !== 'no-data-yet')
    for (const reply of known) expect(reply.detail ?? '').toBe('')
    features = collectionOf(layer, known).features
  })

  test('asks for what there is, and can be read in both languages', () => {
    for (const { type, properties } of features) {
      expect(type).toBe('Feature')
      for (const language of ['es', 'en'] as const) {
        expect(layer.name[language]).not.toBe('')
        expect(typeof layer.title(properties ?? {}, language)).toBe('string')
        for (const line of layer.lines(properties ?? {}, language)) expect(line).not.toMatch(/undefined|null|NaN|\[object/)
      }
    }
  })

  test('has lists of its past that say when things began and ended', async () => {
    if (!layer.past) return
    const { kind, plan, then, now } = layer.past
    const members = { LIVES: ['began_at', 'last_seen_at'], TRACKS: ['times'], LEVELS: ['levels', 'starts_at', 'step_minutes'] }[kind]
    const [past, present] = [await get(kind === 'LEVELS' ? then : `${then}&format=geojson`), now && (await get(`${now}&format=geojson`))]
    for (const reply of [past, present]) expect(reply?.['detail'] ?? '').toBe('')
    const records = (past['sensors'] ?? past['features'].map(({ properties }: GeoJSON.Feature) => properties)) as readonly Reply[]
    for (const record of records) for (const member of members) expect(record[member]).toBeTruthy()
    if (kind === 'LIVES') for (const { properties } of present?.['features'] ?? []) expect(properties.first_seen_at).toMatch(/^\d{4}-/)
    expect(endpoints.find(({ path }) => path === then.split('?')[0])?.plan).toBe(plan)
  })

  test('needs the plan that its list needs', () => {
    const path = layer.path.split('?')[0] ?? ''
    const found = endpoints.find((one) => new RegExp(`^${one.path.replaceAll(/\{\w+\}/g, '\\w+')}$`).test(path))
    expect(found?.plan).toBe(layer.plan)
  })

  test('a thing of it has the path of its card', async () => {
    const [first] = features
    // The example rows of readings and of the catalogue are of different sensors.
    if (!first || layer.detail === null || layer.id === 'traffic') return
    const id = idOf(first.properties ?? {}) ?? ''
    expect((await get(`${layer.detail}${encodeURIComponent(id)}`)).detail ?? '').toBe('')
    const track = layer.track?.(encodeURIComponent(id))
    if (track !== undefined) expect((await get(`${track}${track.includes('?') ? '&' : '?'}format=geojson`)).detail ?? '').toBe('')
  })
})

test('the map requests at most a third of what whole incidents have', async () => {
  const [own = ''] = pathsOf(LAYERS.find(({ id }) => id === 'incidents') as (typeof LAYERS)[number], { bbox: [], lang: 'en' })
  const sizeOf = async (path: string): Promise<number> => {
    const { features } = (await service.json(path)) as { readonly features: readonly object[] }
    expect(features.length).toBeGreaterThan(0)
    return JSON.stringify(features).length
  }
  expect(await sizeOf(own)).toBeLessThan((await sizeOf('/api/incidents?format=geojson')) / 3)
})

test('colours by code name codes of the API', async () => {
  const text = await (await service.open('/openapi.json')).text()
  for (const { id, colour } of LAYERS) {
    if (typeof colour === 'string' || colour[0] !== 'match') continue
    const codes = (colour.slice(2, -1) as readonly unknown[]).filter((_one, at) => at % 2 === 0)
    for (const code of codes) expect([id, code, text.includes(`"${code}"`)]).toEqual([id, code, true])
  }
})
