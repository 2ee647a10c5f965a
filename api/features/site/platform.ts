import type { FastifyInstance } from 'fastify'
import { PLAN_PARAMS, plansReply } from '../../auth/plan-list.ts'
import { namedRecords } from '../../engine/answers/named-records.ts'
import { DESCRIPTION_S, described, documentUrls, registerDocument } from '../../engine/replies/documents.ts'
import type { MadeResponse } from '../../engine/replies/responses.ts'
import { queryReader } from '../../engine/request/request.ts'
import { type ReadinessParts, readinessOf } from '../../engine/state/readiness.ts'
import { rowDocument } from '../../engine/tables/openapi-tables.ts'
import { languageFor } from '../../kernel/language.ts'
import { SPOKEN } from '../../kernel/params/params-page.ts'
import { problem } from '../../kernel/problems.ts'
import { type PageParts, registerPages } from './pages.ts'
import { DESCRIPTION_PARAMS } from './platform-openapi.ts'

/** What the paths without data work with. */
export interface PlatformParts extends Omit<PageParts, 'hasPath' | 'state'>, ReadinessParts {
  /** Returns the description in a language and, with `.json`, with one media type. */
  readonly descriptions: { find(variant: 'en' | 'es' | 'en.json' | 'es.json'): Promise<MadeResponse> }
  readonly upgradeUrl: () => string
}

const NO_PARAMS = queryReader({})
const NO_STORE = Object.freeze({ 'Cache-Control': 'no-store' })

/** Registers the paths without data. */
export function registerPlatform(app: FastifyInstance, parts: PlatformParts): void {
  const { endpoints, state, descriptions, plans, upgradeUrl, clock, baseUrl } = parts
  app.get('/health', { exposeHeadRoute: true }, async (_request, reply) => reply.headers(NO_STORE).send({ status: 'ok' }))
  const ready = readinessOf(parts)
  app.get('/ready', { exposeHeadRoute: true }, async (_request, reply) => {
    const { status, ...found } = await ready()
    return reply
      .code(status === 'not ready' ? 503 : 200)
      .headers(NO_STORE)
      .send({ status, source_mode: state.mode, ...found })
  })
  const readDescribed = queryReader(DESCRIPTION_PARAMS)
  registerDocument(app, {
    ...{ url: '/openapi.json', clock },
    find: async ({ raw }) => {
      const { lang, media } = readDescribed(raw.url ?? '/')
      return descriptions.find(media ? `${lang}.${media}` : lang)
    },
  })
  const readPlanQuery = queryReader(PLAN_PARAMS)
  const hasPath = (url: string): boolean => app.hasRoute({ method: 'GET', url })
  const planLists = documentUrls()
  registerDocument(app, {
    ...{ url: '/api/plans', clock },
    find: async ({ raw }) => {
      const lang = readPlanQuery(raw.url ?? '/').lang ?? languageFor(raw.headers['accept-language'], SPOKEN)
      const url = upgradeUrl()
      return planLists(`${lang} ${url}`, () => described(plansReply(plans, { lang, upgradeUrl: url, hasPath }), lang))
    },
  })
  registerPages(app, { ...parts, hasPath })
  const records = namedRecords(endpoints)
  app.get('/schemas/:name', { exposeHeadRoute: true }, async (request, reply) => {
    NO_PARAMS(request.raw.url ?? '/')
    const record = records.get((request.params as { name: string }).name)
    if (!record) throw problem('not-found', 'There is no such schema.')
    return reply
      .headers({ 'Content-Type': 'application/schema+json', 'Cache-Control': `public, max-age=${DESCRIPTION_S}` })
      .send(JSON.stringify(rowDocument(record, baseUrl())))
  })
}
