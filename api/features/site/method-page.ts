import { readFileSync } from 'node:fs'
import type { Endpoint } from '../../kernel/endpoint.ts'
import type { Language } from '../../kernel/language.ts'
import { defineMethodPage, type MethodPage } from '../../kernel/method-page.ts'
import { escaped, htmlPage } from './html.ts'
import { renderMarkdown } from './markdown.ts'

/** Returns the method pages that endpoints declare, by name. */
export function methodPages(endpoints: readonly Endpoint[]): ReadonlyMap<string, MethodPage> {
  return new Map(endpoints.flatMap(({ explained }) => (explained ? [[explained.name, explained] as const] : [])))
}

/** The guides at `/docs/guides/<name>`: Markdown in English. */
const GUIDE_NAMES = ['quick-start', 'paging', 'caching', 'errors', 'bulk'] as const
export const GUIDES: ReadonlyMap<string, MethodPage> = new Map(
  GUIDE_NAMES.map((name) => [name, defineMethodPage(name, new URL(`./guides/${name}.md`, import.meta.url))]),
)

/** Renders a guide as HTML. */
export function guideHtml(guide: MethodPage, language: Language): string {
  return documentHtml(guide, language, 'Guía (en inglés)')
}

/** Renders a method page as HTML. */
export function methodHtml(method: MethodPage, language: Language): string {
  return documentHtml(method, language, 'Cómo se calcula (en inglés)')
}

/** Renders an English text within a page of either language. */
function documentHtml({ file }: MethodPage, language: Language, spanishTitle: string): string {
  const { title, html } = renderMarkdown(readFileSync(file, 'utf8'))
  if (language === 'en') return htmlPage(language, { title, body: html })
  return htmlPage(language, {
    title: spanishTitle,
    body: `<div lang="en"><p><strong>${escaped(title)}</strong></p>${html}</div>`,
  })
}
