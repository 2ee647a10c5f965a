import { beforeAll, describe, expect, test } from 'vitest'
import { newGroupCounts } from '../../lake/requests/durations.ts'
import { dayObject, encodeDay } from '../../lake/requests/uptime.ts'
import { FEEDS } from '../api/main/feed-listings.ts'
import { browserPath, browserStage } from '../helpers/browser.ts'
import { until } from '../helpers/until.ts'
import { expectReadable, LOOKS, type Look, onPage, PHONE } from './on-page.ts'

const stage = browserStage()

const DAY_MS = 86_400_000
/** A month with every kind of entry: groups that kept the promise and one that did not. */
beforeAll(async () => {
  if (!browserPath) return
  const now = Date.now()
  for (const { id, every_s } of FEEDS.slice(0, 8)) {
    const at = now - every_s * (id === 'sct_incidents' ? 2500 : id === 'fuel_stations' ? 4000 : 500)
    await stage.service.tell({ feed: id, last_attempt_at: now, last_success_at: at, fresh_at: at, data_time: at })
  }
  for (let at = now - 40 * DAY_MS; at < now - DAY_MS; at += DAY_MS) {
    const date = new Date(at).toISOString().slice(0, 10)
    const counts = { ...newGroupCounts(), requests: 1_234_567, refused: 60_000, failed: 321 }
    counts.durations[4] = 1_000_000
    counts.durations[12] = 90_000
    const groups = ['road', 'rail', 'fuel'].map((group, n) => ({ group, ...counts, failing: n === 1 ? [10, 11, 12] : [] }))
    await stage.service.lake.store.put(dayObject(date), encodeDay({ date, beats: [[0, 1440]], groups }))
  }
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
