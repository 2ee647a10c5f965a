import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { browserPath, browserStage } from '../helpers/browser.ts'
import { until } from '../helpers/until.ts'
import { DESK, onPage } from './on-page.ts'

const NARROW = { width: 360, height: 740 }
const stage = browserStage({ clock: () => Date.UTC(2026, 0, 3, 12) })

const on = (path: string, size: typeof DESK, work: (page: Page) => Promise<void>, lang = 'en'): Promise<void> =>
  onPage(stage, { path, query: `?lang=${lang}`, lang, look: 'light', size }, async (page, complaints) => {
    await work(page)
    expect(complaints).toEqual([])
  })

/** Presses Tab until an element has the focus. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let tabs = 0; tabs < 60; tabs++) {
    await page.keyboard.press('Tab')
    if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return
  }
  throw new Error(`${selector} is not reached`)
}

const shown = (page: Page): Promise<number> => page.locator('.datasets > li:visible').count()

describe.skipIf(!browserPath)('the catalogue in a browser', () => {
  test('datasets are searched while typing, by keyboard, and the count is announced', async () => {
    const { datasets } = await stage.service.json('/api/datasets')
    await on('/datasets', DESK, async (page) => {
      const status = page.getByRole('status')
      expect(await status.textContent()).toBe(`${datasets.length} of ${datasets.length} datasets`)
      await tabTo(page, '#q')
      await page.keyboard.type('train POSITIONS')
      await until('fewer datasets are shown', async () => (await shown(page)) < 10)
      const count = await shown(page)
      expect(count).toBeGreaterThan(0)
      expect(await status.textContent()).toBe(`${count} of ${datasets.length} datasets`)
      expect(await page.locator('a[href^="/datasets/rail_positions"]').isVisible()).toBe(true)
      await page.keyboard.type(' nosuchword')
      await page.getByText('No dataset matches.').waitFor()
      expect(await status.textContent()).toBe(`0 of ${datasets.length} datasets`)
    })
  })

  test('datasets are filtered by domain and licence, by keyboard, and without scripts', async () => {
    const { datasets } = await stage.service.json('/api/datasets?domain=road&licence=CC BY 4.0')
    await on('/datasets', DESK, async (page) => {
      await tabTo(page, '#domain')
      await page.keyboard.type('Roads')
      await tabTo(page, '#licence')
      await page.keyboard.type('CC BY 4.0')
      await tabTo(page, '#filters button')
      await page.keyboard.press('Enter')
      await page.waitForURL(/domain=road&licence=CC\+BY\+4\.0/)
      expect(await shown(page)).toBe(datasets.length)
      expect(await page.getByRole('status').textContent()).toMatch(new RegExp(`^${datasets.length} of `))
      await page.getByRole('link', { name: 'Clear filters' }).click()
      await until('all datasets are shown', async () => (await shown(page)) > datasets.length)
    })
  })

  test("a dataset's page fits a phone: chart and map have names, and wide tables scroll inside themselves", async () => {
    const { newest_snapshots: newest } = await stage.service.json('/api/datasets/incidents')
    await on('/datasets/incidents', NARROW, async (page) => {
      const chart = page.getByRole('img', { name: /^Rows a day from .* the most is 354\.$/ })
      expect((await chart.boundingBox())?.width).toBeGreaterThan(300)
      await page.getByText('The same numbers as a table').click()
      await page.getByRole('table', { name: 'Rows a day' }).getByRole('cell', { name: '354' }).waitFor()
      const map = page.getByRole('img', { name: 'Map of Spain with 1 positions of the sample' })
      const points = await map.locator('path.points').getAttribute('d')
      expect(points?.match(/M/g)).toHaveLength(1)
      await tabTo(page, '[aria-label="Sample"]')
      await page.keyboard.press('ArrowRight')
      await until('the table has scrolled', () => page.evaluate('document.activeElement.scrollLeft > 0'))
      for (const name of ['Sample', 'Schema: incidents', 'Versions'])
        expect(await page.getByRole('table', { name, exact: true }).count(), name).toBe(1)
      await page.getByRole('table', { name: 'Versions' }).getByText(newest[0].id, { exact: true }).waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(NARROW.width)
    })
  })

  test('a source leads to its licence and its datasets', async () => {
    await on('/sources', NARROW, async (page) => {
      const card = page.locator('article#dgt')
      expect(await card.getByRole('link', { name: /CC BY/ }).getAttribute('href')).toMatch(/^https?:/)
      // Some have more datasets than are shown.
      await page.evaluate("document.querySelectorAll('#dgt details').forEach((one) => (one.open = true))")
      await card.getByRole('link', { name: 'incidents', exact: true }).click()
      await page.getByRole('heading', { level: 1, name: 'Road incidents' }).waitFor()
    })
  })

  test('a model has its card, its error beside the plain rule, and the way back', async () => {
    await on('/models/fuel', NARROW, async (page) => {
      const bars = page.getByRole('table', { name: 'Error relative to the plain rule' })
      expect(await bars.getByRole('row').count()).toBeGreaterThan(0)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(NARROW.width)
      await page.getByRole('link', { name: 'All models' }).click()
      await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor()
    })
  })
})
