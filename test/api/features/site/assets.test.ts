import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ASSET_VERSION, assetPath } from '../../../../api/features/site/assets.ts'
import { startService, type TestService } from '../../service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.close())

const STYLES = readdirSync(join(import.meta.dirname, '../../../../api/browser'), { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.css'),
)
const MODULES = ['page.js', 'home.js', 'home-map.js', 'first-call.js', 'datasets.js', 'docs.js', 'map/map.js']
const MAPLIBRE = ['maplibre-gl.js', 'maplibre-gl-worker.js', 'maplibre-gl-shared.js', 'maplibre-gl.css']

test.each([...STYLES, ...MODULES, ...MAPLIBRE, 'overpass.woff2', 'overpass-mono.woff2'])(
  '%s is kept by browsers for ever and loads only what there is',
  async (name) => {
    const response = await service.get(assetPath(name))
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toContain('immutable')
    expect(response.headers.get('content-type')).toMatch(/^(text\/(css|javascript); charset=utf-8|font\/woff2)$/)
    const text = await response.text()
    const loaded = [...text.matchAll(/(?:\bfrom|\bimport\()["'`]([./][^"'`]+)["'`]|url\("([^":]+)"\)/g)].map(
      ([, module, file]) => module ?? file ?? '',
    )
    for (const one of loaded) {
      expect(one).toMatch(/^[./\w-]+$/)
      expect((await service.get(new URL(one, `http://x${assetPath(name)}`).pathname)).status, one).toBe(200)
    }
  },
)

test('modules are sent without types', async () => {
  const text = await (await service.get(assetPath('page.js'))).text()
  expect(() => new Function(text)).not.toThrow()
  expect(text).not.toMatch(/: (string|number)\b/)
})

test('a font is sent as it is', async () => {
  const response = await service.get(assetPath('overpass.woff2'), { 'Accept-Encoding': 'br' })
  expect(response.headers.get('content-encoding')).toBeNull()
  expect(
    Buffer.from(await response.arrayBuffer())
      .subarray(0, 4)
      .toString(),
  ).toBe('wOF2')
})

test.each([`/assets/${ASSET_VERSION}/none.js`, `/assets/${ASSET_VERSION}/tsconfig.json`, `/assets/000000000000/style.css`])(
  '%s is not found',
  async (path) => expect((await service.get(path)).status).toBe(404),
)
