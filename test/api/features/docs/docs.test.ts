import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { geometriesOf, picturePaths, toPicture } from '../../../../api/browser/spain-picture.ts'
import { domains, endpoints } from '../../../../api/endpoints/catalog.ts'
import { GUIDES } from '../../../../api/features/docs/documents.ts'
import { fieldReader, parameterDoc } from '../../../../api/features/docs/fields.ts'
import { GROUPS } from '../../../../api/features/docs/groups.ts'
import { TIER } from '../../../helpers/tier.ts'
import { openapi } from '../../openapi.ts'
import { type Reply, startService, type TestService } from '../../service.ts'

const MAX_PAGE_BYTES = 150_000
const MAX_TOTAL_BYTES = 1_500_000
const description = openapi(endpoints, 'https://api.example.org') as Reply
let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.close())

async function text(path: string): Promise<string> {
  const response = await service.get(path, { Accept: 'text/html' })
  expect(response.status, path).toBe(200)
  return await response.text()
}

test.each([...GUIDES.values()])('the guide $name says the same in both languages', ({ file, spanish, title }) => {
  const [english, translated] = [file, spanish].map((one) => readFileSync(one, 'utf8')) as [string, string]
  const shape = (text: string): readonly string[] => [...text.matchAll(/^(#+ |```\w*|- |\|)/gm)].map(([mark]) => mark)
  expect(shape(translated)).toEqual(shape(english))
  expect(translated.startsWith(`# ${title.es}\n`)).toBe(true)
  expect(translated.replace(/```[^]*?```/g, '')).not.toMatch(/\b(the|with|and) /)
  const paths = (text: string): readonly string[] => [...text.matchAll(/`\/[^`]*`/g)].map(([path]) => path).toSorted()
  expect(paths(translated)).toEqual(paths(english))
})

describe('the reference', () => {
  test('has a text for every group in both languages, and every tag of the description says what it has', () => {
    expect(GROUPS.map(({ id }) => id)).toEqual([...domains.map(({ id }) => id), 'account', 'webhooks', 'platform'])
    for (const { about } of GROUPS) for (const one of [about.es, about.en]) expect(one.length).toBeGreaterThan(60)
    for (const { name, description: about } of description.tags) expect(about, name).not.toMatch(/^Data of the domain|^\w+$/)
  })

  test('has a page for every operation in both languages, of at most 150 kB, which the search finds', async () => {
    const operations = Object.entries<Record<string, Reply>>(description.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId, summary, 'x-plan': plan }]) => ({
        id: operationId,
        path,
        method,
        summary,
        plan,
      })),
    )
    const index = (await service.json('/docs/search-index?lang=en')) as unknown as [string, string, string, string][]
    // The deep tests read all of them.
    const isRead = (nth: number): boolean => TIER === 'deep' || nth % 5 === 0
    for (const [nth, { id, path, method, summary, plan }] of operations.entries()) {
      const [found] = index.filter(([to]) => /^\/docs\/reference\/[^/]+\/./.test(to) && to.endsWith(`/${id}`))
      expect(found?.slice(1, 3), id).toEqual([summary, `${method.toUpperCase()} ${path}`])
      if (!isRead(nth)) continue
      for (const language of ['es', 'en']) {
        const html = await text(`${found?.[0]}?lang=${language}`)
        expect(html.length, id).toBeLessThan(MAX_PAGE_BYTES)
        expect(html).toContain(`<b>${method.toUpperCase()}</b>`)
        if (plan) expect(html, id).toMatch(new RegExp(`<span class="tag( accent)?">${plan}</span>`))
        expect(html, id).not.toContain('undefined')
      }
    }
    for (const [nth, [to]] of index.entries()) if (isRead(nth)) await text(`${to}?lang=es`)
    // Guides are found by what they say.
    const guides = index.filter(([to]) => to.startsWith('/docs/guides/'))
    for (const [word, name] of [
      ['signature', 'webhooks'],
      ['last-event-id', 'streaming'],
      ['read_parquet', 'languages'],
    ] as const) {
      const found = guides.filter(([, , , words]) => word.split('-').every((part) => words.includes(part))).map(([to]) => to)
      expect(found, word).toContain(`/docs/guides/${name}`)
    }
    expect(await text('/docs/guides/quick-start?lang=es')).toContain(`export API=${service.url}`)
  })

  test('loads at most 1.5 MB with all files of a page', async () => {
    const html = await text('/docs/reference/road/incidents?lang=en')
    const files = [...html.matchAll(/(?:src|href)="(\/(?:assets|docs\/spain)[^"]+)"/g)].map(([, path = '']) => path)
    const imported = ['key.js'].map((name) => (files[0] as string).replace(/[^/]+$/, name))
    let total = html.length
    for (const path of [...new Set([...files, ...imported])]) total += (await (await service.get(path)).arrayBuffer()).byteLength
    expect(files.length).toBeGreaterThan(4)
    expect(total).toBeLessThan(MAX_TOTAL_BYTES)
  })

  test('shows units, limits, codes, and an example request with its code', async () => {
    const html = await text('/docs/reference/road/incidents?lang=en')
    for (const part of ['<b>km</b>', '0 – 2000', '<code>ROADWORKS</code>', 'or null', 'data-code="python"', 'id="picture-dots"'])
      expect(html).toContain(part)
    expect(await text('/docs/reference/road/incidents_by_id?lang=en')).toMatch(
      /<input id="try-id"[^>]* data-from="\/api\/incidents\?[^"]*"/,
    )
    const history = await text('/docs/reference/road/incidents_history?lang=es')
    expect(history).toContain('Ocupa una de las consultas')
    expect(history).toContain('curl -H &#34;X-API-Key: $KEY&#34;')
  })

  test.each(['/docs/reference/constructor', '/docs/reference/road/constructor', '/docs/reference/road/gas_stations'])(
    'does not have %s',
    async (path) => {
      expect((await service.get(path)).status).toBe(404)
    },
  )
})

test('members of schemas have their type, unit and limits, also through references and lists', () => {
  const read = fieldReader({
    Stop: {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string', description: 'Name.' }, next: { $ref: '#/x/Stop' } },
    },
  })
  const [delay, stops, other] = read({
    type: 'object',
    required: ['delay_s'],
    properties: {
      delay_s: { type: ['integer', 'null'], minimum: 0, 'x-unit': 's', description: 'Delay. Unit: s.' },
      stops: { type: 'array', items: { $ref: '#/x/Stop' } },
      either: { anyOf: [{ type: 'string', enum: ['A', null] }, { type: 'null' }] },
    },
  })
  expect(delay).toMatchObject({ type: 'integer', unit: 's', about: 'Delay.', limits: '≥ 0', isRequired: true, isNullable: true })
  expect(stops).toMatchObject({ type: 'list of object', isRequired: false, fields: [{ name: 'name', isRequired: true }, { name: 'next' }] })
  expect(other).toMatchObject({ type: 'string', isNullable: true })
  expect(parameterDoc({ name: 'a', required: false, schema: { type: 'array', items: { type: 'string', enum: ['X'] } } })).toMatchObject({
    ...{ type: 'list of string', codes: ['X'] },
  })
})

test('the picture has the places of GeoJSON and of records, and the Canary Islands in its corner', () => {
  const point = { type: 'Point', coordinates: [-3.7, 40.4] }
  expect(geometriesOf({ features: [{ geometry: point, properties: { lat: 1, lon: 1 } }], meta: { lat: 1, lon: 1 } })).toEqual([point])
  expect(
    geometriesOf({
      stations: [
        { lat: 40.4, lon: -3.7 },
        { lat: null, lon: null },
      ],
    }),
  ).toEqual([point])
  expect(picturePaths([point]).dots).toMatch(/^M200\.7 159\.4h0$/)
  expect(
    picturePaths([
      {
        type: 'LineString',
        coordinates: [
          [-3, 40],
          [-2, 41],
        ],
      },
    ]).lines,
  ).toMatch(/^M[\d. ]+L[\d. ]+$/)
  // A line of some metres is a dot.
  expect(
    picturePaths([
      {
        type: 'LineString',
        coordinates: [
          [-3, 40],
          [-3, 40.001],
        ],
      },
    ]),
  ).toMatchObject({ lines: '' })
  const [x, y] = toPicture(-16.5, 28.3)
  expect([x < 140, y > 330 && y < 400]).toEqual([true, true])
})
