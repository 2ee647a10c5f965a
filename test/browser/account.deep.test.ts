import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { browserPath, browserStage } from '../helpers/browser.ts'
import { fillAccount } from './filled.ts'
import { DESK, expectReadable, LOOKS, type Look, onPage } from './on-page.ts'

const time = { now: Date.now() }
const stage = browserStage({ clock: () => time.now, supportContact: 'mailto:support@example.org' })
let account = ''
beforeAll(async () => {
  if (browserPath) account = await fillAccount(stage.service, time)
}, 120_000)

/** Opens the account like its owner, by the mailed link. */
async function onAccount(look: Omit<Look, 'path'>, work: (page: Page, complaints: string[]) => Promise<void>): Promise<void> {
  const token = (await stage.service.access.tokens.link(account)) as string
  await onPage(stage, { path: '/account', query: `?token=${token}`, ...look }, async (page, complaints) => {
    await page.getByRole('button').click()
    await page.getByRole('heading', { level: 2, name: look.lang === 'es' ? 'Claves' : 'Keys' }).waitFor()
    await work(page, complaints)
  })
}

describe.skipIf(!browserPath)('the account in a browser', () => {
  test.each(LOOKS)('in %s, %s, fits the screen, has contrast and names for all', async (lang, look, size) => {
    await onAccount({ lang, look, size }, async (page, complaints) => {
      const es = lang === 'es'
      await expectReadable(page, { lang, size })
      const chart = page.getByRole('img', {
        name: es ? /^Peticiones por día de .*\(production\)$/ : /^Requests by day of .*\(production\)$/,
      })
      expect((await chart.boundingBox())?.height).toBeGreaterThan(40)
      await page.getByText(es ? 'Los números de cada día' : 'The numbers of each day').click()
      await page.getByRole('cell', { name: /%/ }).nth(20).waitFor()
      await page
        .getByRole('region', { name: 'Webhooks' })
        .getByText(es ? 'falla' : 'failing', { exact: true })
        .waitFor()
      const paths = page.getByRole('table', {
        name: es ? /^Peticiones por ruta de .*\(production\)$/ : /^Requests by path of .*\(production\)$/,
      })
      await paths.getByRole('cell', { name: '/api/freshness' }).waitFor()
      await page.getByRole('cell', { name: 'exp_0123456789abcdef0123' }).waitFor()
      expect(complaints).toEqual([])
    })
  })

  test('turns a webhook off and on by its buttons', async () => {
    await onAccount({ lang: 'en', look: 'light', size: DESK }, async (page, complaints) => {
      await page.getByRole('button', { name: 'Turn off' }).first().click()
      await page.getByText('disabled', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Turn on' }).first().click()
      await page.getByText('failing', { exact: true }).waitFor()
      expect(complaints).toEqual([])
    })
  })
})
