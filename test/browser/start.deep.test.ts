import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { isWellFormed } from '../../api/auth/keys/key-format.ts'
import { browserPath, browserStage } from '../helpers/browser.ts'

const stage = browserStage()

type Size = { readonly width: number; readonly height: number }
const PHONE: Size = { width: 320, height: 640 }
const DESK: Size = { width: 1400, height: 1000 }

/** Opens the start page. Returns also what the page's policy forbade. */
async function onStartPage(
  options: { readonly lang: string; readonly look: 'light' | 'dark'; readonly size: Size },
  work: (page: Page, complaints: string[]) => Promise<void>,
): Promise<void> {
  const context = await stage.browser.newContext({ colorScheme: options.look, viewport: options.size, locale: options.lang })
  try {
    // A machine that runs other tests beside may take its time.
    context.setDefaultTimeout(90_000)
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    await page.goto(stage.service.url)
    await work(page, complaints)
  } finally {
    await context.close()
  }
}

/** Runs in a page: the mean brightness of an image's pixels, 0 to 255, and the number of different ones. */
const LOOKS = `async (source) => {
  const image = new Image()
  image.src = source
  await image.decode()
  const canvas = new OffscreenCanvas(image.width, image.height)
  const context = canvas.getContext('2d')
  context.drawImage(image, 0, 0)
  const { data } = context.getImageData(0, 0, image.width, image.height)
  let sum = 0
  const seen = new Set()
  for (let at = 0; at < data.length; at += 4) {
    sum += data[at] + data[at + 1] + data[at + 2]
    seen.add((data[at] << 16) | (data[at + 1] << 8) | data[at + 2])
  }
  return { brightness: sum / (data.length * 0.75), colours: seen.size }
}`

async function looksOf(page: Page): Promise<{ readonly brightness: number; readonly colours: number }> {
  const png = await page.screenshot()
  const reader = await page.context().newPage()
  try {
    return await reader.evaluate(`(${LOOKS})('data:image/png;base64,${png.toString('base64')}')`)
  } finally {
    await reader.close()
  }
}

const widthOf = (page: Page): Promise<number> => page.evaluate('document.documentElement.scrollWidth')

describe.skipIf(!browserPath)('the start page in a browser', () => {
  test('the live map takes the place of the picture, with the colours and counts of its legend, and asks nobody else', async () => {
    await onStartPage({ lang: 'en', look: 'light', size: DESK }, async (page, complaints) => {
      const urls: string[] = []
      page.on('request', (request) => urls.push(request.url()))
      await page.waitForSelector('.live.ready')
      const { total } = await stage.service.json('/api/incidents?limit=1')
      expect(await page.locator('.spain li.incident').textContent()).toMatch(new RegExp(`^${total} `))
      expect(urls.filter((url) => !url.startsWith(stage.service.url) && !url.startsWith('data:'))).toEqual([])
      expect(complaints.filter((text) => !/GPU stall|swiftshader/i.test(text))).toEqual([])
      const box = await page.locator('.live').boundingBox()
      expect(box, 'nothing moves').toEqual(await page.locator('.spain .frame').boundingBox())
      await page.locator('.canaries').click()
      await page.waitForURL(/\/map\?lang=en#map=6\.4/)
    })
  })

  test.each([
    ['es', 'light', PHONE],
    ['es', 'dark', DESK],
    ['en', 'light', DESK],
    ['en', 'dark', PHONE],
  ] as const)('in %s, %s, fits the screen and can be read', async (lang, look, size) => {
    await onStartPage({ lang, look, size }, async (page, complaints) => {
      expect(await page.locator('html').getAttribute('lang')).toBe(lang)
      expect(await widthOf(page)).toBeLessThanOrEqual(size.width)
      const { brightness, colours } = await looksOf(page)
      // Text on a ground, not a blank screen; in the requested look.
      expect(colours).toBeGreaterThan(20)
      if (look === 'dark') expect(brightness).toBeLessThan(100)
      else expect(brightness).toBeGreaterThan(180)
      // The roles that a screen reader uses.
      expect(await page.getByRole('main').count()).toBe(1)
      expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
      await page.getByRole('region', { name: lang === 'es' ? 'Ahora mismo' : 'Right now' }).waitFor()
      await page.getByRole('textbox', { name: lang === 'es' ? 'Correo electrónico' : 'E-mail' }).waitFor()
      expect(complaints).toEqual([])
    })
  })

  test('by the keyboard alone a visitor gets a key, and the shown request works', async () => {
    await onStartPage({ lang: 'en', look: 'light', size: PHONE }, async (page, complaints) => {
      for (let tabs = 0; tabs < 12; tabs++) {
        await page.keyboard.press('Tab')
        if (await page.evaluate("document.activeElement?.id === 'email'")) break
      }
      await page.keyboard.type('keyboard@example.org')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Your first call' }).waitFor()
      const key = (await page.getByRole('status').textContent()) ?? ''
      expect(isWellFormed(key)).toBe(true)
      expect(await widthOf(page)).toBeLessThanOrEqual(PHONE.width)
      expect((await stage.service.open('/api/incidents', { 'X-API-Key': key })).status).toBe(200)
      expect(complaints).toEqual([])
    })
  })

  test('a stranger gets from home to the first request with a key in at most five clicks', async () => {
    await onStartPage({ lang: 'en', look: 'light', size: DESK }, async (page, complaints) => {
      let clicks = 0
      const click = async (name: string): Promise<void> => {
        clicks++
        await page.getByRole('button', { name, exact: true }).click()
      }
      await page.getByRole('textbox', { name: 'E-mail' }).fill('stranger@example.org')
      await click('Make my key')
      await page.getByRole('heading', { name: 'Your first call' }).waitFor()
      const answered = page.waitForResponse((response) => response.url().includes('/api/incidents'))
      await click('Send it here')
      const response = await answered
      expect([response.status(), isWellFormed(response.request().headers()['x-api-key'] ?? '')]).toEqual([200, true])
      await page.getByText('HTTP 200').waitFor()
      expect(clicks).toBeLessThanOrEqual(5)
      expect(complaints).toEqual([])
    })
  })

  test('input that the browser accepts and we refuse is reported at the field', async () => {
    await onStartPage({ lang: 'es', look: 'dark', size: DESK }, async (page) => {
      await page.getByRole('textbox').fill('ana@localhost')
      await page.getByRole('button', { name: 'Crear mi clave' }).click()
      await page.getByRole('alert').waitFor()
      expect(await page.getByRole('textbox').getAttribute('aria-describedby')).toBe('notice')
      expect(await page.getByRole('textbox').inputValue()).toBe('ana@localhost')
    })
  })
})
