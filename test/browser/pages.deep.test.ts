import { writeFileSync } from 'node:fs'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { DEFAULT_PLANS } from '../../api/auth/plans.ts'
import { browserPath, browserStage } from '../helpers/browser.ts'
import { fillAccount, fillStatus } from './filled.ts'
import { barriersOf } from './on-page.ts'
import { comparison, takeScreenshot } from './screenshots.ts'
import { OWNER_STOPS, STOPS, type Stop } from './walk.ts'

const time = { now: Date.UTC(2026, 0, 3, 12) }
const stage = browserStage(
  { clock: () => time.now, plans: DEFAULT_PLANS, supportContact: 'mailto:support@example.org' },
  // Screenshots are quicker without the emulated graphics card; WebGL still has it.
  ['--disable-gpu-compositing'],
)
let account = ''
beforeAll(async () => {
  if (!browserPath) return
  await fillStatus(stage.service, time.now)
  account = await fillAccount(stage.service, time)
})

const HEIGHT = 900
const WIDTHS = [360, 768, 1440] as const
type Width = (typeof WIDTHS)[number]

/** A walk: `first` is the width that pages are loaded at, `barriers` those at which axe looks, `pictures` those that are kept. */
interface Walk {
  readonly lang: 'es' | 'en'
  readonly look: 'light' | 'dark'
  readonly first: Width
  readonly barriers: readonly Width[]
  readonly pictures: readonly Width[]
}

/** Each language and look; both languages share the widths of a look. */
const WALKS: readonly Walk[] = [
  { lang: 'es', look: 'light', first: 360, barriers: [360], pictures: [360, 1440] },
  { lang: 'en', look: 'light', first: 1440, barriers: [1440], pictures: [768] },
  { lang: 'es', look: 'dark', first: 768, barriers: [1440], pictures: [768] },
  { lang: 'en', look: 'dark', first: 360, barriers: [360], pictures: [360, 1440] },
]

/** Counts layout shifts that no input caused. */
const COUNT_SHIFTS = `window.shifted = 0
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shifted += value
}).observe({ type: 'layout-shift', buffered: true })`

/** Ends when fonts are there and two frames have been drawn. */
const DRAWN = `document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null)))))`

/** Shows the fonts also if they came too late for this page, as `font-display: optional` allows. */
const WITH_FONTS = `Promise.all(
  [...document.fonts].map(async (face) => {
    const rule = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).find(
      (one) => one instanceof CSSFontFaceRule && one.style.getPropertyValue('font-family').replaceAll('"', '') === face.family.replaceAll('"', ''),
    )
    const sheet = rule.parentStyleSheet.href
    const source = rule.style.getPropertyValue('src').replace(/url\\("([^"]+)"\\)/, (_, url) => 'url("' + new URL(url, sheet) + '")')
    const late = new FontFace(face.family, source, { weight: face.weight, unicodeRange: face.unicodeRange, display: 'block' })
    document.fonts.add(await late.load())
  }),
)`

/** Finds texts that are cut off at the right, and not on purpose. */
const CUT = `[...document.querySelectorAll('main *, header *, footer *')].filter((one) => {
  const { overflowX, clipPath } = getComputedStyle(one)
  return ['hidden', 'clip'].includes(overflowX) && clipPath === 'none' && one.scrollWidth > one.clientWidth + 1 && !(one instanceof SVGElement)
}).map((one) => one.outerHTML.slice(0, 120))`

/** Returns what is wrong with the layout of a page at a width. */
async function layoutFaults(page: Page, width: Width): Promise<readonly string[]> {
  await page.setViewportSize({ width, height: HEIGHT })
  await page.evaluate(DRAWN)
  const wide = await page.evaluate<number>('document.documentElement.scrollWidth')
  const cut = await page.evaluate<string[]>(CUT)
  return [...(wide > width ? [`is ${wide} px wide`] : []), ...cut.map((one) => `cuts ${one}`)]
}

async function walk(context: BrowserContext, stops: readonly Stop[], options: Walk & { readonly reader: Page }): Promise<string[]> {
  const { lang, look, first, barriers, pictures, reader } = options
  const faults: string[] = []
  const page = await context.newPage()
  let name = ''
  page.on('console', (message) => {
    const isExpected = stops.some((stop) => stop.name === name && stop.isRefused) && message.text().includes('status of 400')
    if (!isExpected) faults.push(`${name}: the console has ${message.text()}`)
  })
  page.on('pageerror', (error) => faults.push(`${name}: ${error.message}`))
  await page.addInitScript(COUNT_SHIFTS)
  // The still picture of the first page stays: `start.deep.test.ts` has the live map.
  await page.addInitScript("Object.defineProperty(navigator, 'connection', { value: { saveData: true } })")
  for (const stop of stops.filter(({ isState }) => !isState || pictures.length > 1)) {
    name = stop.name
    await page.setViewportSize({ width: first, height: HEIGHT })
    await page.goto(`${stage.service.url}${stop.path(lang)}`)
    await stop.open?.(page, lang)
    await page.evaluate(DRAWN)
    const shift = await page.evaluate<number>('window.shifted')
    if (shift >= 0.01) faults.push(`${name}: its layout shifts by ${shift}`)
    const headings = await page.getByRole('heading', { level: 1 }).count()
    if (headings !== 1) faults.push(`${name}: has ${headings} headings of level 1`)
    await page.evaluate(WITH_FONTS)
    for (const width of WIDTHS) {
      const found = [...(await layoutFaults(page, width))]
      if (barriers.includes(width)) found.push(...(await barriersOf(page, { 'target-size': { enabled: true } })))
      if (pictures.includes(width)) {
        const picture = `${name}-${width}-${look}-${lang}`
        const png = await takeScreenshot(page)
        if (process.env['SCREENSHOTS']) writeFileSync(`${process.env['SCREENSHOTS']}/${picture}.png`, png)
        found.push(...[await comparison(reader, picture, png, width)].filter((one) => one !== null))
      }
      faults.push(...found.map((one) => `${name}, ${width} px: ${one}`))
    }
  }
  await page.close()
  return faults
}

/** A request of a page. */
interface PageRequest {
  readonly url: URL
  readonly type: string
}

/** What scripts of pages may request besides the public API: files of pages, and parts of the documentation and the map. */
const FILES = /^\/(?:assets\/|docs\/search-index$|docs\/spain\.svg$|map\/tiles\/)/

/** Checks that no request left the service, and that scripts asked the public API only. */
async function expectPublic(requests: readonly PageRequest[]): Promise<void> {
  const { paths } = await stage.service.json('/openapi.json')
  const isPublic = Object.keys(paths).map((path) => new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`))
  const sent = requests.filter(({ url }) => !['data:', 'blob:'].includes(url.protocol))
  expect(sent.filter(({ url }) => url.origin !== stage.service.url).map(({ url }) => url.href)).toEqual([])
  const byScripts = sent.filter(({ url, type }) => type !== 'document' && !FILES.test(url.pathname)).map(({ url }) => url.pathname)
  expect(byScripts.filter((path) => !isPublic.some((one) => one.test(path)))).toEqual([])
  expect(byScripts).toContain('/api/incidents')
}

async function inContext(
  options: BrowserContextOptions,
  work: (context: BrowserContext, requests: readonly PageRequest[]) => Promise<void>,
): Promise<void> {
  const context = await stage.browser.newContext({ ...options, reducedMotion: 'reduce' })
  context.setDefaultTimeout(90_000)
  const requests: PageRequest[] = []
  context.on('request', (request) => requests.push({ url: new URL(request.url()), type: request.resourceType() }))
  try {
    await work(context, requests)
  } finally {
    await context.close()
  }
}

describe.skipIf(!browserPath)('every page in a browser', () => {
  test.each(WALKS)('in $lang, $look, has nothing wrong, and looks as kept', { timeout: 600_000 }, async (options) => {
    const { lang, look } = options
    const reader = await stage.browser.newPage()
    await inContext({ colorScheme: look, locale: lang }, async (context, requests) => {
      const faults = await walk(context, STOPS, { ...options, reader })
      const [name = '', value = ''] = (await stage.service.session(account)).Cookie.split('=', 2)
      await context.addCookies([{ name, value, url: stage.service.url }])
      faults.push(...(await walk(context, OWNER_STOPS, { ...options, reader })))
      expect(faults).toEqual([])
      await expectPublic(requests)
    })
    await reader.close()
  })

  test('the map fits all widths, hardly shifts, and reads the public API only', async () => {
    await inContext({ colorScheme: 'dark', locale: 'es', viewport: { width: 1440, height: HEIGHT } }, async (context, requests) => {
      const page = await context.newPage()
      await page.addInitScript(COUNT_SHIFTS)
      await page.goto(`${stage.service.url}/map?lang=es`)
      await page.waitForSelector('#map[data-state=ready]')
      // Its panel grows as the layers are filled.
      expect(await page.evaluate('window.shifted')).toBeLessThan(0.05)
      for (const width of WIDTHS) expect(await layoutFaults(page, width), `${width}`).toEqual([])
      await expectPublic(requests)
    })
  })
})
