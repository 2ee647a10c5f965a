import type { Page } from 'playwright-core'
import type { BrowserStage } from '../helpers/browser.ts'

export const WIDE = { width: 1200, height: 800 }

/** Opens the map and waits until it is drawn; `work` gets also what the browser complained of, and every requested URL. */
export const mapOf =
  (stage: BrowserStage) =>
  async (
    { hash = '', look = 'light', size = WIDE, key = '' }: { hash?: string; look?: 'light' | 'dark'; size?: typeof WIDE; key?: string },
    work: (page: Page, seen: { readonly complaints: string[]; readonly urls: string[] }) => Promise<void>,
  ): Promise<void> => {
    const context = await stage.browser.newContext({ colorScheme: look, viewport: size, locale: 'en', reducedMotion: 'reduce' })
    try {
      context.setDefaultTimeout(90_000)
      const page = await context.newPage()
      const seen = { complaints: [] as string[], urls: [] as string[] }
      page.on('console', (message) => {
        // SwiftShader, which draws without a graphics card, warns of reading pixels.
        if (['error', 'warning'].includes(message.type()) && !/GPU stall|swiftshader/i.test(message.text()))
          seen.complaints.push(message.text())
      })
      page.on('pageerror', (error) => seen.complaints.push(error.message))
      page.on('request', (request) => seen.urls.push(request.url()))
      if (key !== '') await page.addInitScript(`sessionStorage.setItem('key', '${key}')`)
      await page.goto(`${stage.service.url}/map?lang=en${hash}`)
      await page.waitForSelector('#map[data-state=ready]')
      await work(page, seen)
    } finally {
      await context.close()
    }
  }

/** The place of an element in the window, CSS pixels. Throws if it has none. */
export async function boxOf(page: Page, selector: string): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await page.locator(selector).boundingBox()
  if (!box) throw new Error(`${selector} has no place`)
  return box
}

/** The colour of a pixel of the page, as red, green and blue. */
export async function pixel(page: Page, x: number, y: number): Promise<readonly number[]> {
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

/** True for two colours that differ by no more than drawing does. */
export const isNear = (one: readonly number[], other: readonly number[]): boolean =>
  one.every((value, at) => Math.abs(value - (other[at] as number)) <= 12)
