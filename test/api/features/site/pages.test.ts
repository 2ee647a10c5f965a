import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { DEFAULT_PLANS } from '../../../../api/auth/plans.ts'
import { endpoints } from '../../../../api/endpoints/catalog.ts'
import { listOfIds, requestOf } from '../../../../api/engine/request/example-request.ts'
import { GUIDES, methodPages } from '../../../../api/features/docs/documents.ts'
import { pathParams } from '../../../../api/kernel/endpoint.ts'
import { acceptedType } from '../../../../api/kernel/http/representation.ts'
import { languageOf } from '../../../../api/kernel/language.ts'
import { defineMethodPage, type MethodPage, methodPath } from '../../../../api/kernel/method-page.ts'
import { PROBLEMS } from '../../../../api/kernel/problems.ts'
import { HOLIDAYS_UNTIL } from '../../../../lake/places/holidays.ts'
import { openapi } from '../../openapi.ts'
import { type Reply, startService, type TestService } from '../../service.ts'
import { ACCOUNT_PAGES, HTML_PAGES, PAGES as OTHERS } from './page-paths.ts'

const T0 = Date.UTC(2026, 0, 2, 12)
const DAY_MS = 86_400_000
let now = T0
let service: TestService
beforeAll(async () => {
  service = await startService({ clock: () => now, proxies: '127.0.0.1', securityContact: 'mailto:security@example.org' })
})
afterAll(() => service?.close())
// Each test has an address of its own, and the limit of one.
let address = 0
beforeEach(() => {
  address += 1
})

const PROBLEM_PAGES = Object.keys(PROBLEMS).map((code) => `/problems/${code}`)
/** Paths of the pages in both languages. */
const METHODS = methodPages(endpoints)
const DOCS = ['/docs', '/docs/guides/quick-start', '/docs/reference/road', '/docs/reference/road/incidents']
/** Pages made from the catalogue of the API. */
const CATALOGUE = ['/datasets', '/datasets/incidents', '/sources', '/models']
const PAGES = ['/changelog', ...DOCS, '/plans', ...CATALOGUE, ...[...METHODS.values()].map(methodPath), ...PROBLEM_PAGES]
const description = openapi(endpoints, 'https://api.example.org') as Reply
/** Every path: those of the description, and pages. */
const SERVED = [...Object.keys(description.paths), ...Object.keys(OTHERS), ...ACCOUNT_PAGES]

async function page(path: string, headers: Record<string, string> = {}): Promise<{ readonly headers: Headers; readonly html: string }> {
  const response = await service.get(path, { Accept: 'text/html', 'X-Forwarded-For': `192.0.2.${address}`, ...headers })
  expect(response.status, path).toBe(200)
  return { headers: response.headers, html: await response.text() }
}

const textOf = (html: string): string => (/<body>(.*)<\/body>/s.exec(html)?.[1] ?? '').replaceAll(/<[^>]*>/g, ' ')

test('home page, status and docs clearly say that data is simulated, and name the zone of clock times', async () => {
  for (const path of ['/', '/status', '/docs'])
    for (const [lang, words] of [
      ['es', ['Datos simulados', 'son de Madrid']],
      ['en', ['Simulated data', 'those of Madrid']],
    ] as const) {
      const notice = /<p role="note"[^>]*>.*?<\/p>/.exec((await page(`${path}?lang=${lang}`)).html)?.[0] ?? ''
      for (const word of words) expect([path, lang, notice]).toEqual([path, lang, expect.stringContaining(word)])
    }
})

describe.each(PAGES)('%s', (path) => {
  test('is a page of its own in Spanish and in English, as requested or preferred', async () => {
    const [es, en] = await Promise.all(['es', 'en'].map((lang) => page(`${path}?lang=${lang}`)))
    if (!es || !en) throw new Error('no pages')
    expect(textOf(es.html)).not.toBe(textOf(en.html))
    for (const [lang, { html, headers }] of [['es', es] as const, ['en', en] as const]) {
      expect(html).toMatch(new RegExp(`^<!doctype html>\n<html lang="${lang}">`))
      expect(html).toMatch(/<title>[^<]{5,}<\/title>/)
      expect(html.match(/<h1>[^<]{5,}<\/h1>/g)).toHaveLength(1)
      expect(headers.get('content-language')).toBe(lang)
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect((await page(path, { 'Accept-Language': `fr, ${lang};q=0.8` })).html).toBe(html)
      expect((await page(`${path}?lang=${lang}`, { 'Accept-Language': lang === 'es' ? 'en' : 'es' })).html).toBe(html)
    }
    expect((await page(path)).html).toBe(es.html)
    expect((await service.get(`${path}?lang=fr`)).status).toBe(400)
    expect((await service.get(`${path}?lnag=es`)).status).toBe(400)
  })

  test('keeps to itself', async () => {
    const { headers, html } = await page(path)
    const policy = headers.get('content-security-policy') as string
    expect(policy).toMatch(/^default-src 'none'; /)
    expect(policy).toContain("; base-uri 'none'; frame-ancestors 'none'")
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe/)
    expect(headers.get('referrer-policy')).toBe('same-origin')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('permissions-policy')).toContain('geolocation=()')
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
    // Only licences and publishers are linked, and the page's own address.
    const others = html.replaceAll(/<link rel="(?:canonical|alternate)"[^>]*>/g, '')
    const loaded = CATALOGUE.includes(path) ? others.replaceAll(/<a href="[^"]*"/g, '') : others
    expect(loaded).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
    // The icon is embedded: it needs no request.
    expect(html).toMatch(/<head>[^]*<link rel="icon" href="data:image\/svg\+xml,[^"]+">[^]*<\/head>/)
    expect(policy).toMatch(/img-src [^;]*data:/)
    expect(policy).not.toContain('unsafe-inline')
    expect(html.match(/<script.*?>/g)?.every((tag) => /^<script type="module" src="\/assets\/[^"]+">$/.test(tag))).toBe(true)
    expect(html).toMatch(/<header.*<nav aria-label=".*<main id="main".*<\/main><footer/s)
  })
})

// This service has no model.
const WITHOUT_ADDRESS = ['/models/fuel']

test.each([...HTML_PAGES, '/status'].filter((path) => !WITHOUT_ADDRESS.includes(path)))(
  '%s names its address, and what social networks show of it',
  async (path) => {
    const titles = new Set<string>()
    for (const lang of ['es', 'en']) {
      const { html } = await page(`${path}?lang=${lang}`, { 'Accept-Language': lang })
      const meta = (name: string): string => new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)">`).exec(html)?.[1] ?? ''
      const link = (rel: string): string => new RegExp(`<link rel="${rel}" href="([^"]*)">`).exec(html)?.[1] ?? ''
      const address = `${service.url}${path}?lang=${lang}`
      expect([link('canonical'), meta('og:url')]).toEqual([address, address])
      expect(html.match(/<link rel="alternate" hreflang="/g)?.length ?? 0).toBe(3)
      expect(meta('og:title')).toBe(/<title>([^<]*)</.exec(html)?.[1])
      expect(meta('description').length).toBeGreaterThan(15)
      expect(meta('og:description')).toBe(meta('description'))
      expect(meta('twitter:card')).toBe('summary_large_image')
      expect([...html.matchAll(/<meta name="theme-color" content="(#\w{6})" media="/g)]).toHaveLength(2)
      const image = await fetch(meta('og:image'))
      expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png'])
      titles.add(meta('og:description'))
    }
    // Texts of the API are in English on both.
    expect(titles.size).toBeGreaterThan(path.includes('/reference/') ? 0 : 1)
  },
)

describe('the page of a problem', () => {
  test.each(Object.entries(PROBLEMS))('explains %s', async (code, { status, title, help }) => {
    const english = textOf((await page(`/problems/${code}?lang=en`)).html)
    const shown = (text: string): string => text.replaceAll(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`)
    for (const text of [code, String(status), shown(title), shown(help)]) expect(english).toContain(text)
    const spanish = textOf((await page(`/problems/${code}?lang=es`)).html)
    for (const text of [code, `estado HTTP ${status}`]) expect(spanish).toContain(text)
    for (const text of [shown(title), shown(help)]) expect(spanish).not.toContain(text)
  })
})

describe('the changelog', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../../api/CHANGELOG.md'), 'utf8')

  test('has the form of keepachangelog.com, with unreleased changes first', () => {
    expect(text).toMatch(/^# Changelog\n\n[A-Z]/)
    const versions = [...text.matchAll(/^## (.*)$/gm)].map(([, name]) => name)
    expect(versions[0]).toBe('Unreleased')
    for (const name of versions.slice(1)) expect(name).toMatch(/^\d+\.\d+\.\d+ - \d{4}-\d\d-\d\d$/)
    for (const [, name] of text.matchAll(/^### (.*)$/gm))
      expect(['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security']).toContain(name)
  })

  test('names existing paths, except where it says that they were removed', () => {
    const paths = SERVED
    const [unreleased = ''] = text.split(/^## (?!Unreleased$)/m)
    const named = [...unreleased.replace(/^### Removed$.*?(?=^#|(?![^]))/ms, '').matchAll(/`(\/[^\s`]*)`/g)].map(([, path = '']) => path)
    expect(named.length).toBeGreaterThan(0)
    const isThere = (name: string): boolean =>
      name.endsWith('/*') ? paths.some((path) => path.startsWith(name.slice(0, -1))) : paths.includes(name)
    expect(named.filter((name) => !isThere(name))).toEqual([])
  })

  test('is shown whole, as English text within a page of the requested language', async () => {
    for (const [lang, title] of [
      ['es', 'Cambios de la API'],
      ['en', 'Changelog'],
    ] as const) {
      const { html } = await page(`/changelog?lang=${lang}`)
      expect(html).toContain(`<h1>${title}</h1>`)
      const [, shown = ''] = /<div lang="en">(.*)<\/div>\n<\/main>/s.exec(html) ?? []
      for (const [, heading] of text.matchAll(/^##+ (.*)$/gm)) expect(shown).toMatch(new RegExp(`<h[23]>${heading}</h[23]>`))
      expect(shown.match(/<li>/g)).toHaveLength([...text.matchAll(/^- /gm)].length)
      expect(shown).not.toMatch(/\*\*|^#|`/m)
    }
  })
})

describe('the pages of methods', () => {
  test('are linked from the operations whose figures they explain, which are short themselves', () => {
    const explained = endpoints.filter((one) => one.explained)
    expect(explained.length).toBeGreaterThan(0)
    for (const { path, explained: method } of explained) {
      const { summary, description: about, externalDocs } = description.paths[path].get
      expect(externalDocs.url, path).toBe(`https://api.example.org${methodPath(method as MethodPage)}`)
      expect([summary.length <= 80, about.length <= 400], path).toEqual([true, true])
      // One name is one page.
      expect(METHODS.get((method as MethodPage).name), path).toBe(method)
    }
  })

  test('show their Markdown, and name existing paths', async () => {
    const paths = [...SERVED, ...[...METHODS.values()].map(methodPath)]
    for (const method of METHODS.values()) {
      const text = readFileSync(method.file, 'utf8')
      const { html } = await page(`${methodPath(method)}?lang=en`)
      expect(html).toContain(`<h1>${/^# (.*)$/m.exec(text)?.[1]}</h1>`)
      for (const [, heading] of text.matchAll(/^## (.*)$/gm)) expect(html).toContain(`<h2>${heading}</h2>`)
      const named = [...text.matchAll(/`(\/[^\s`]*)`|\]\((\/[^)]*)\)/g)].map(([, code, link]) => code ?? link)
      expect(
        named.filter((name) => !paths.includes(name as string)),
        method.name,
      ).toEqual([])
    }
  })

  test('are not found under other names', async () => {
    for (const name of ['constructor', 'Black-Spots']) expect((await service.get(`/docs/methods/${name}`)).status).toBe(404)
    expect(() => defineMethodPage('Black spots', new URL('file:///a.md'))).toThrow('Black spots')
  })

  test('list the holidays of the calendar', () => {
    expect(readFileSync(METHODS.get('typical-traffic')?.file as URL, 'utf8')).toContain(`known until ${HOLIDAYS_UNTIL}.`)
  })
})

describe('the guides', () => {
  test('are pages that the description links to, and name existing paths', async () => {
    const paths = [...SERVED, ...[...GUIDES.keys()].map((name) => `/docs/guides/${name}`)]
    for (const [name, { file }] of GUIDES) {
      const markdown = readFileSync(file, 'utf8')
      const { html } = await page(`/docs/guides/${name}?lang=en`)
      expect(html).toContain(`<h1>${/^# (.*)$/m.exec(markdown)?.[1]}</h1>`)
      expect(description.info.description).toContain(`/docs/guides/${name})`)
      const named = [...markdown.matchAll(/`(\/[^\s`?]*)[^`]*`/g)].map(([, path]) => path as string)
      expect(
        named.filter((path) => !paths.includes(path)),
        name,
      ).toEqual([])
    }
    expect((await service.get('/docs/guides/constructor')).status).toBe(404)
  })
})

describe('the catalogue of the API', () => {
  const path = '/.well-known/api-catalog'

  test('is a set of links that says its relation, to HEAD too', async () => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await fetch(`${service.url}${path}`, { method })
      expect(status).toBe(200)
      expect(headers.get('content-type')).toBe('application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"')
      expect(headers.get('link')).toContain(`<${service.url}${path}>; rel="api-catalog"`)
    }
  })

  test('leads to every endpoint that a URL can name, and to documents that are there', async () => {
    const [items, documents] = (await service.json(path)).linkset as [Reply, Reply]
    expect(items.anchor).toBe(`${service.url}${path}`)
    const named = endpoints.filter((one) => pathParams(one.path).length === 0)
    expect(items.item.map(({ href, title }: Reply) => [href, title])).toEqual(
      named.map((one) => [`${service.url}${one.path}`, one.summary]),
    )
    const { anchor, ...relations } = documents
    expect(anchor).toBe(`${service.url}/api/`)
    expect(Object.keys(relations)).toEqual(['service-desc', 'service-doc', 'service-meta', 'status', 'license'])
    for (const { href, type } of Object.values<Reply[]>(relations).flat()) {
      const response = await fetch(href, { headers: { Accept: type } })
      expect([response.status, response.headers.get('content-type')?.split(';')[0]], href).toEqual([200, type])
    }
  })
})

describe('the text for language models', () => {
  test('has the form of llmstxt.org', async () => {
    const response = await service.get('/llms.txt')
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const text = await response.text()
    expect(text).toMatch(/^# [^\n]+\n\n> [^\n]+\n\n- /)
    expect(text.match(/^# /gm)).toHaveLength(1)
    const [, ...sections] = text.split('\n## ')
    expect(sections.map((one) => one.split('\n')[0])).toEqual([
      ...[...new Set(endpoints.map(({ domain }) => domain))].map((domain) => `Data: ${domain}`),
      'Documents',
      'Optional',
    ])
    for (const section of sections)
      for (const line of section.trim().split('\n').slice(2)) expect(line).toMatch(/^- \[[^\]]+\]\(http[^\s)]+\): .{10,}$/)
  })

  test('has one line for each endpoint, with its plan and a request that is its example, and leads to documents that are there', async () => {
    const text = await (await service.get('/llms.txt')).text()
    const lines = [...text.matchAll(/^- \[([^\]]+)\]\(([^)]+)\): (.*)$/gm)]
    for (const endpoint of endpoints) {
      const { path, summary, plan } = endpoint
      const found = lines.filter(([, name]) => name === path)
      expect(found.map(([, , href]) => href)).toEqual([`${service.url}${requestOf(endpoint, {}, now)}`])
      const from = listOfIds(endpoint, endpoints)
      expect(found[0]?.[3]?.includes(`${from?.parameter}: from ${from?.list.path}.`), path).toBe(from !== null)
      expect(found[0]?.[3]?.startsWith(`${summary}. ${plan}.`), path).toBe(true)
    }
    const others = lines.filter(([, name]) => !name?.startsWith('/api/'))
    expect(others.length).toBeGreaterThan(3)
    for (const [, name, href] of others) expect((await fetch(href as string)).status, name).toBe(200)
  })
})

describe('the files that browsers and search engines request by themselves', () => {
  test('are there, and cost none of the requests of an address', async () => {
    const limited = await startService({ plans: DEFAULT_PLANS })
    try {
      for (let time = 0; time < 8; time++) {
        const icon = await limited.open('/favicon.ico')
        expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
        expect(await icon.text()).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg".*<\/svg>$/)
        const robots = await limited.open('/robots.txt')
        expect(robots.headers.get('content-type')).toBe('text/plain; charset=utf-8')
        expect(await robots.text()).toMatch(/^User-agent: \*\n(?:.*\n)*Disallow: \/api\/\n/)
      }
      const { minute } = DEFAULT_PLANS.ANONYMOUS
      for (let time = 0; time < minute; time++) expect((await limited.open('/api/sources')).status).toBe(200)
      expect((await limited.open('/api/sources')).status).toBe(429)
    } finally {
      await limited.close()
    }
  })
})

describe('the contact for weaknesses', () => {
  const path = '/.well-known/security.txt'
  const fieldsOf = (text: string): Record<string, string> =>
    Object.fromEntries(
      text
        .trim()
        .split('\n')
        .map((line) => line.split(/: (.*)/, 2)),
    )

  test('is announced for less than a year, with an expiry day that moves on', async () => {
    const response = await service.get(path)
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const first = fieldsOf(await response.text())
    expect(first).toEqual({
      Contact: 'mailto:security@example.org',
      Expires: '2026-07-01T00:00:00Z',
      'Preferred-Languages': 'es, en',
      Canonical: `${service.url}${path}`,
    })
    now = T0 + 400 * DAY_MS
    const later = Date.parse(fieldsOf(await (await service.get(path)).text())['Expires'] as string)
    expect(later).toBeGreaterThan(now + 170 * DAY_MS)
    expect(later).toBeLessThan(now + 365 * DAY_MS)
    now = T0
  })

  test('is absent without a contact', async () => {
    const silent = await startService({ endpoints: [] })
    try {
      const response = await silent.get(path)
      expect(response.status).toBe(404)
      expect((await response.json()) as Reply).toMatchObject({ code: 'not-found' })
    } finally {
      await silent.close()
    }
  })
})

test.each([
  [undefined, 'es'],
  ['', 'es'],
  ['*', 'es'],
  ['fr', 'es'],
  ['en', 'en'],
  ['en-GB', 'en'],
  ['EN-us, es;q=0.9', 'en'],
  ['es-ES,es;q=0.9,en;q=0.5', 'es'],
  ['es;q=0.4, en;q=0.8', 'en'],
  ['fr, en;q=0.3', 'en'],
  ['de-ES, en;q=0.5', 'en'],
  ['en;q=0', 'es'],
  ['english', 'es'],
  ['en;q=x', 'es'],
])('Accept-Language %s is answered in %s', (header, expected) => {
  expect(languageOf({ headers: { 'accept-language': header } } as never)).toBe(expected)
})

test.each([
  [undefined, 'html'],
  ['', 'html'],
  ['text/html,application/xhtml+xml,*/*;q=0.8', 'html'],
  ['application/json', 'json'],
  ['application/json, text/html;q=0.9', 'json'],
  ['*/*', 'html'],
  ['text/plain', null],
] as const)('Accept %s gives %s of a page and JSON', (accept, expected) => {
  expect(acceptedType(accept, { html: 'text/html', json: 'application/json' })).toBe(expected)
})
