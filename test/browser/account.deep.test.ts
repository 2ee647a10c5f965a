import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { writeWebhookState } from '../../api/features/webhooks/state.ts'
import { createJob } from '../../lake/exports/jobs.ts'
import { browserPath, browserStage } from '../helpers/browser.ts'
import { DESK, expectReadable, LOOKS, type Look, onPage } from './on-page.ts'

const DAY_MS = 86_400_000
let now = Date.now()
const stage = browserStage({ clock: () => now, supportContact: 'mailto:support@example.org' })
let account = ''

/** An account of a customer: two keys, a month of requests, a webhook that fails now and then, and an export job. */
beforeAll(async () => {
  if (!browserPath) return
  const { service } = stage
  const { accounts } = service.access
  const email = 'customer@example.org'
  const main = await accounts.create({ email, label: 'production', language: 'en', plan: 'ENTERPRISE' })
  await accounts.create({ email, label: 'trial', language: 'en' })
  account = main.account
  const today = now
  for (let day = 29; day >= 0; day--) {
    now = today - day * DAY_MS
    for (let asked = 0; asked <= 12 + 9 * Math.sin(day); asked++)
      await service.open(asked % 6 === 5 ? '/api/v16?x=1' : '/api/freshness', { 'X-API-Key': main.key })
    now += 60_000
    await service.requests.flush()
  }
  now = today + 60_000
  const made = await fetch(`${service.url}/api/webhooks`, {
    method: 'POST',
    headers: { 'X-API-Key': main.key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ url: 'https://receiver.example.org/traffic' }),
  })
  const { id } = (await made.json()) as { id: string }
  const delivery = { id: 'dlv_0123456789abcdef0123', event_id: 'evt_1', type: 'incident.created', offset: '1-0', created_at: now }
  const failed = { at: now, status: 503, ms: 212, error: 'not a 2xx status', retryAfter_s: null }
  await writeWebhookState(service.lake.store, id, {
    ...{ scanned: 1, isBehind: false, waiting: [], replay: null, failing_since: now, mailed_days: 0 },
    ...{ disabled_at: null, disabled_reason: null },
    deliveries: [
      { ...delivery, status: 'RETRYING', attempts: 2, last: failed, next_at: now + 300_000 },
      { ...delivery, id: 'dlv_1', status: 'DELIVERED', attempts: 1, last: { ...failed, status: 204, error: null }, next_at: null },
    ],
  })
  const [listed] = await accounts.list(account)
  await createJob(service.lake.store, {
    ...{ id: 'exp_0123456789abcdef0123', slot: listed?.slot as string, created_at: now, dataset: 'incidents' },
    ...{ from: null, to: null, province: null, columns: null, format: 'parquet', split: 'none' },
  })
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
