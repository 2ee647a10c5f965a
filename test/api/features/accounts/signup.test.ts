import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isWellFormed } from '../../../../api/auth/keys/key-format.ts'
import { DEFAULT_PLANS } from '../../../../api/auth/plans.ts'
import { incidents } from '../../../../lake/datasets/road/incidents.ts'
import { exampleRow, type Reply, startService, type TestService } from '../../service.ts'

const T0 = Date.UTC(2026, 0, 2, 12)
let now = T0
let service: TestService
beforeAll(async () => {
  service = await startService({ clock: () => now, proxies: '127.0.0.0/8', plans: DEFAULT_PLANS })
  await service.publish(incidents, [exampleRow(incidents)], { at: T0 })
})
afterAll(() => service?.close())

let callers = 0
/** Sends the form, each time from another address. */
const send = (fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${service.url}/signup`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { 'X-Forwarded-For': `198.51.100.${++callers}`, ...headers },
  })

describe('the start page', () => {
  test.each([
    ['', 'es', 'incidencias activas', 'Crear mi clave', '10 peticiones por minuto y 1.000 al día'],
    ['?lang=en', 'en', 'active incidents', 'Make my key', '10 requests a minute and 1,000 a day'],
  ])('shows the current state, with figures of our own API, and has a form: %s', async (query, language, label, button, limits) => {
    const response = await service.open(`/${query}`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('content-language')).toBe(language)
    expect(response.headers.get('cache-control')).toBe('public, max-age=30, stale-if-error=600')
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    const html = await response.text()
    expect(html).toContain(`<html lang="${language}">`)
    expect(html).toMatch(
      new RegExp(`${label}</a></dt><dd><strong>1</strong> <small>.*<time datetime="2026-01-02T12:00:00.000Z">13:00</time>`),
    )
    // A missing count has no figure, and no zero.
    expect(html.match(/<small>(sin datos todavía|no data yet)<\/small>/g)).toHaveLength(5)
    expect(html).toContain(button)
    expect(html.match(/<article class="request">.*?<code>curl &#39;/gs)).toHaveLength(3)
    // The picture has the incident as a point, and no point for what is not available.
    expect(html).toMatch(/<path class="incident" d="M[\d.]+ [\d.]+h0"\/>/)
    expect(html).not.toContain('<path class="train"')
    expect(html.length).toBeLessThan(150_000)
    expect(html).toContain(limits)
    expect(html).not.toMatch(/<script(?! type="module" src="\/assets\/)/)
    expect((await service.open(`/${query}`, { 'If-None-Match': response.headers.get('etag') as string })).status).toBe(304)
  })

  test('has new figures when they are half a minute old', async () => {
    await service.publish(incidents, [exampleRow(incidents), exampleRow(incidents, { source_id: '2', incident_id: 'inc_2' })], {
      at: T0 + 1000,
    })
    expect(await (await service.open('/?lang=en')).text()).toContain('<strong>1</strong>')
    now += 30_000
    expect(await (await service.open('/?lang=en')).text()).toContain('<strong>2</strong>')
  })

  test('shows the course of a number from its third quarter of an hour on', async () => {
    const counts = async (): Promise<number> => ((await (await service.open('/?lang=en')).text()).match(/<svg class="spark"/g) ?? []).length
    for (const expected of [0, 1]) {
      now += 15 * 60_000
      expect(await counts()).toBe(expected)
    }
  })

  test('names a picture for social networks, and an icon for phones, which are small', async () => {
    const html = await (await service.open('/')).text()
    for (const [pattern, bytes] of [
      [/property="og:image" content="([^"]+)"/, 60_000],
      [/rel="apple-touch-icon" href="([^"]+)"/, 60_000],
    ] as const) {
      const url = new URL(pattern.exec(html)?.[1] as string, service.url)
      const response = await service.open(url.pathname)
      expect([url.origin, response.headers.get('content-type')]).toEqual([service.url, 'image/png'])
      const image = Buffer.from(await response.arrayBuffer())
      expect(image.subarray(1, 4).toString()).toBe('PNG')
      expect(image.length).toBeLessThan(bytes)
    }
  })

  test("requesting it costs nothing of an address's limits", async () => {
    for (let n = 0; n < 8; n++) expect((await service.open('/')).status).toBe(200)
    expect((await service.open('/api/incidents')).status).toBe(200)
  })
})

describe('the form', () => {
  test.each([
    [{ email: 'eva@example.org', lang: 'AAA' }, '/lang', 'invalid-parameter'],
    [{ email: 'eva@example.org', plan: 'PRO' }, '/plan', 'unknown-parameter'],
  ])('refuses an invalid form, and makes no key: %o', async (fields, pointer, code) => {
    const response = await send(fields as Record<string, string>)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code, errors: [{ pointer }] })
  })

  test('gives a key that works, once, with a call to copy', async () => {
    const response = await send({ email: 'Ana@Example.org', lang: 'en' })
    expect(response.status).toBe(201)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    const html = await response.text()
    expect(html).toContain('<html lang="en">')
    const key = /<code>(tia_\w+)<\/code>/.exec(html)?.[1] ?? ''
    expect(isWellFormed(key)).toBe(true)
    expect(html).toContain(`curl -H &#39;X-API-Key: ${key}&#39; &#39;${service.url}/api/incidents?province=Madrid&#39;`)
    const first = await service.open('/api/incidents?province=Madrid', { 'X-API-Key': key })
    expect([first.status, first.headers.get('x-ratelimit-limit')]).toEqual([200, '10'])
  })

  test.each(['', 'nobody', 'a@b', 'x@example.org\r\nBcc: y@example.org', '"><script>alert(1)</script>@example.org x'])(
    'comes back with the input where that is no address: %s',
    async (email) => {
      const response = await send({ email })
      expect(response.status).toBe(400)
      const html = await response.text()
      expect(html).toContain('role="alert"')
      expect(html).toContain('aria-invalid="true"')
      expect(html).not.toMatch(/<script(?! type="module" src="\/assets\/)/)
    },
  )

  test('the sender of a fourth key for an address learns that, and nothing more', async () => {
    for (let n = 0; n < 3; n++) expect((await send({ email: 'eva@example.org' })).status).toBe(201)
    const response = await send({ email: 'eva@example.org' }, { 'Accept-Language': 'en' })
    expect(response.status).toBe(422)
    expect(await response.text()).toContain('already has three free keys')
  })

  test('one address may send it five times an hour', async () => {
    const from = { 'X-Forwarded-For': '203.0.113.9' }
    for (let n = 0; n < 5; n++) expect((await send({ email: `n${n}@example.org` }, from)).status).toBe(201)
    const response = await send({ email: 'n5@example.org', lang: 'es' }, from)
    expect(response.status).toBe(429)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await response.text()).toContain('Demasiadas peticiones')
  })

  test('takes forms only, and only sent', async () => {
    const json = await fetch(`${service.url}/signup`, { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } })
    expect([json.status, ((await json.json()) as Reply).code]).toEqual([415, 'unsupported-media-type'])
    const got = await service.open('/signup')
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
    const long = await send({ email: `${'a'.repeat(5000)}@example.org` })
    expect(long.status).toBe(413)
  })
})
