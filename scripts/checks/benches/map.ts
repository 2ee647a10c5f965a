import type { CDPSession, Page, Request } from 'playwright-core'
import { startBrowser } from '../../../test/helpers/chromium.ts'
import { fetchRaw } from './http-load.ts'
import type { Bench, Done, MemoryBench, Pair } from './measure.ts'
import { type Server, startServer, writeLists } from './services.ts'

/** Points that do not move, as filling stations, and such that do, as trains. */
const POINTS = 15_000
const MOVING = 500
const STATIONS = 12_000
/** A window of a desktop. */
const VIEW = { width: 1440, height: 900 }
/** How long nothing happens before a list is measured, in ms, and the products whose lists are: their median counts. */
const SETTLED_MS = 1000
const UPDATES = ['DIESEL_A', 'GASOLINE_95_E5', 'DIESEL_A', 'GASOLINE_95_E5', 'DIESEL_A']
/** How long features are watched while they move, in ms. */
const WATCHED_MS = 6000
/** Limits: script of a frame, the first map on a line of 10 Mbit/s, a list's way to the map, bytes with gzip. */
const FRAME_MS = 8
const FIRST_MS = 2500
const UPDATE_MS = 150
const FIRST_MB = 0.45
const LINE_BYTES_S = 10e6 / 8

/** A page of the map, with the browser's own counts. */
interface MapPage {
  readonly page: Page
  readonly devtools: CDPSession
  /** The requests so far, each once, also those of the map's worker. */
  readonly requests: readonly Request[]
}

/** Opens `/map` of a service with layers, as a visitor or with a key, and waits for the first map; `lists` replace ours. */
async function onMap<T>(
  server: Server,
  options: {
    readonly layers: string
    readonly lists?: Readonly<Record<string, () => object>>
    readonly hasKey?: boolean
    readonly isSlow?: boolean
  },
  work: (map: MapPage) => Promise<T>,
): Promise<T> {
  const { layers, lists = {}, hasKey = false, isSlow = false } = options
  const browser = await startBrowser()
  try {
    const context = await browser.newContext({ viewport: VIEW, locale: 'en' })
    if (hasKey) await context.addInitScript(`sessionStorage.setItem('key', '${server.key}')`)
    const page = await context.newPage()
    page.setDefaultTimeout(120_000)
    for (const [path, list] of Object.entries(lists))
      await page.route(`**${path}?*`, (route) =>
        route.fulfill({ status: 200, contentType: 'application/geo+json', body: JSON.stringify(list()) }),
      )
    const devtools = await context.newCDPSession(page)
    const requests: Request[] = []
    context.on('request', (request) => requests.some((one) => one.url() === request.url()) || requests.push(request))
    await devtools.send('Network.enable')
    await devtools.send('Performance.enable')
    if (isSlow)
      await devtools.send('Network.emulateNetworkConditions', {
        ...{ offline: false, latency: 40, downloadThroughput: LINE_BYTES_S, uploadThroughput: LINE_BYTES_S },
      })
    await page.goto(`${server.url}/map?lang=en#layers=${layers}`, { waitUntil: 'commit' })
    await page.waitForSelector('#map[data-state=ready]')
    return await work({ page, devtools, requests })
  } finally {
    await browser.close()
  }
}

/** A list of points over Spain, as GeoJSON; `nth` moves those of a list that moves. */
function pointList(count: number, properties: (at: number) => object, nth = 0): object {
  const features = Array.from({ length: count }, (_, at) => ({
    ...{ type: 'Feature', id: `p${at}`, properties: { id: `p${at}`, ...properties(at) } },
    geometry: { type: 'Point', coordinates: [-8.5 + ((at * 7919) % 11_000) / 1000 + nth * 0.05, 37 + ((at * 104_729) % 6300) / 1000] },
  }))
  return { type: 'FeatureCollection', updated_at: new Date().toISOString(), features, meta: { stale: false } }
}

const prices = (at: number): object => ({ operator: 'REPSOL', municipality: 'Madrid', price: 1.3 + ((at * 31) % 400) / 1000 })

/** Processor time of the page's scripts so far, in ms. */
async function script_ms({ devtools }: MapPage): Promise<number> {
  const { metrics } = await devtools.send('Performance.getMetrics')
  return 1000 * (metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? Number.NaN)
}

/** Counts the frames of a while. */
function frames({ page }: MapPage, ms: number): Promise<number> {
  return page.evaluate(`new Promise((resolve) => {
    let frames = 0
    const end = performance.now() + ${ms}
    const step = () => { frames++; performance.now() < end ? requestAnimationFrame(step) : resolve(frames) }
    requestAnimationFrame(step)
  })`)
}

/** A bench in the browser with a limit in ms, which `run` measures itself. */
function browserBench(
  name: string,
  about: string,
  {
    limit_ms,
    expected,
    run,
  }: { limit_ms: number; expected: Done; run: (server: Server) => Promise<{ readonly done: Done; readonly ms: number }> },
): Bench {
  return {
    name: `map/${name}`,
    about,
    ...{ limit: 1, rounds: 3, warmUps: 1 },
    setUp: writeLists,
    async open(folder): Promise<Pair> {
      const server = await startServer('lists', folder)
      let total_ms = 0
      return {
        measured: {
          expected,
          clock: async () => total_ms,
          async run() {
            const { done, ms } = await run(server)
            total_ms += ms
            return done
          },
        },
        reference: { limit_ms },
        close: () => server.close(),
      }
    },
  }
}

const frame = browserBench('frame', `script of a frame with ${POINTS} points and ${MOVING} moving, at most ${FRAME_MS} ms`, {
  ...{ limit_ms: FRAME_MS, expected: { points: POINTS + MOVING } },
  async run(server) {
    let nth = 0
    const lists = {
      '/api/gas-stations': () => pointList(POINTS, prices),
      '/api/trenes/posiciones': () => pointList(MOVING, () => ({ product: 'AVE', delay_s: 0 }), nth++),
    }
    return onMap(server, { layers: 'fuel,trains', lists, hasKey: true }, async (map) => {
      await found(map.page, "performance.getEntriesByName('map:fuel').length > 0")
      // Trains are listed again, and move to their new places.
      await map.page.waitForResponse(/trenes\/posiciones/)
      const before = await script_ms(map)
      const count = await frames(map, WATCHED_MS)
      return { done: { points: POINTS + MOVING }, ms: ((await script_ms(map)) - before) / count }
    })
  },
})

/** Waits for something in the page: an expression that is not false, 0 or null. The page's policy allows no other way. */
async function found<T>(page: Page, expression: string): Promise<T> {
  for (let left = 1200; left > 0; left--) {
    const value = (await page.evaluate(expression)) as T
    if (value) return value
    await page.waitForTimeout(100)
  }
  throw new Error(`the page never had ${expression}`)
}

const update = browserBench('update', `a list of ${STATIONS} stations from its last byte until all is drawn, at most ${UPDATE_MS} ms`, {
  ...{ limit_ms: UPDATE_MS, expected: { lists: UPDATES.length } },
  run: (server) =>
    onMap(server, { layers: 'incidents', lists: { '/api/gas-stations': () => pointList(STATIONS, prices) } }, async ({ page }) => {
      const drawn = (count: number) =>
        `performance.getEntriesByName('map:fuel').length === ${count} && performance.getEntriesByName('map:fuel').at(-1)`
      // With the first list a browser compiles its shaders, in software here.
      await page.check('#layer-fuel')
      await found(page, drawn(1))
      const all: number[] = []
      for (const product of UPDATES) {
        await page.waitForTimeout(SETTLED_MS)
        await page.locator('#layers select').selectOption(product)
        all.push(
          await found<number>(
            page,
            `(${drawn(all.length + 2)}).startTime
              - performance.getEntriesByType('resource').findLast(({ name }) => name.includes('/api/gas-stations'))?.responseEnd`,
          ),
        )
      }
      return { done: { lists: all.length }, ms: all.toSorted((one, other) => one - other)[all.length >> 1] as number }
    }),
})

const first = browserBench('first', `the first map from the request on, on a line of 10 Mbit/s, at most ${FIRST_MS} ms`, {
  ...{ limit_ms: FIRST_MS, expected: { maps: 1 } },
  run: (server) =>
    onMap(server, { layers: 'incidents', isSlow: true }, async ({ page }) => {
      const ms = await found<number>(page, "performance.getEntriesByName('map:first')[0]?.startTime")
      return { done: { maps: 1 }, ms }
    }),
})

const bytes: MemoryBench = {
  name: 'map/bytes',
  about: `bytes to the first map, with incidents, as browsers get them over HTTPS (br): at most ${1000 * FIRST_MB} kB`,
  ...{ limit_mb: FIRST_MB, expected: { maps: 1 }, rounds: 1 },
  setUp: writeLists,
  async run(_, made) {
    const server = await startServer('lists', made)
    try {
      return await onMap(server, { layers: 'incidents' }, async ({ requests }) => {
        let size = 0
        for (const request of requests) {
          if (!request.url().startsWith(server.url)) continue
          const { body } = await fetchRaw(request.url(), { ...(await request.allHeaders()), 'accept-encoding': 'br' })
          size += body.length
        }
        return { maps: 1, mb: size / 1e6 }
      })
    } finally {
      await server.close()
    }
  },
}

/** The map in a browser. */
export const MAP: readonly (Bench | MemoryBench)[] = [frame, update, first, bytes]
