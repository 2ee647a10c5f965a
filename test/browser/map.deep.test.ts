import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { browserPath, browserStage } from '../helpers/browser.ts'
import { until } from '../helpers/until.ts'
import { mapOf, WIDE } from './on-map.ts'
import { barriersOf } from './on-page.ts'

const stage = browserStage()
const onMap = mapOf(stage)

/** The colour of a pixel of the page, as red, green and blue. */
async function pixel(page: Page, x: number, y: number): Promise<readonly number[]> {
  const png = (await page.screenshot({ clip: { x, y, width: 1, height: 1 } })).toString('base64')
  return page.evaluate(`(async () => {
    const image = new Image()
    image.src = 'data:image/png;base64,${png}'
    await image.decode()
    const pen = new OffscreenCanvas(1, 1).getContext('2d')
    pen.drawImage(image, 0, 0)
    return [...pen.getImageData(0, 0, 1, 1).data.slice(0, 3)]
  })()`)
}

describe.skipIf(!browserPath)('the map', () => {
  test('shows what the API says, where it says it, and asks nobody else', async () => {
    const response = await stage.service.open('/api/incidents?format=geojson&limit=20')
    const { features } = (await response.json()) as { features: { geometry: { type: string; coordinates: [number, number] } | null }[] }
    await onMap({}, async (page, { complaints, urls }) => {
      const note = page.locator('#layers li', { hasText: 'Incidents' }).locator('.note')
      await until('all incidents', async () => (await note.textContent())?.startsWith(`${features.length},`) === true)
      expect(urls.filter((url) => !url.startsWith(stage.service.url) && !url.startsWith('data:'))).toEqual([])
      expect(complaints).toEqual([])
    })
    const points = features.flatMap(({ geometry }) => (geometry?.type === 'Point' ? [geometry.coordinates] : []))
    expect(points.length).toBeGreaterThan(0)
    for (const [lon, lat] of points)
      await onMap({ hash: `#map=13/${lat}/${lon}&layers=incidents` }, async (page) => {
        const box = await page.locator('#map canvas').boundingBox()
        if (!box) throw new Error('no canvas')
        const at = await pixel(page, Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2))
        // Land and roads are nearly grey or pale; signs of incidents are not.
        expect(Math.max(...at) - Math.min(...at)).toBeGreaterThan(90)
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
    ['dark', { width: 360, height: 740 }],
  ] as const)('has no barrier that axe finds: %s, %j', async (look, size) => {
    await onMap({ look, size }, async (page) => {
      expect(await barriersOf(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(size.width)
    })
  })
})
