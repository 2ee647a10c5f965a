import type { FastifyInstance, FastifyRequest } from 'fastify'
import { madridDate } from '../../../lake/schema/time.ts'
import type { SourceMode } from '../../../lake/system.ts'
import { cachedDocument, DESCRIPTION_S, documentUrls, oneDocument, registerDocument } from '../../engine/replies/documents.ts'
import type { MadeResponse } from '../../engine/replies/responses.ts'
import { queryReader } from '../../engine/request/request.ts'
import type { Endpoint } from '../../kernel/endpoint.ts'
import type { Language } from '../../kernel/language.ts'
import { languageOf } from '../../kernel/language.ts'
import { PROBLEMS, type ProblemCode, problem } from '../../kernel/problems.ts'
import { changelogPage } from './changelog.ts'
import { apiCatalog, CATALOG_PATH, CATALOG_TYPE, catalogLinks, llmsText, ROBOTS_TEXT, securityText } from './discovery.ts'
import { DOCS_SECURITY, docsPage, SCRIPTS } from './docs.ts'
import { type Figure, FRESH_S } from './figures.ts'
import { HTML, ICON, PAGE_LANG, PAGE_SECURITY } from './html.ts'
import { GUIDES, guideHtml, methodHtml, methodPages } from './method-page.ts'
import { PLANS_PATH, type PlansPageParts, plansPage } from './plans-page.ts'
import { problemPage } from './problem-page.ts'
import { startPage } from './start-page.ts'

/** What pages and the descriptions for programs are made of. */
export interface PageParts extends PlansPageParts {
  readonly endpoints: readonly Endpoint[]
  /** Returns the current numbers of the first page. */
  readonly figures: () => Promise<readonly Figure[]>
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
  const { endpoints, plans, figures, securityContact, state, clock, baseUrl } = parts
  const cachedAt = documentUrls()
  /** Documents that are made once for each language. */
  const inLanguage = (
    { raw }: FastifyRequest,
    name: string,
    make: (language: Language) => Promise<MadeResponse>,
  ): Promise<MadeResponse> => {
    const { lang } = readPage(raw.url ?? '/')
    const language = lang ?? languageOf(raw)
    return cachedAt(`${name} ${language} ${state.mode}`, () => make(language))
  }
  const page = (text: string, language: Language, headers = PAGE_SECURITY): Promise<MadeResponse> =>
    cachedDocument({ text, content_type: HTML, language, headers })

  registerDocument(app, {
    url: '/',
    clock,
    find: async ({ raw }) => {
      const language = readPage(raw.url ?? '/').lang ?? languageOf(raw)
      const text = startPage(language, { figures: await figures(), plans, baseUrl: baseUrl(), mode: state.mode })
      return cachedDocument({ text, content_type: HTML, language, headers: PAGE_SECURITY, fresh_s: FRESH_S })
    },
  })
  registerDocument(app, {
    url: '/docs',
    clock,
    find: (request) => inLanguage(request, 'docs', (language) => page(docsPage(language, state.mode), language, DOCS_SECURITY)),
  })
  registerDocument(app, {
    url: '/docs/assets/:version/:name',
    clock,
    find: async ({ raw, params }) => {
      NO_PARAMS(raw.url ?? '/')
      const { version, name } = params as { readonly version: string; readonly name: string }
      const script = Object.hasOwn(SCRIPTS, name) ? SCRIPTS[name as keyof typeof SCRIPTS] : undefined
      if (script?.version !== version) throw problem('not-found', 'There is no such file; /docs links to the existing ones.')
      const content_type = 'text/javascript; charset=utf-8'
      return cachedAt(name, async () => cachedDocument({ text: await script.text(), content_type, isImmutable: true }))
    },
  })
  const methods = methodPages(endpoints)
  registerDocument(app, {
    url: '/docs/methods/:name',
    clock,
    find: async (request) => {
      const { name } = request.params as { readonly name: string }
      const method = methods.get(name)
      if (!method) throw problem('not-found', 'There is no such page; the operations of /openapi.json link to those that exist.')
      return inLanguage(request, `method ${name}`, (language) => page(methodHtml(method, language), language))
    },
  })
  registerDocument(app, {
    url: '/docs/guides/:name',
    clock,
    find: async (request) => {
      const { name } = request.params as { readonly name: string }
      const guide = GUIDES.get(name)
      if (!guide) throw problem('not-found', `There is no such guide: ${[...GUIDES.keys()].join(', ')}.`)
      return inLanguage(request, `guide ${name}`, (language) => page(guideHtml(guide, language), language))
    },
  })
  registerDocument(app, {
    url: '/problems/:code',
    clock,
    find: async (request) => {
      const { code } = request.params as { readonly code: string }
      if (!Object.hasOwn(PROBLEMS, code)) throw problem('not-found', 'There is no such problem.')
      return inLanguage(request, `problem ${code}`, (language) => page(problemPage(code as ProblemCode, language), language))
    },
  })
  registerDocument(app, {
    url: PLANS_PATH,
    clock,
    find: (request) => inLanguage(request, 'plans', (language) => page(plansPage(language, parts), language)),
  })
  registerDocument(app, {
    url: '/changelog',
    clock,
    find: (request) => inLanguage(request, 'changelog', (language) => page(changelogPage(language), language)),
  })
  const forModels = oneDocument()
  registerDocument(app, {
    url: '/llms.txt',
    clock,
    find: async ({ raw }) => {
      NO_PARAMS(raw.url ?? '/')
      const [now, base] = [clock(), baseUrl()]
      // Its example requests name days.
      return forModels(`${base} ${madridDate(now)}`, () =>
        cachedDocument({
          text: llmsText(endpoints, { baseUrl: base, plans, now }),
          content_type: PLAIN,
          language: 'en',
        }),
      )
    },
  })
  registerDocument(app, {
    url: CATALOG_PATH,
    clock,
    find: async ({ raw }) => {
      NO_PARAMS(raw.url ?? '/')
      // The port may be chosen late, and with it our own address.
      const base = baseUrl()
      return cachedAt(`catalogue ${base}`, () =>
        cachedDocument({ text: JSON.stringify(apiCatalog(endpoints, base)), content_type: CATALOG_TYPE, links: catalogLinks(base) }),
      )
    },
  })
  // Browsers and search engines request these automatically. As unknown paths they would use up the few requests without a key.
  const unbidden = {
    '/favicon.ico': { text: ICON, content_type: 'image/svg+xml' },
    '/robots.txt': { text: ROBOTS_TEXT, content_type: PLAIN },
  }
  for (const [url, document] of Object.entries(unbidden))
    registerDocument(app, {
      url,
      clock,
      find: async ({ raw }) => {
        NO_PARAMS(raw.url ?? '/')
        return cachedAt(url, () => cachedDocument(document))
      },
    })
  app.get('/.well-known/security.txt', { exposeHeadRoute: true }, async ({ raw }, reply) => {
    NO_PARAMS(raw.url ?? '/')
    if (securityContact === null) throw problem('not-found', 'This service has no contact for reports of vulnerabilities.')
    return reply
      .headers({ 'Content-Type': PLAIN, 'Cache-Control': `public, max-age=${DESCRIPTION_S}` })
      .send(securityText(securityContact, { baseUrl: baseUrl(), now: clock() }))
  })
}
