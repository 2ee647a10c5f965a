import { LRUCache } from 'lru-cache'
import { type AddressLimit, type AddressLimitParts, limitByAddress } from '../../auth/address-limit.ts'
import { perMinute } from '../../auth/limits/policy.ts'
import type { PathGroups } from '../../auth/usage/path-groups.ts'
import { ownAnswers, type Served } from '../../engine/answers/own-answers.ts'
import type { Feature } from '../../engine/feature.ts'
import { cachedDocument, registerDocument } from '../../engine/replies/documents.ts'
import type { MadeResponse } from '../../engine/replies/responses.ts'
import { queryReader } from '../../engine/request/request.ts'
import type { ServiceState } from '../../engine/state/state.ts'
import { type Language, languageOf } from '../../kernel/language.ts'
import { textParam } from '../../kernel/params/params.ts'
import { HTML, PAGE_LANG, PAGE_SECURITY } from '../site/html.ts'
import { catalogueReads } from './catalogue-reads.ts'
import { datasetListPage } from './dataset-list-page.ts'
import { datasetPage } from './dataset-page.ts'
import { modelListPage, modelPage } from './model-pages.ts'
import { sourcesPage } from './sources-page.ts'

/** What the pages of the catalogue are made from. */
interface CatalogueParts extends AddressLimitParts {
  readonly groups: Pick<PathGroups, 'take'>
  readonly served: readonly Served[]
  readonly state: Pick<ServiceState, 'mode'>
  readonly clock: () => number
  readonly baseUrl: () => string
}

/** A page of a dataset asks for five lists of the API. */
const CATALOGUE_LIMIT: AddressLimit = Object.freeze({ name: 'catalogue', policies: [perMinute(120)], isStated: false })
/** How long a page is shown before it is made again, in s. */
const FRESH_S = 60
const MAX_PAGES = 400

const readPage = queryReader({ lang: PAGE_LANG })
const readSearch = queryReader({
  lang: PAGE_LANG,
  q: textParam('Words of the title, the description, the id or the publisher.'),
  domain: textParam('Only datasets of this domain.', { max: 40 }),
  licence: textParam('Only datasets with data under this licence.', { max: 200 }),
})

/** Pages about what there is: datasets, their sources, and the models. */
export const catalogueFeature: Feature<CatalogueParts> = {
  id: 'catalogue',
  register: (app, parts) =>
    void app.register(async (scope) => {
      const { clock, served, state, baseUrl } = parts
      limitByAddress(scope, parts, CATALOGUE_LIMIT)
      parts.groups.take(scope, 'platform', parts.callerOf)
      const reads = catalogueReads(ownAnswers(served, clock), served)
      const made = new LRUCache<string, { readonly at: number; readonly page: Promise<MadeResponse> }>({ max: MAX_PAGES })
      /** Returns the page of this name, made in the last minute. */
      const cached = (name: string, language: Language, make: () => Promise<string>): Promise<MadeResponse> => {
        const known = made.get(name)
        if (known && clock() - known.at < FRESH_S * 1000) return known.page
        const page = make().then((text) => document(language, text))
        made.set(name, { at: clock(), page })
        page.catch(() => made.delete(name))
        return page
      }
      /** Registers a page; `make` gets the id in the path, if any. */
      const page = (url: string, make: (language: Language, id: string, address: string) => Promise<string>): void =>
        registerDocument(scope, {
          url,
          clock,
          find: async ({ raw, params }) => {
            const language = readPage(raw.url ?? '/').lang ?? languageOf(raw)
            const { id = '' } = params as { readonly id?: string }
            return cached(`${url} ${id} ${language} ${state.mode}`, language, () =>
              make(language, id, `${baseUrl()}${url.replace(':id', id)}`),
            )
          },
        })
      registerDocument(scope, {
        url: '/datasets',
        clock,
        find: async ({ raw }) => {
          const { lang, ...search } = readSearch(withoutEmpty(raw.url ?? '/'))
          const language = lang ?? languageOf(raw)
          const make = async () =>
            datasetListPage(language, { datasets: await reads.datasets(), search, mode: state.mode, url: `${baseUrl()}/datasets` })
          // Callers choose the words of a search, so its page is not kept.
          const isSearch = Object.values(search).some((value) => value !== null)
          return isSearch ? document(language, await make()) : cached(`/datasets ${language} ${state.mode}`, language, make)
        },
      })
      page('/datasets/:id', async (language, id) =>
        datasetPage(language, { ...(await reads.dataset(id)), baseUrl: baseUrl(), mode: state.mode }),
      )
      page('/sources', async (language, _id, url) => sourcesPage(language, { sources: await reads.sources(), mode: state.mode, url }))
      page('/models', async (language, _id, url) => modelListPage(language, { models: await reads.models(), mode: state.mode, url }))
      page('/models/:id', async (language, id, url) => modelPage(language, { model: await reads.model(id), mode: state.mode, url }))
    }),
  describe: () => ({ paths: {} }),
}

function document(language: Language, text: string): Promise<MadeResponse> {
  return cachedDocument({ text, content_type: HTML, language, headers: PAGE_SECURITY, fresh_s: FRESH_S })
}

/** Removes parameters without a value: a form sends its empty fields. */
function withoutEmpty(url: string): string {
  const [path = '', query = ''] = url.split('?', 2)
  return `${path}?${query
    .split('&')
    .filter((one) => !one.endsWith('='))
    .join('&')}`
}
