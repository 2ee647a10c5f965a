import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { madridDate } from '../../../lake/schema/time.ts'
import type { SourceMode } from '../../../lake/system.ts'
import { cachedDocument, DESCRIPTION_S, documentUrls, oneDocument, registerDocument } from '../../engine/replies/documents.ts'
import type { MadeResponse } from '../../engine/replies/responses.ts'
import { queryReader } from '../../engine/request/request.ts'
import type { Endpoint } from '../../kernel/endpoint.ts'
import { type Language, languageOf } from '../../kernel/language.ts'
import { PROBLEMS, type ProblemCode, problem } from '../../kernel/problems.ts'
import { ASSET_VERSION, readAsset } from './assets.ts'
import { apiCatalog, CATALOG_PATH, CATALOG_TYPE, catalogLinks, llmsText, ROBOTS_TEXT, securityText } from './discovery.ts'
import { FRESH_S, type Home } from './home.ts'
import { HTML, htmlPage, ICON, MAP_SECURITY, PAGE_LANG, PAGE_SECURITY } from './html.ts'
import { renderMarkdown } from './markdown.ts'
import { PLANS_PATH, type PlansPageParts, plansPage } from './plans-page.ts'
import { problemPage } from './problem-page.ts'
import { startPage } from './start-page.ts'

/** What pages and the descriptions for programs are made of. */
export interface PageParts extends PlansPageParts {
  readonly endpoints: readonly Endpoint[]
  readonly home: Pick<Home, 'content'>
  /** The address for reports of vulnerabilities; null if there is none. */
  readonly securityContact: string | null
  readonly state: { readonly mode: SourceMode }
  readonly clock: () => number
  readonly baseUrl: () => string
}

const PLAIN = 'text/plain; charset=utf-8'
const NO_PARAMS = queryReader({})
const readPage = queryReader({ lang: PAGE_LANG })

/** Registers the public pages, and the descriptions of the service for programs. */
export function registerPages(app: FastifyInstance, parts: PageParts): void {
  const { endpoints, plans, home, securityContact, state, clock, baseUrl } = parts
  const cachedAt = documentUrls()
  const document = (url: string, find: (request: FastifyRequest) => Promise<MadeResponse>): void =>
    registerDocument(app, { url, clock, find })
  /**
   * Registers a page that is made once for each language. `find` returns what renders it at its address, or throws the
   * problem of a name in the URL that has none.
   */
  const page = (url: string, find: (name: string) => (language: Language, address: string) => string): void =>
    document(url, async ({ raw, params }) => {
      const [name = ''] = Object.values(params as Readonly<Record<string, string>>)
      const make = find(name)
      const language = readPage(raw.url ?? '/').lang ?? languageOf(raw)
      return cachedAt(`${url} ${name} ${language} ${state.mode}`, () =>
        cachedDocument({
          text: make(language, `${baseUrl()}${url.replace(/:.*/, name)}`),
          content_type: HTML,
          language,
          headers: PAGE_SECURITY,
        }),
      )
    })
  /** Registers a document without parameters. `name` distinguishes its versions. */
  const plain = (url: string, make: () => Parameters<typeof cachedDocument>[0], name = () => url): void =>
    document(url, async ({ raw }) => {
      NO_PARAMS(raw.url ?? '/')
      return cachedAt(name(), () => cachedDocument(make()))
    })

  document('/', async ({ raw }) => {
    const language = readPage(raw.url ?? '/').lang ?? languageOf(raw)
    const text = startPage(language, { content: await home.content(), plans, baseUrl: baseUrl(), mode: state.mode })
    return cachedDocument({ text, content_type: HTML, language, headers: MAP_SECURITY, fresh_s: FRESH_S })
  })
  const asset: Parameters<typeof document>[1] = async ({ raw, params }) => {
    NO_PARAMS(raw.url ?? '/')
    const { version, folder, name: file } = params as { readonly version: string; readonly folder?: string; readonly name: string }
    const name = folder === undefined ? file : `${folder}/${file}`
    const missing = () => problem('not-found', 'There is no such file; pages link to the existing ones.')
    if (version !== ASSET_VERSION) throw missing()
    return cachedAt(`/assets ${name}`, async () => {
      const found = await readAsset(name)
      if (!found) throw missing()
      const { content_type, isText, body } = found
      return cachedDocument({ text: { body, etag: `W/"${version}"` }, content_type, isText, isImmutable: true })
    })
  }
  document('/assets/:version/:name', asset)
  document('/assets/:version/:folder/:name', asset)
  page('/problems/:code', (code) => {
    if (!Object.hasOwn(PROBLEMS, code)) throw problem('not-found', 'There is no such problem.')
    return (language, address) => problemPage(code as ProblemCode, language, address)
  })
  page(PLANS_PATH, () => (language, address) => plansPage(language, parts, address))
  page('/changelog', () => changelogPage)
  const forModels = oneDocument()
  document('/llms.txt', async ({ raw }) => {
    NO_PARAMS(raw.url ?? '/')
    const [now, base] = [clock(), baseUrl()]
    // Its example requests name days.
    return forModels(`${base} ${madridDate(now)}`, () =>
      cachedDocument({ text: llmsText(endpoints, { baseUrl: base, plans, now }), content_type: PLAIN, language: 'en' }),
    )
  })
  // The port may be chosen late, and with it our own address.
  plain(
    CATALOG_PATH,
    () => ({ text: JSON.stringify(apiCatalog(endpoints, baseUrl())), content_type: CATALOG_TYPE, links: catalogLinks(baseUrl()) }),
    () => `catalogue ${baseUrl()}`,
  )
  // Browsers and search engines request these automatically. As unknown paths they would use up the few requests without a key.
  plain('/favicon.ico', () => ({ text: ICON, content_type: 'image/svg+xml' }))
  plain('/robots.txt', () => ({ text: ROBOTS_TEXT, content_type: PLAIN }))
  app.get('/.well-known/security.txt', { exposeHeadRoute: true }, async ({ raw }, reply) => {
    NO_PARAMS(raw.url ?? '/')
    if (securityContact === null) throw problem('not-found', 'This service has no contact for reports of vulnerabilities.')
    return reply
      .headers({ 'Content-Type': PLAIN, 'Cache-Control': `public, max-age=${DESCRIPTION_S}` })
      .send(securityText(securityContact, { baseUrl: baseUrl(), now: clock() }))
  })
}

const FILE = new URL('../../CHANGELOG.md', import.meta.url)

/** Renders the changelog, `api/CHANGELOG.md`. */
function changelogPage(language: Language, url: string): string {
  const { title, html } = renderMarkdown(readFileSync(FILE, 'utf8'))
  const intro = language === 'es' ? '<p>La lista de cambios está en inglés.</p>' : ''
  return htmlPage(language, {
    ...{ title: language === 'es' ? 'Cambios de la API' : title, url },
    about: language === 'es' ? 'Lo que cambia para quien usa la API.' : 'What changes for callers of the API.',
    body: `${intro}<div lang="en">${html}</div>`,
  })
}
