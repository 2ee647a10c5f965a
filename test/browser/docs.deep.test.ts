import axe from 'axe-core'
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

/** The violations of accessibility rules that axe finds in a page. */
const violations = (page: Page): Promise<string[]> =>
  page.evaluate(`(async () => { ${axe.source}; return (await axe.run()).violations.map(({ id, nodes }) => id + ': ' + nodes[0].html) })()`)

const OPERATION = '/docs/reference/road/incidents'

describe.skipIf(!browserPath)('the documentation in a browser', () => {
  test.each([
    ['es', 'dark', 360],
    ['en', 'light', 768],
    ['en', 'dark', 1440],
  ] as const)('fits and is accessible, in %s and %s at %s px, and sends no request elsewhere', async (lang, look, width) => {
    for (const path of ['/docs', '/docs/guides/quick-start', '/docs/reference/road', OPERATION])
      await visit(`${path}?lang=${lang}`, look, async (seen) => {
        const { page, complaints } = seen
        await page.setViewportSize({ width, height: 1000 })
        await page.getByRole('searchbox').waitFor()
        const [paper, ink] = [await styleOf(page, 'body', 'background-color'), await styleOf(page, 'h1', 'color')].map(brightness) as [
          number,
          number,
        ]
        expect(look === 'dark' ? ink - paper : paper - ink).toBeGreaterThan(100)
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), path).toBeLessThanOrEqual(0)
        expect(await violations(page), path).toEqual([])
        expect(complaints).toEqual([])
        expect(hostsOf(seen)).toEqual([stage.service.url])
      })
  })

  test('leads from every group to its operations', async () => {
    await visit('/docs?lang=en', 'light', async ({ page }) => {
      for (const { id, title } of domains) {
        const link = page.getByRole('navigation', { name: 'Guides and reference' }).getByRole('link', { name: title.en, exact: true })
        expect(await link.getAttribute('href')).toBe(`/docs/reference/${id}?lang=en`)
      }
      await page.getByRole('link', { name: /^Roads.*operations$/s }).click()
      await page.getByRole('link', { name: 'Active incidents on Spanish roads' }).first().click()
      await page.getByRole('heading', { name: 'Active incidents on Spanish roads' }).waitFor()
    })
  })

  test('finds guides and operations, without accents and in either language', async () => {
    await visit('/docs?lang=es', 'light', async ({ page, requests }) => {
      const found = async (text: string): Promise<string[]> => {
        await page.getByRole('searchbox').fill(text)
        await page.locator('#found li').first().waitFor()
        return await page.locator('#found a').evaluateAll((links) => links.map((one) => new URL((one as unknown as URL).href).pathname))
      }
      expect(requests.some((one) => one.url().includes('search-index'))).toBe(false)
      expect((await found('paginas'))[0]).toBe('/docs/guides/paging')
      expect(await found('incidents changes')).toContain('/docs/reference/road/incidents_changes')
      expect(await found('xyzxyz')).toEqual([])
    })
  })

  test("tries a request with the visitor's key, which stays in the tab, and shows the code in four languages", async () => {
    const { key } = await stage.service.access.accounts.create({ email: 'docs@example.org', label: null, language: 'es' })
    await visit(`${OPERATION}?lang=en`, 'light', async (seen) => {
      const { page, requests, complaints } = seen
      for (const [name, word] of [
        ['Python', 'urllib.request'],
        ['TypeScript', 'await fetch'],
        ['R', 'library(httr2)'],
        ['curl', 'curl '],
      ] as const) {
        await page.getByText(name, { exact: true }).click()
        await page.locator('.code:visible', { hasText: word }).waitFor()
      }
      await page.getByLabel('Your key (optional)').fill(key)
      const [response] = await Promise.all([
        page.waitForResponse((one) => new URL(one.url()).pathname === '/api/incidents'),
        page.getByRole('button', { name: 'Send' }).click(),
      ])
      expect(response.status()).toBe(200)
      expect(await response.request().headerValue('x-api-key')).toBe(key)
      // Only the parameters of the example, which fit each other.
      expect([...new URL(response.url()).searchParams.keys()]).toEqual(['province', 'type'])
      await page.getByText('200 OK').waitFor()
      await page.getByText(/The places of the reply: \d+/).waitFor()
      expect(complaints).toEqual([])
      expect(hostsOf(seen)).toEqual([stage.service.url])
      expect(requests.filter((one) => one.url().includes(key))).toEqual([])
      const kept = await page.evaluate(
        `(async () => JSON.stringify([{ ...localStorage }, document.cookie, await indexedDB.databases()]) + sessionStorage.length)()`,
      )
      expect(kept).toBe('[{},"",[]]1')
    })
  })

  test('requests an existing record, where the example has to make one up', async () => {
    await stage.service.publish(incidents, [exampleRow(incidents, { incident_id: 'inc_OFNOW0000001' })])
    await visit('/docs/reference/road/incidents_by_id?lang=en', 'light', async ({ page, complaints }) => {
      const [response] = await Promise.all([
        page.waitForResponse((one) => /^\/api\/incidents\/[^/]+$/.test(new URL(one.url()).pathname)),
        page.getByRole('button', { name: 'Send' }).click(),
      ])
      expect(new URL(response.url()).pathname).toBe('/api/incidents/inc_OFNOW0000001')
      // Without a key none is sent, not an empty one.
      expect(response.status()).toBe(200)
      expect(complaints).toEqual([])
    })
  })

  test('would be stopped where it asked somebody else', async () => {
    await visit(`${OPERATION}?lang=en`, 'light', async ({ page, complaints }) => {
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
      expect(await styleOf(page, 'main', 'max-width')).not.toBe('none')
      await page.keyboard.press('Tab')
      expect(await page.evaluate('document.activeElement.matches("a, input, button")')).toBe(true)
      expect(complaints.filter((one) => !one.includes('404'))).toEqual([])
    })
  })
})
