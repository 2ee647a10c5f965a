import { afterAll, beforeAll, expect, test } from 'vitest'
import { incidents } from '../../../../lake/datasets/road/incidents.ts'
import { fillWithExamples, startService, type TestService } from '../../service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ clock: () => Date.UTC(2026, 0, 3, 12) })
  await fillWithExamples(service)
})
afterAll(() => service?.close())

const html = async (path: string): Promise<string> => {
  const response = await service.open(path)
  expect([path, response.status]).toEqual([path, 200])
  return response.text()
}
const count = (text: string, part: RegExp): number => text.match(part)?.length ?? 0

test('the list has every dataset of the API, and finds by words, domain and licence', async () => {
  const { datasets } = await service.json('/api/datasets')
  expect(count(await html('/datasets?lang=en'), /<li data-text=/g)).toBe(datasets.length)
  const roads = await html('/datasets?lang=en&q=&domain=road&licence=')
  expect(count(roads, /<li data-text=/g)).toBe(datasets.filter(({ domain }: { domain: string }) => domain === 'road').length)
  // Without case and accents, in the words of the language.
  expect(await html('/datasets?lang=es&q=TR%C3%81fico+hora+sensor')).toContain('href="/datasets/traffic_hours?lang=es"')
  expect(count(await html('/datasets?lang=en&q=nosuchword'), /<li data-text=/g)).toBe(0)
  expect(await html('/datasets?q=%3Cscript%3E')).not.toContain('<script>')
})

test("a dataset's page has its rows a day, null shares, schema, sample, map, requests and SQL", async () => {
  const page = await html('/datasets/incidents?lang=en')
  const { columns } = await service.json('/api/datasets/incidents/schema')
  for (const { name } of columns) expect(page).toContain(`<code>${name}</code>`)
  expect(page).toContain('<title>2026-01-02: 354</title>')
  expect(page).toContain('2.7%')
  const [record] = (await service.json('/api/incidents?limit=1')).incidents
  expect(page).toContain(record.id)
  expect(page).toMatch(/class="points" d="M[\d.]+ [\d.]+h0/)
  expect(page).toContain(`max(${incidents.time}) FROM lake.road.incidents`)
  expect(page).toContain('/api/incidents?')
  expect(page).not.toContain('style=')
  // A chart with one day says where its axis begins.
  expect(page).toMatch(/<figcaption><span><time datetime="2025-12-20">.*<time datetime="2026-01-02">/)
})

test("a dataset's page lists the newest versions of its table, and how to read one", async () => {
  const { newest_snapshots: newest, snapshots } = await service.json('/api/datasets/incidents')
  expect(newest).toHaveLength(Math.min(10, snapshots))
  const page = await html('/datasets/incidents?lang=en')
  for (const { id, operation } of newest)
    expect(page).toMatch(new RegExp(`<td><code>${id}</code></td><td><time .*?</td><td><code>${operation}<`))
  const { id, at, rows_added } = newest.at(-1)
  expect(page).toContain(`<td class="num">${rows_added}</td><td class="num">0</td>`)
  expect(page).toContain(`snapshot_from_id = ${id})`)
  expect(page).toContain(`snapshot_as_of_timestamp(${Date.parse(at)})`)
})

test('no page shows rows of a paid plan: vessels and aircraft have no sample', async () => {
  for (const id of ['vessel_positions', 'aircraft_positions', 'opensky_positions'])
    expect(await html(`/datasets/${id}?lang=en`)).toContain('No list without a key has these rows.')
})

test('sources and models are those of the API, and unknown names are 404', async () => {
  const { sources } = await service.json('/api/sources')
  expect(count(await html('/sources?lang=en'), /<article /g)).toBe(sources.length)
  const { models } = await service.json('/api/prediccion/modelos')
  const list = await html('/models?lang=en')
  for (const { id } of models) {
    expect(list).toContain(`href="/models/${id}?lang=en"`)
    const model = await html(`/models/${id}?lang=es`)
    expect(model).not.toContain('style=')
    expect(model).toContain(`<link rel="canonical" href="${service.url}/models/${id}?lang=es">`)
  }
  for (const path of ['/datasets/nope', '/models/nope']) expect((await service.get(path)).status).toBe(404)
})
