import { describe, expect, test } from 'vitest'
import { browserPath, browserStage } from '../helpers/browser.ts'
import { until } from '../helpers/until.ts'
import { boxOf, isNear, mapOf, pixel, WIDE } from './on-map.ts'
import { barriersOf } from './on-page.ts'

const stage = browserStage()
const onMap = mapOf(stage)

/** Colours of the types of incidents on the map, and of what has no colour of its own. */
const COLOURS: Readonly<Record<string, readonly [number, number, number]>> = {
  ...{ ACCIDENT: [216, 50, 63], CLOSURE: [216, 50, 63], CONGESTION: [224, 99, 27], OBSTACLE: [224, 99, 27], BREAKDOWN: [224, 99, 27] },
  ...{ ROADWORKS: [240, 162, 27], WEATHER: [47, 124, 224], EVENT: [138, 92, 214] },
}
/** Ends of the mainland, lon and lat: Estaca de Bares, Touriñán, cap de Creus, Tarifa, cabo de Gata, and Menorca beside it. */
const CORNERS = [
  [-7.69, 43.79],
  [-9.3, 43.05],
  [3.32, 42.32],
  [-5.61, 36.0],
  [-2.19, 36.72],
  [4.33, 39.88],
] as const
/** Places of a Web Mercator map of a zoom, px. */
const mercator = ([lon, lat]: readonly [number, number], zoom: number): readonly [number, number] => {
  const size = 512 * 2 ** zoom
  const y = Math.log(Math.tan(Math.PI / 4 + (lat * Math.PI) / 360))
  return [(size * (lon + 180)) / 360, size * (0.5 - y / (2 * Math.PI))]
}
const PHONE = { width: 360, height: 740 }

describe.skipIf(!browserPath)('the map', () => {
  test('shows what the API says, where it says it, and asks nobody else', async () => {
    const response = await stage.service.open('/api/incidents?format=geojson&limit=20')
    const { features } = (await response.json()) as {
      features: { properties: { type: string }; geometry: { type: string; coordinates: [number, number] } | null }[]
    }
    await onMap({}, async (page, { complaints, urls }) => {
      const note = page.locator('#layers li', { hasText: 'Incidents' }).locator('.note')
      await until('all incidents', async () => (await note.textContent())?.startsWith(`${features.length},`) === true)
      expect(urls.filter((url) => !url.startsWith(stage.service.url) && !url.startsWith('data:'))).toEqual([])
      expect(complaints).toEqual([])
    })
    const points = features.flatMap(({ properties, geometry }) =>
      geometry?.type === 'Point' ? [{ at: geometry.coordinates, colour: COLOURS[properties.type] }] : [],
    )
    expect(points.length).toBeGreaterThan(0)
    for (const { at, colour } of points)
      for (const zoom of [5, 13])
        await onMap({ hash: `#map=${zoom}/${at[1]}/${at[0]}&layers=incidents` }, async (page) => {
          const box = await boxOf(page, '#map canvas')
          const [x, y] = [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)]
          expect(colour).toBeDefined()
          await until(`the sign at zoom ${zoom}`, async () => isNear(await pixel(page, x, y), colour ?? []), 20_000)
          // A triangle: beside its middle there is more of it below than above.
          const across = zoom === 13 ? 6 : 3
          const [above, below] = [await pixel(page, x + across, y - across), await pixel(page, x + across, y + across)]
          expect(isNear(above, colour ?? [])).toBe(false)
          if (zoom === 13) expect(isNear(below, colour ?? [])).toBe(true)
        })
  })

  test('says below each layer that is shown what its colours mean', async () => {
    const several = ['warnings', 'fuel', 'chargers', 'weather', 'air', 'risk', 'sections', 'traffic', 'incidents', 'trains']
    const layers = `${several},v16,cameras`
    await onMap({ key: await stage.service.key('ENTERPRISE'), hash: `#layers=${layers}` }, async (page) => {
      for (const layer of several) {
        const items = page.locator(`#layers > li:has(#layer-${layer}) .colours li`)
        expect([layer, await items.count()]).toEqual([layer, expect.toSatisfy((count: number) => count > 2)])
        for (const text of await items.allInnerTexts()) expect(text).toMatch(/[a-z0-9]/)
        expect(await items.first().isVisible()).toBe(true)
        expect(await items.locator('svg path').count()).toBe(await items.count())
        expect(await page.locator(`#layers li:has(#layer-${layer}) label stop`).count()).toBeGreaterThan(2)
      }
      expect(await page.locator('#layers > li:has(#layer-v16) .colours').count()).toBe(0)
      await page.locator('#layer-fuel').uncheck()
      expect(await page.locator('#layers > li:has(#layer-fuel) .colours').isVisible()).toBe(false)
      expect(await barriersOf(page)).toEqual([])
    })
  })

  test('shows all of the mainland on a phone at first, and the chosen thing beside its card', async () => {
    await onMap({ size: PHONE, look: 'dark' }, async (page, { complaints }) => {
      expect(await page.locator('#search').isVisible()).toBe(false)
      await until('the view in the URL', async () => page.url().includes('map='))
      const [zoom, lat, lon] = (/map=([\d.]+)\/([\d.-]+)\/([\d.-]+)/.exec(page.url()) ?? []).slice(1).map(Number) as [
        number,
        number,
        number,
      ]
      const [map, panel] = [await boxOf(page, '#map canvas'), await boxOf(page, '.panel')]
      const middle = mercator([lon, lat], zoom)
      for (const corner of CORNERS) {
        const [x, y] = mercator(corner, zoom).map((value, at) => value - (middle[at] as number)) as [number, number]
        expect(map.width / 2 + x).toBeGreaterThan(0)
        expect(map.width / 2 + x).toBeLessThan(map.width)
        expect(map.height / 2 + y).toBeGreaterThan(0)
        expect(map.y + map.height / 2 + y).toBeLessThan(panel.y)
      }
      await page.click('.panel summary')
      await page.locator('#list button').first().click()
      expect(await page.locator('#search').isVisible()).toBe(false)
      const card = await boxOf(page, '#card')
      expect(await barriersOf(page)).toEqual([])
      const [x, y] = [Math.round(map.x + map.width / 2), Math.round((map.y + card.y) / 2)]
      await until('the ring', async () => isNear(await pixel(page, x - 19, y), [11, 87, 196]), 20_000)
      await page.click('#card .close')
      await until('no ring', async () => !isNear(await pixel(page, x - 19, y), [11, 87, 196]), 20_000)
      expect(await page.locator('#search').isVisible()).toBe(true)
      expect(complaints).toEqual([])
    })
  })

  test('closes its panel on a phone without moving anything', async () => {
    const context = await stage.browser.newContext({ viewport: PHONE })
    try {
      context.setDefaultTimeout(90_000)
      const page = await context.newPage()
      // The page is seen before its module has arrived.
      await page.route(/map\/map\.js/, (route) => new Promise((done) => setTimeout(done, 1000)).then(() => route.continue()))
      await page.goto(`${stage.service.url}/map?lang=en`, { waitUntil: 'commit' })
      const panel = page.locator('.panel:not([data-ready])')
      await panel.waitFor()
      const before = (await boxOf(page, '.panel')).height
      await page.waitForSelector('.panel[data-ready]')
      expect((await boxOf(page, '.panel')).height).toBe(before)
    } finally {
      await context.close()
    }
  })

  test('keeps the open card in its URL, and opens it again from there', async () => {
    let hash = ''
    let title = ''
    await onMap({ hash: '#layers=incidents' }, async (page) => {
      await page.locator('#list button').first().click()
      title = (await page.locator('#card h2').textContent()) ?? ''
      await until('the card in the URL', async () => page.url().includes('card=incidents:'))
      hash = new URL(page.url()).hash
      const link = page.locator('#card a:has(code)')
      expect([await link.getAttribute('target'), await link.getAttribute('href')]).toEqual(['_blank', await link.textContent()])
    })
    await onMap({ hash }, async (page) => {
      await until('the card', () => page.locator('#card').isVisible())
      expect(await page.locator('#card h2').textContent()).toBe(title)
      await page.keyboard.press('Escape')
      expect(page.url()).not.toContain('card=')
    })
    await onMap({ hash: '#layers=incidents&card=incidents:none' }, async (page) => {
      await page.locator('#list button').first().waitFor()
      expect(await page.locator('#card').isVisible()).toBe(false)
    })
  })

  test('opens a card from the list by keyboard, with the request behind it', async () => {
    await onMap({}, async (page) => {
      const first = page.locator('#list button').first()
      await first.waitFor()
      await first.focus()
      await page.keyboard.press('Enter')
      const path = await page.locator('#card code').textContent()
      expect((await stage.service.get(path as string)).status).toBe(200)
      await page.keyboard.press('Escape')
      expect(await page.locator('#card').isVisible()).toBe(false)
    })
  })

  test('shows the prices of the chosen product, which its URL keeps', async () => {
    await onMap({ hash: '#layers=fuel&fuel=DIESEL_A' }, async (page, { urls }) => {
      const asked = (fuel: string) => urls.some((url) => url.includes(`/api/gas-stations?`) && url.includes(`fuel=${fuel}`))
      await until('a request of diesel', async () => asked('DIESEL_A'))
      expect(asked('GASOLINE_95_E5')).toBe(false)
      await page.getByLabel('Fuel', { exact: true }).selectOption('Petrol 98')
      await until('a request of petrol', async () => asked('GASOLINE_98_E5'))
      expect(page.url()).toContain('fuel=GASOLINE_98_E5')
      expect(await barriersOf(page)).toEqual([])
    })
  })

  test('keeps layers and view in its URL, and locked layers locked', async () => {
    await onMap({ hash: '#map=8/40.4/-3.7&layers=v16' }, async (page, { urls }) => {
      await page.locator('#layer-fuel').check()
      await until('the layer in the URL', async () => /#map=8\/40\.4\/-3\.7&layers=.*fuel/.test(page.url()))
      expect(await page.locator('#layer-trains').isDisabled()).toBe(true)
      expect(urls.filter((url) => /trenes|buques|aviacion/.test(url))).toEqual([])
    })
    await onMap({ key: await stage.service.key('PRO'), hash: '#layers=trains' }, async (page, { urls }) => {
      await until('a request of trains', async () => urls.some((url) => url.includes('/api/trenes/posiciones')))
      expect(await page.locator('#layer-trains').isChecked()).toBe(true)
    })
  })

  test.each([
    ['light', WIDE],
    ['dark', PHONE],
  ] as const)('has no barrier that axe finds: %s, %j', async (look, size) => {
    await onMap({ look, size }, async (page) => {
      expect(await barriersOf(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(size.width)
    })
  })
})
