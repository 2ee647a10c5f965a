import type { SourceMode } from '../../../lake/system.ts'
import { inBoth, type Language } from '../../kernel/language.ts'
import { escaped, htmlPage } from '../site/html.ts'
import { GUIDES } from './documents.ts'
import { GROUPS } from './groups.ts'
import type { OperationIndex } from './reference.ts'

/** What a page of the documentation depends on. */
export interface DocsContext {
  readonly language: Language
  readonly mode: SourceMode
  readonly baseUrl: string
  /** The ids of the groups that this service has. */
  readonly groups: ReadonlySet<string>
}

/** A page of the documentation. */
interface DocsPage {
  readonly title: string
  readonly about: string
  /** Its path, which the navigation marks. */
  readonly path: string
  /** HTML below the heading. */
  readonly body: string
  /** The steps that lead to it, as path and text, after the start page. */
  readonly trail?: readonly (readonly [path: string, text: string])[]
  /** The operations of its group, for the navigation. */
  readonly operations?: readonly OperationIndex[]
}

const WORDS = inBoth({
  docs: ['Documentación', 'Documentation'],
  navigation: ['Guías y referencia', 'Guides and reference'],
  search: ['Buscar en guías y referencia', 'Search guides and reference'],
  guides: ['Guías', 'Guides'],
  reference: ['Referencia', 'Reference'],
  trail: ['Dónde está', 'Where you are'],
})

/** The start page of the documentation. */
export const DOCS_PATH = '/docs'

/** Renders a page of the documentation: search, navigation and content, in the common frame. */
export function docsFrame({ language, mode, baseUrl, groups }: DocsContext, page: DocsPage): string {
  const words = WORDS[language]
  const { title, about, path, body, trail = [], operations = [] } = page
  const link = (to: string, text: string): string =>
    `<a href="${to}?lang=${language}"${to === path ? ' aria-current="page"' : ''}>${text}</a>`
  const guides = [...GUIDES.values()].map((one) => `<li>${link(guidePath(one.name), escaped(one.title[language]))}</li>`)
  const isIn = (id: string): boolean => path === groupPath(id) || path.startsWith(`${groupPath(id)}/`)
  const inGroup = (id: string): string =>
    isIn(id) && operations.length > 0
      ? `<ul>${operations.map((one) => `<li>${link(operationPath(id, one.id), escaped(one.summary[language]))}</li>`).join('')}</ul>`
      : ''
  const reference = GROUPS.filter(({ id }) => groups.has(id)).map(
    (one) => `<li>${link(groupPath(one.id), escaped(one.title[language]))}${inGroup(one.id)}</li>`,
  )
  const steps = [[DOCS_PATH, words.docs] as const, ...trail].map(([to, text]) => `<li>${link(to, escaped(text))}</li>`)
  // The search comes first: in a long page that arrives in parts, it would move the article.
  return htmlPage(language, {
    ...{ title, about, mode, url: `${baseUrl}${path}`, hasHeading: true, isWide: true },
    path: DOCS_PATH,
    modules: ['docs.js'],
    styles: ['docs.css', 'operation.css'],
    body: `<div class="docs"><form id="find" role="search" hidden><label class="hidden" for="find-text">${words.search}</label><input id="find-text" type="search" placeholder="${words.search}" autocomplete="off" aria-controls="found"><p id="find-count" class="hidden" role="status"></p><ul id="found"></ul></form>
<article>${path === DOCS_PATH ? '' : `<nav class="trail" aria-label="${words.trail}"><ol>${steps.join('')}</ol></nav>`}
<h1>${escaped(title)}</h1>
${body}</article>
<div class="side"><nav aria-label="${words.navigation}"><h2>${words.guides}</h2><ul>${guides.join('')}</ul><h2>${words.reference}</h2><ul>${reference.join('')}</ul></nav></div></div>`,
  })
}

/** The path of a guide. */
export function guidePath(name: string): string {
  return `/docs/guides/${name}`
}

/** The path of a group of the reference. */
export function groupPath(id: string): string {
  return `/docs/reference/${id}`
}

/** The path of an operation's page. */
export function operationPath(group: string, id: string): string {
  return `${groupPath(group)}/${id}`
}

/** Renders a description as HTML: code in backticks, and nothing else of Markdown. */
export function inline(text: string): string {
  return escaped(text).replaceAll(/&#96;|`([^`]*)`/g, (_whole, code: string | undefined) =>
    code === undefined ? '`' : `<code>${code}</code>`,
  )
}
