import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { BrowserStage } from '../helpers/browser.ts'

/** Size of a small phone and of a desk, in CSS pixels. */
export const PHONE = { width: 320, height: 640 }
export const DESK = { width: 1400, height: 1000 }
/** Each language, colour scheme and size, in pairs. */
export const LOOKS = [
  ['es', 'light', PHONE],
  ['es', 'dark', DESK],
  ['en', 'light', DESK],
  ['en', 'dark', PHONE],
] as const

/** The view of a page. */
export interface Look {
  readonly path: string
  readonly query?: string
  readonly lang: string
  readonly look: 'light' | 'dark'
  readonly size: { readonly width: number; readonly height: number }
}

/** Opens a page of the stage's service; a folder in SCREENSHOTS gets a screenshot after `work`. */
export async function onPage(
  stage: BrowserStage,
  { path, query = '', lang, look, size }: Look,
  work: (page: Page, complaints: string[]) => Promise<void>,
): Promise<void> {
  const options: BrowserContextOptions = { colorScheme: look, viewport: size, locale: lang }
  const context = await stage.browser.newContext(options)
  try {
    context.setDefaultTimeout(90_000)
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    await page.goto(`${stage.service.url}${path}${query}`)
    await work(page, complaints)
    const folder = process.env['SCREENSHOTS']
    if (folder) {
      const name = path.replaceAll(/\W+/g, '-').replace(/^-/, '') || 'start'
      await page.screenshot({ path: `${folder}/${name}-${lang}-${look}-${size.width}.png`, fullPage: true })
    }
  } finally {
    await context.close()
  }
}

/** Checks that a page is in a language, fits the screen, has contrast and one title. */
export async function expectReadable(page: Page, { lang, size }: Pick<Look, 'lang' | 'size'>): Promise<void> {
  expect(await page.locator('html').getAttribute('lang')).toBe(lang)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(size.width)
  expect(await page.evaluate<number>(`(${CONTRAST})()`)).toBeGreaterThan(4.5)
  expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
}

/** Runs in a page: the least contrast (WCAG) of a cell's signs and words with their background. */
const CONTRAST = `() => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })
  const luminance = (colour) => {
    canvas.fillStyle = colour
    canvas.fillRect(0, 0, 1, 1)
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((value) => {
      const part = value / 255
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const probe = document.createElement('div')
  document.body.append(probe)
  const ground = luminance(matchMedia('(prefers-color-scheme: dark)').matches ? '#121212' : '#ffffff')
  probe.remove()
  return Math.min(...[...document.querySelectorAll('td span, p span, td, th, caption, a')].map((one) => {
    const ink = luminance(getComputedStyle(one).color)
    return (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05)
  }))
}`
