import { beforeAll, describe, expect, test } from 'vitest'
import { browserPath, browserStage } from '../helpers/browser.ts'
import { until } from '../helpers/until.ts'
import { fillStatus } from './filled.ts'
import { expectReadable, LOOKS, type Look, onPage, PHONE } from './on-page.ts'

const stage = browserStage()

beforeAll(async () => {
  if (browserPath) await fillStatus(stage.service, Date.now())
})

type StatusLook = Omit<Look, 'path'>
const onStatusPage = (look: StatusLook, work: Parameters<typeof onPage>[2]): Promise<void> =>
  onPage(stage, { path: '/status', ...look }, work)

describe.skipIf(!browserPath)('the state of the service in a browser', () => {
  test.each(LOOKS)('in %s, %s, fits the screen, has contrast and names for all', async (lang, look, size) => {
    await onStatusPage({ lang, look, size }, async (page, complaints) => {
      const es = lang === 'es'
      await expectReadable(page, { lang, size })
      expect(await page.getByRole('main').count()).toBe(1)
      await page.getByRole('region', { name: es ? 'Fuentes de datos' : 'Data feeds' }).waitFor()
      const bars = page.getByRole('img', { name: es ? /^Disponibilidad por día de Carreteras/ : /^Availability by day of Roads/ })
      expect((await bars.boundingBox())?.height).toBeGreaterThan(20)
      await page.evaluate("document.querySelectorAll('details.domain').forEach((one) => (one.open = true))")
      const feeds = page.getByRole('table', { name: es ? 'Fuentes de Carreteras' : 'Feeds of Roads' })
      await feeds
        .getByRole('rowheader', { name: es ? /[Ii]ncidencias/ : /[Ii]ncidents/ })
        .first()
        .waitFor()
      await feeds.getByRole('columnheader', { name: es ? 'Edad de los datos' : 'Age of the data' }).waitFor()
      const delivery = page.getByRole('region', { name: es ? 'Webhooks y flujos de eventos' : 'Webhooks and event streams' })
      await delivery.getByRole('rowheader', { name: 'Webhooks' }).waitFor()
      const groups = page.getByRole('table', { name: /\(UTC\)$/ })
      await groups.getByRole('rowheader', { name: es ? 'Carreteras' : 'Roads' }).waitFor()
      expect(await page.getByRole('status').innerText()).toMatch(es ? /Funciona|Todo funciona/ : /works/i)
      expect(complaints).toEqual([])
    })
  })

  test('is read by the keyboard alone: its tables scroll, and its list of paths opens', async () => {
    await onStatusPage({ lang: 'en', look: 'light', size: PHONE }, async (page, complaints) => {
      const focused = (selector: string): Promise<boolean> => page.evaluate(`document.activeElement?.matches('${selector}') ?? false`)
      const tabTo = async (selector: string): Promise<void> => {
        for (let tabs = 0; tabs < 60; tabs++) {
          await page.keyboard.press('Tab')
          if (await focused(selector)) return
        }
        throw new Error(`${selector} is not reached`)
      }
      await tabTo('#uptime ~ .scroll')
      await page.keyboard.press('ArrowRight')
      await until('the table has scrolled', () => page.evaluate('document.activeElement.scrollLeft > 0'))
      await tabTo('#uptime ~ details summary')
      await page.keyboard.press('Enter')
      await page.getByText('/api/incidents/{id}', { exact: true }).waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width)
      expect(complaints).toEqual([])
    })
  })
})
