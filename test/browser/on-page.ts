import axe, { type RunOptions } from 'axe-core'
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

/** Checks that a page is in a language, fits the screen, has one title and no barrier, such as too little contrast. */
export async function expectReadable(page: Page, { lang, size }: Pick<Look, 'lang' | 'size'>): Promise<void> {
  expect(await page.locator('html').getAttribute('lang')).toBe(lang)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(size.width)
  expect(await barriersOf(page)).toEqual([])
  expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
}

/** Returns what axe finds wrong with a page: each rule, with the elements that break it. `rules` are changes of its rules. */
export async function barriersOf(page: Page, rules: RunOptions['rules'] = {}): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  return await page.evaluate<string[]>(
    `axe.run({ rules: ${JSON.stringify(rules)} }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 120)).join(' | ')))`,
  )
}
