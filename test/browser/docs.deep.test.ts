import type { BrowserContext, Page, Request } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { domains } from '../../api/endpoints/catalog.ts'
import { incidents } from '../../lake/datasets/road/incidents.ts'
import { exampleRow } from '../api/service.ts'
import { browserPath, browserStage } from '../helpers/browser.ts'

const stage = browserStage()

/** A page of the browser, and its activity. */
interface RequestContext {
  readonly page: Page
  readonly requests: Request[]
  /** The failures in it: errors, and requests that the page's policy forbade. */
  readonly complaints: string[]
}

type Look = 'light' | 'dark'

async function visit(
  path: string,
  colorScheme: Look,
  work: (visit: RequestContext) => Promise<void>,
  prepare: (context: BrowserContext) => Promise<unknown> = async () => undefined,
): Promise<void> {
  const context: BrowserContext = await stage.browser.newContext({ colorScheme, viewport: { width: 1400, height: 1000 } })
  try {
    // A machine that runs other tests beside may take its time.
    context.setDefaultTimeout(90_000)
    await prepare(context)
    const page = await context.newPage()
    const seen: RequestContext = { page, requests: [], complaints: [] }
    context.on('request', (request) => seen.requests.push(request))
    page.on('pageerror', (error) => seen.complaints.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') seen.complaints.push(message.text())
    })
    await page.goto(`${stage.service.url}${path}`)
    await work(seen)
  } finally {
    await context.close()
  }
}

/** Where requests went, except those for the page's own bytes. */
const hostsOf = ({ requests }: RequestContext): string[] => [
  ...new Set(requests.map((one) => new URL(one.url()).origin).filter((one) => one !== 'null')),
]

/** The brightness of a colour such as `rgb(1, 2, 3)`, 0 to 255. */
function brightness(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (/rgba?\(([^)]+)\)/.exec(colour)?.[1] ?? '').split(',').map(Number)
  return (red + green + blue) / 3
}

const styleOf = (page: Page, selector: string, name: string): Promise<string> =>
  page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).getPropertyValue(${JSON.stringify(name)})`)

describe.skipIf(!browserPath)('the documentation in a browser', () => {
  test.each([
    ['es', 'dark', 'Abrir búsqueda'],
    ['en', 'light', 'Open Search'],
  ] as const)('shows every path, in %s and %s, and sends no request elsewhere', async (lang, look, word) => {
    await visit(`/docs?lang=${lang}`, look, async (seen) => {
      const { page, complaints } = seen
      const operation = page.getByRole('heading', { name: 'Active incidents on Spanish roads' })
      await operation.waitFor()
      await page.getByRole('button', { name: word }).first().waitFor()
      for (const domain of [...domains.map(({ id }) => id), 'account', 'platform'])
        await page.getByRole('button', { name: new RegExp(` - ${domain}$`) }).waitFor()
      // Those of a domain are shown once, under it.
      expect(await page.getByRole('button', { name: / - data$/ }).count()).toBe(0)
      const [paper, ink] = [await styleOf(page, 'body', 'background-color'), await styleOf(page, 'h1', 'color')].map(brightness) as [
        number,
        number,
      ]
      expect(look === 'dark' ? ink - paper : paper - ink).toBeGreaterThan(100)
      expect(complaints).toEqual([])
      expect(hostsOf(seen)).toEqual([stage.service.url])
    })
  })

  test("tries a request with the visitor's key, shows how to send it from three languages, and keeps no key", async () => {
    const { key } = await stage.service.access.accounts.create({ email: 'docs@example.org', label: null, language: 'es' })
    await visit('/docs?lang=en', 'light', async (seen) => {
      const { page, requests, complaints } = seen
      await page.getByRole('heading', { name: 'Active incidents on Spanish roads' }).waitFor()
      await page.getByRole('button', { name: 'More' }).click()
      const clients = await page.getByRole('option').allInnerTexts()
      expect(clients.map((one) => one.trim())).toEqual(['Fetch', 'http.client', 'Requests', 'Curl'])
      await page.keyboard.press('Escape')
      await page.locator('input[placeholder^="QUx"], input[type=password]').first().fill(key)
      await page.getByText(/^curl/).first().waitFor()
      await page.getByRole('button', { name: /^Test Request.*get \/api\/incidents\)$/s }).click()
      const [response] = await Promise.all([
        page.waitForResponse((one) => new URL(one.url()).pathname === '/api/incidents'),
        page.getByRole('button', { name: /^Send/ }).first().click(),
      ])
      expect(response.status()).toBe(200)
      expect(await response.request().headerValue('x-api-key')).toBe(key)
      // Only the parameters of the example, which fit each other.
      expect([...new URL(response.url()).searchParams.keys()]).toEqual(['province', 'type'])
      await page.getByText('200 OK').waitFor()
      expect(complaints).toEqual([])
      expect(hostsOf(seen)).toEqual([stage.service.url])
      expect(requests.filter((one) => one.url().includes(key))).toEqual([])

      const kept = await page.evaluate(
        `(async () => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, await indexedDB.databases()]))()`,
      )
      expect(kept).not.toContain(key)
      expect(kept).toContain('[]')
      await page.reload()
      await page.getByRole('heading', { name: 'Active incidents on Spanish roads' }).waitFor()
      expect(
        await page.locator('input').evaluateAll((inputs) => inputs.map((one) => (one as unknown as { value: string }).value)),
      ).not.toContain(key)
    })
  })

  test('requests an existing record, where the example has to make one up', async () => {
    await stage.service.publish(incidents, [exampleRow(incidents, { incident_id: 'inc_OFNOW0000001' })])
    await visit('/docs?lang=en', 'light', async ({ page, complaints }) => {
      await page.getByRole('heading', { name: 'Active incidents on Spanish roads' }).waitFor()
      await page.locator('a[href$="#tag/road/GET/api/incidents/{id}"]').first().click()
      await page.getByRole('button', { name: /^Test Request.*get \/api\/incidents\/{id}\)$/s }).click()
      const [response] = await Promise.all([
        page.waitForResponse((one) => /^\/api\/incidents\/[^/]+$/.test(new URL(one.url()).pathname)),
        page.getByRole('button', { name: /^Send/ }).first().click(),
      ])
      expect(new URL(response.url()).pathname).toBe('/api/incidents/inc_OFNOW0000001')
      // Without a key none is sent, not an empty one.
      expect(response.status()).toBe(200)
      expect(complaints).toEqual([])
    })
  })

  test('explains a missing description', async () => {
    const problem = { title: 'A limit was reached', detail: 'More requests than are admitted.' }
    await visit(
      '/docs',
      'light',
      ({ page }) => page.getByText('A limit was reached: More requests than are admitted.').waitFor(),
      (context) => context.route('**/openapi.json', (route) => route.fulfill({ status: 429, json: problem })),
    )
  })

  test('would be stopped where it asked somebody else', async () => {
    await visit('/docs?lang=en', 'light', async (seen) => {
      const { page, complaints } = seen
      await page.getByRole('heading', { name: 'Active incidents on Spanish roads' }).waitFor()
      await page.evaluate(`fetch('https://example.org/').catch(() => null)`)
      await page.evaluate(`document.body.append(Object.assign(new Image(), { src: 'https://example.org/a.png' }))`)
      await page.evaluate(`document.body.append(Object.assign(document.createElement('script'), { text: 'window.ran = true' }))`)
      for (const directive of ['connect-src', 'img-src', 'script-src'])
        await expect
          .poll(() => complaints.filter((one) => one.includes('Content Security Policy') && one.includes(directive)))
          .not.toEqual([])
      expect(await page.evaluate('window.ran')).toBeUndefined()
    })
  })
})

describe.skipIf(!browserPath)('a page in a browser', () => {
  test.each([
    ['/changelog?lang=es', 'dark'],
    ['/changelog?lang=en', 'light'],
    ['/problems/not-found?lang=es', 'dark'],
    ['/account', 'light'],
  ] as const)('%s is readable when it is %s, by keyboard too', async (path, look) => {
    await visit(path, look, async ({ page, complaints }) => {
      const ink = brightness(await styleOf(page, 'h1', 'color'))
      expect(look === 'dark' ? ink : 255 - ink).toBeGreaterThan(200)
      expect(await styleOf(page, 'body', 'max-width')).not.toBe('none')
      await page.keyboard.press('Tab')
      expect(await page.evaluate('document.activeElement.matches("a, input, button")')).toBe(true)
      expect(complaints.filter((one) => !one.includes('404'))).toEqual([])
    })
  })
})
