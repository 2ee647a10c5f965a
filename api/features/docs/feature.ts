import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { SourceMode } from '../../../lake/system.ts'
import { type AddressLimitParts, limitByAddress, PLATFORM_LIMIT } from '../../auth/address-limit.ts'
import type { PlanTable } from '../../auth/plans.ts'
import type { PathGroups } from '../../auth/usage/path-groups.ts'
import type { Feature } from '../../engine/feature.ts'
import { cachedDocument, described, oneDocument, registerDocument } from '../../engine/replies/documents.ts'
import type { MadeResponse } from '../../engine/replies/responses.ts'
import { queryReader } from '../../engine/request/request.ts'
import type { Endpoint } from '../../kernel/endpoint.ts'
import { languageOf } from '../../kernel/language.ts'
import { problem } from '../../kernel/problems.ts'
import { HTML, PAGE_LANG, PAGE_SECURITY } from '../site/html.ts'
import { outlineSvg } from '../site/spain-outline.ts'
import { GUIDES, guideText, methodPages, methodText } from './documents.ts'
import { DOCS_PATH, type DocsContext, guidePath } from './frame.ts'
import { GROUPS } from './groups.ts'
import { docsPage, documentPage, groupPage, searchIndex } from './index-pages.ts'
import { OUTLINE_PATH, operationPage } from './operation-page.ts'
import type { OperationDoc, Reference } from './reference.ts'

/** What the documentation is made from. */
interface DocsParts extends AddressLimitParts {
  readonly groups: Pick<PathGroups, 'take'>
  readonly endpoints: readonly Endpoint[]
  readonly descriptions: { reference(): Promise<Reference> }
  readonly plans: PlanTable
  readonly state: { readonly mode: SourceMode }
  readonly clock: () => number
  readonly baseUrl: () => string
}

const unpack = promisify(zstdDecompress)
const readPage = queryReader({ lang: PAGE_LANG })
const NO_PARAMS = queryReader({})
/** Pages that stay in memory, each some 50 kB with its compressed forms. */
const MAX_PAGES = 120

/** Groups of operations that every service has, besides the domains of its endpoints. */
const ALWAYS = ['service', 'export', 'account', 'webhooks', 'platform']
/** The source of pages that stay the same while the process runs. */
const unversioned = async () => ({ version: '' })

/** The documentation at `/docs`: guides, pages of methods, and the reference from the OpenAPI description. */
export const docsFeature: Feature<DocsParts> = {
  id: 'docs',
  register: (app, parts) =>
    void app.register(async (scope) => {
      const { clock, plans, state, baseUrl, descriptions } = parts
      limitByAddress(scope, parts, PLATFORM_LIMIT)
      parts.groups.take(scope, 'platform', parts.callerOf)
      const pages = new LRUCache<string, Promise<MadeResponse>>({ max: MAX_PAGES })
      const cached = (name: string, make: () => Promise<MadeResponse>): Promise<MadeResponse> => {
        const made = pages.get(name) ?? make()
        pages.set(name, made)
        made.catch(() => pages.delete(name))
        return made
      }
      const groups = new Set([...parts.endpoints.map(({ domain }) => domain), ...ALWAYS])
      /** Registers a page, made once for each language and version of its source; `render` throws the problem of a wrong name. */
      const page = <S extends { readonly version: string }>(
        url: string,
        source: () => Promise<S>,
        render: (context: DocsContext, names: Readonly<Record<string, string>>, source: S) => string | Promise<string>,
      ): void =>
        registerDocument(scope, {
          url,
          clock,
          find: async ({ raw, params }: FastifyRequest) => {
            const language = readPage(raw.url ?? '/').lang ?? languageOf(raw)
            const names = params as Readonly<Record<string, string>>
            const from = await source()
            const context: DocsContext = { language, mode: state.mode, baseUrl: baseUrl(), groups }
            return cached(JSON.stringify([from.version, url, names, language, state.mode]), async () =>
              cachedDocument({ text: await render(context, names, from), content_type: HTML, language, headers: PAGE_SECURITY }),
            )
          },
        })
      const { reference } = descriptions

      page(DOCS_PATH, reference, (context, _names, found) => docsPage(context, found))
      page('/docs/reference/:group', reference, (context, { group = '' }, all) => {
        const found = groupOf(group, all)
        return groupPage(context, found.group, found.operations)
      })
      page('/docs/reference/:group/:operation', reference, async (context, { group = '', operation: id = '' }, all) => {
        const found = groupOf(group, all)
        const packed = all.packed[group] as Uint8Array
        const operation = (JSON.parse((await unpack(packed)).toString()) as readonly OperationDoc[]).find((one) => one.id === id)
        if (!operation) throw problem('not-found', `There is no such operation; /docs/reference/${group} lists those of the group.`)
        return operationPage(context, { ...found, operation, plans })
      })
      const methods = methodPages(parts.endpoints)
      page('/docs/methods/:name', unversioned, (context, { name = '' }) => {
        const method = methods.get(name)
        if (!method) throw problem('not-found', 'There is no such page; the operations of /openapi.json link to those that exist.')
        const text = methodText(method, context.language)
        return documentPage(context, { path: `/docs/methods/${name}`, text, about: text.about })
      })
      page('/docs/guides/:name', unversioned, (context, { name = '' }) => {
        const guide = GUIDES.get(name)
        if (!guide) throw problem('not-found', `There is no such guide: ${[...GUIDES.keys()].join(', ')}.`)
        const { title, html } = guideText(guide, context.language)
        // As the guides are written, the service is on the reader's machine.
        const text = { title, html: html.replaceAll('http://localhost:8080', context.baseUrl) }
        return documentPage(context, { path: guidePath(name), text, about: guide.about[context.language] })
      })
      registerDocument(scope, {
        url: '/docs/search-index',
        clock,
        find: async ({ raw }) => {
          const language = readPage(raw.url ?? '/').lang ?? languageOf(raw)
          const all = await reference()
          return cached(`${all.version} search ${language}`, () =>
            described(searchIndex({ language, mode: state.mode, baseUrl: baseUrl(), groups }, all), language),
          )
        },
      })
      const outline = oneDocument()
      registerDocument(scope, {
        url: OUTLINE_PATH,
        clock,
        find: async ({ raw }) => {
          NO_PARAMS(raw.url ?? '/')
          return outline('', () => cachedDocument({ text: outlineSvg(), content_type: 'image/svg+xml', fresh_s: 86_400 }))
        },
      })
    }),
  describe: () => ({ paths: {} }),
}

/** Returns a group of the reference with its operations. Throws the problem of one that is not there. */
function groupOf(id: string, { groups }: Reference) {
  const [group, found] = [GROUPS.find((one) => one.id === id), groups.find((one) => one.id === id)]
  if (!group || !found) throw problem('not-found', `There is no such group: ${groups.map((one) => one.id).join(', ')}.`)
  return { group, operations: found.operations }
}
