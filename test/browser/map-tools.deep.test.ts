import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { fuelPrices, fuelStations } from '../../lake/datasets/fuel/prices.ts'
import { incidents } from '../../lake/datasets/road/incidents.ts'
import { roadAxes } from '../../lake/datasets/road/road-network.ts'
import { v16Beacons } from '../../lake/datasets/road/v16.ts'
import type { LoggedEvent } from '../../lake/events/log.ts'
import type { LiveRow } from '../../lake/live/types.ts'
import { exampleRow, exampleTableRow } from '../api/service.ts'
import { browserPath, browserStage } from '../helpers/browser.ts'
import { until } from '../helpers/until.ts'
import { boxOf, isNear, mapOf, pixel } from './on-map.ts'
import { barriersOf } from './on-page.ts'

const stage = browserStage()
const onMap = mapOf(stage)
const HOUR = 3_600_000
/** A road of 13 km. */
const [WEST, EAST] = [
  [-0.48, 41.2],
  [-0.4, 41.3],
] as const
beforeAll(async () => {
  if (!browserPath) return
  const row = { road: 'N-4321', geometry: [WEST, EAST], kilometres: [1, 14], errors_m: [25], posts: [1], km_from: 1, km_to: 14 }
  await stage.service.land(roadAxes, [{ ...exampleTableRow(roadAxes), ...row }], Date.now())
  await until('the road', async () => (await stage.service.json('/api/geo/pk?lat=41.2&lon=-0.48')).places?.length > 0, 20_000)
  await stage.service.publish(incidents, [
    exampleRow(incidents, { starts_at: Date.now() - 3 * HOUR, first_seen_at: Date.now() - 3 * HOUR }),
  ])
})

const noteOf = (page: Page, layer: string): Promise<string | null> => page.locator(`#layers li:has(#layer-${layer}) .note`).textContent()

describe.skipIf(!browserPath)('the last 24 hours', () => {
  test('are gone through by keyboard, without a request for each step, and lead back to now', async () => {
    const key = await stage.service.key('PRO')
    await onMap({ key, hash: '#layers=incidents,cameras' }, async (page, { urls, complaints }) => {
      await page.click('#past-open')
      const range = page.locator('#past input')
      expect(await range.getAttribute('aria-valuetext')).toBe('now')
      for (let step = 0; step < 12; step++) await range.press('ArrowLeft')
      await until('the incident', async () => (await noteOf(page, 'incidents')) === '1', 20_000)
      expect(await range.getAttribute('aria-valuetext')).toMatch(/^(today|yesterday) \d\d:\d\d$/)
      expect(page.url()).toMatch(/at=\d{4}-\d\d-\d\dT\d\d:\d\dZ/)
      expect(await noteOf(page, 'cameras')).toBe('only now')
      const before = urls.filter((url) => url.includes('/api/')).length
      // Before the incident began.
      for (let step = 0; step < 30; step++) await range.press('ArrowLeft')
      await until('no incident', async () => (await noteOf(page, 'incidents')) === '0', 20_000)
      expect(urls.filter((url) => url.includes('/api/')).length).toBe(before)
      expect(await barriersOf(page)).toEqual([])
      await page.click('#past button:last-of-type')
      await until('the live list', async () => (await noteOf(page, 'cameras')) !== 'only now', 20_000)
      expect(page.url()).not.toContain('at=')
      expect(complaints).toEqual([])
    })
  })

  test('say which plan they need, and open at the instant of the URL', async () => {
    const at = new Date(Date.now() - 5 * HOUR).toISOString().slice(0, 16)
    await onMap({ hash: `#layers=incidents&at=${at}Z` }, async (page, { urls }) => {
      await until('the plan', async () => (await noteOf(page, 'incidents')) === 'plan PRO', 20_000)
      expect(await page.locator('#past .note').textContent()).toContain('PRO')
      expect(urls.filter((url) => url.includes('/api/incidents/history'))).toEqual([])
    })
  })
})

describe.skipIf(!browserPath)('what is on my way', () => {
  const status = (page: Page): Promise<string | null> => page.locator('#way .note').last().textContent()

  test('is found by two clicks on the map, listed in its order, and shared by its URL', async () => {
    const hash = '#map=10.5/41.25/-0.44&layers=incidents'
    await onMap({ key: await stage.service.key('PRO'), hash }, async (page, { urls, complaints }) => {
      await page.click('#way-open')
      const box = await boxOf(page, '#map canvas')
      const degree_px = (512 * 2 ** 10.5) / 360
      for (const [lon, lat] of [WEST, EAST]) {
        const down_px = ((41.25 - lat) * degree_px) / Math.cos((41.25 * Math.PI) / 180)
        await page.mouse.click(box.x + box.width / 2 + (lon + 0.44) * degree_px, box.y + box.height / 2 + down_px)
      }
      await until('the way', async () => (await status(page))?.startsWith('N-4321, ') === true, 20_000)
      await until('its things', async () => urls.some((url) => url.includes('/api/trafico/ruta?origin=41.')), 20_000)
      expect(page.url()).toMatch(/way=-0\.4[78]\d*,41\.\d+;-0\.\d+,41\.\d+/)
      expect(await barriersOf(page)).toEqual([])
      await page.getByRole('button', { name: 'Clear' }).click()
      expect(page.url()).not.toContain('way=')
      expect(complaints).toEqual([])
    })
    await onMap({ hash: `#way=${WEST.join(',')};${EAST.join(',')}` }, async (page, { urls, complaints }) => {
      await until('the way, and the plan of the rest', async () => /^N-4321, .*PRO/.test((await status(page)) ?? ''), 20_000)
      expect(urls.filter((url) => url.includes('/api/trafico/ruta'))).toEqual([])
      expect(complaints).toEqual([])
    })
  })

  test('takes two names by keyboard, and reports that no road joins them', async () => {
    await onMap({ key: await stage.service.key('PRO') }, async (page) => {
      await page.click('#way-open')
      expect(await status(page)).toBe('Type two places, or click two points of the map.')
      for (const [at, name] of ['Abrera', 'Murtas'].entries()) {
        await page.locator(`#way-${at}`).fill(name)
        const hit = page.locator(`#way form:nth-of-type(${at + 1}) .item`).first()
        await hit.waitFor()
        await hit.press('Enter')
      }
      await until('the reason', async () => /^No way/.test((await status(page)) ?? ''), 20_000)
      expect(page.url()).toContain('way=')
    })
  })
})

test.skipIf(!browserPath)('a panel shows its text on hover as the driver reads it, and on focus in the list', async () => {
  const { features } = await stage.service.json('/api/panels?has_message=true&format=geojson')
  const [lon, lat] = features[0].geometry.coordinates
  await onMap({ hash: `#map=13/${lat}/${lon}&layers=panels` }, async (page) => {
    const box = await boxOf(page, '#map canvas')
    await until('the popup', async () => {
      await page.mouse.move(box.x + box.width / 2 + Math.random(), box.y + box.height / 2)
      return page.locator('.hover .board').isVisible()
    })
    const { pages } = features[0].properties
    expect(await page.locator('.hover .board p').first().innerText()).toBe(pages[0].lines.join('\n'))
    await page.mouse.move(box.x + box.width - 200, box.y + 200)
    await until('no popup', async () => !(await page.locator('.hover').isVisible()))
    await page.locator('#search').focus()
    await page.keyboard.press('Tab')
    await page.locator('#list button').first().focus()
    await until('the popup of the focus', () => page.locator('.hover .board').isVisible())
  })
})

test.skipIf(!browserPath)('a card draws the recent values of its thing with a key, and names the plan without', async () => {
  const product = 'GASOLINE_95_E5'
  const station = exampleRow(fuelStations)
  await stage.service.publish(fuelStations, [station])
  await stage.service.publish(fuelPrices, [exampleRow(fuelPrices, { station_id: station['station_id'], product, price: 1.449 })])
  const { features } = await stage.service.json(`/api/gas-stations?format=geojson&fuel=${product}`)
  const [{ id }, at] = [features[0].properties, Date.now()]
  await stage.service.land(
    fuelPrices,
    [1.499, 1.399, 1.449].map((price, nth) => {
      const observed_at = at - (12 - 5 * nth) * 24 * HOUR
      const times = { observed_at, first_seen_at: observed_at, updated_at: observed_at, last_seen_at: observed_at }
      return {
        ...exampleTableRow(fuelPrices),
        ...times,
        station_id: id,
        product: 'GASOLINE_95_E5',
        price,
        fetch_id: `fuel_stations.${nth}`,
      }
    }),
    at,
  )
  const openFirst = async (page: Page): Promise<void> => {
    await until('the list', () => page.locator('#list button').first().isVisible(), 20_000)
    await page.locator('#list button').first().click()
  }
  const [lon, lat] = features[0].geometry.coordinates
  const hash = `#map=13/${lat}/${lon}&layers=fuel`
  await onMap({ hash }, async (page) => {
    await openFirst(page)
    await until('the plan', () => page.locator('#card .more', { hasText: 'History of the price: plan PRO' }).isVisible(), 20_000)
  })
  await onMap({ key: await stage.service.key('PRO'), hash }, async (page) => {
    await openFirst(page)
    const chart = page.locator('#card figure svg')
    await until('the chart', () => chart.isVisible(), 20_000)
    expect(await chart.getAttribute('aria-label')).toBe('Price: 1.399 – 1.499 €/l')
    const reply = await stage.service.open(`/api/gas-stations/${id}/history?fuel=${product}`, {
      'X-API-Key': await stage.service.key('PRO'),
    })
    const { history } = (await reply.json()) as { history: { price: number | null }[] }
    const line = (await chart.locator('.line').getAttribute('d')) ?? ''
    expect(line.split('L').length).toBe(history.filter(({ price }) => price !== null).length)
    expect(await barriersOf(page)).toEqual([])
  })
})

test.skipIf(!browserPath)('a free key is not used up by the map, which locks what its plan lacks', async () => {
  const key = await stage.service.key('FREE')
  await onMap({ key, hash: '#layers=v16,trains' }, async (page, { urls }) => {
    await until('the lock', () => page.locator('#layers li:has(#layer-trains) a', { hasText: 'PRO' }).isVisible(), 20_000)
    await until('the list', async () => /^\d/.test((await noteOf(page, 'v16')) ?? ''), 20_000)
    expect(await page.locator('#layer-trains').isDisabled()).toBe(true)
    expect(urls.filter((url) => url.includes('/api/trenes/'))).toHaveLength(1)
    const used = await stage.service.open('/api/v16?limit=1', { 'X-API-Key': key })
    const [, remaining] = /"day";r=(\d+)/.exec(used.headers.get('ratelimit') ?? '') ?? []
    expect(Number(remaining)).toBeGreaterThan(990)
  })
})

test.skipIf(!browserPath)('events of the stream change single things, and no list is requested again', async () => {
  await onMap({ key: await stage.service.key('ENTERPRISE'), hash: '#layers=v16' }, async (page, { urls }) => {
    await until('the stream', async () => /^1, live/.test((await noteOf(page, 'v16')) ?? ''), 20_000)
    const lists = () => urls.filter((url) => url.includes('/api/v16')).length
    const before = lists()
    const row = exampleRow(v16Beacons) as LiveRow
    const change = { dataset: v16Beacons.id, kind: 'ENDED', row, changed: [] } as const
    const event: LoggedEvent = { id: 'evt_map', type: 'v16.ended', thing: 'v16', at: Date.now(), change }
    await stage.service.events.log.record('map', [event], { since: Date.now() })
    await until('the end of the beacon', async () => /^0, live/.test((await noteOf(page, 'v16')) ?? ''), 20_000)
    expect(lists()).toBe(before)
  })
  await onMap({ hash: '#layers=v16' }, async (page, { urls }) => {
    await until('the list', async () => (await noteOf(page, 'v16'))?.includes('ago') === true, 20_000)
    expect(urls.filter((url) => url.includes('/api/stream'))).toEqual([])
  })
})

describe.skipIf(!browserPath)('a search', () => {
  test('takes the first hit with Enter, as near as its kind needs, and marks it until it is cleared', async () => {
    const { hits } = await stage.service.json('/api/search?q=Murtas&limit=8&lang=en')
    const [first] = (hits as { lat: number | null; lon: number; title: string; collection: string }[]).filter(({ lat }) => lat !== null)
    expect(first?.collection).toBe('municipalities')
    await onMap({ size: { width: 360, height: 740 }, hash: '#layers=v16' }, async (page) => {
      await page.click('.panel summary')
      await page.fill('#search', 'Murtas')
      await page.press('#search', 'Enter')
      await until('the place', async () => /map=11\//.test(page.url()), 20_000)
      expect(await page.inputValue('#search')).toBe(first?.title)
      // On a phone the panel makes room for it.
      expect(await page.locator('#search').isVisible()).toBe(false)
      const box = await boxOf(page, '#map canvas')
      const panel = await boxOf(page, '.panel')
      const middle = { x: Math.round(box.x + box.width / 2), y: Math.round((box.y + panel.y) / 2) }
      const isMarked = async (): Promise<boolean> => isNear(await pixel(page, middle.x, middle.y), [11, 87, 196])
      await until('the mark', isMarked, 20_000)
      await page.click('.panel summary')
      await page.fill('#search', '')
      await until('no mark', async () => !(await isMarked()), 20_000)
    })
  })

  test('needs a key for the way and the past, and says so at once with a link to the plans', async () => {
    await onMap({}, async (page) => {
      await page.click('#way-open')
      expect(await page.locator('#way .note').last().textContent()).toContain('PRO')
      await page.click('#past-open')
      expect(await page.locator('#past .note').textContent()).toContain('PRO')
      const plans = page.locator('#layers li:has(#layer-trains) .note a')
      expect(await plans.getAttribute('href')).toBe('/plans?lang=en')
      await plans.focus()
      // Notes with ages of data are written again each 5 s.
      await page.waitForTimeout(6000)
      expect(
        await plans.evaluate(
          (link: unknown) => link === (globalThis as unknown as { document: { activeElement: unknown } }).document.activeElement,
        ),
      ).toBe(true)
      expect(await page.locator('#forget').isVisible()).toBe(false)
      await page.fill('#key', await stage.service.key('PRO'))
      await page.press('#key', 'Enter')
      await until('the open layer', () => page.locator('#layer-trains').isEnabled())
      await page.click('#forget')
      await until('the locked layer', () => page.locator('#layer-trains').isDisabled())
      expect(await page.evaluate('sessionStorage.getItem("key")')).toBeNull()
      expect(await page.locator('#forget').isVisible()).toBe(false)
    })
  })
})
