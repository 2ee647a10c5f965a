import { readFileSync } from 'node:fs'
import type { Language } from '../access/accounts.ts'
import type { Endpoint } from '../define/endpoint.ts'
import type { MethodPage } from '../define/method-page.ts'
import { escaped, htmlPage, pageLinks } from './html.ts'
import { renderMarkdown } from './markdown.ts'

/** The method pages that endpoints declare, by name. */
export function methodPages(endpoints: readonly Endpoint[]): ReadonlyMap<string, MethodPage> {
  return new Map(endpoints.flatMap(({ explained }) => (explained ? [[explained.name, explained] as const] : [])))
}

/** A method page as HTML: English text within a page of either language. */
export function methodHtml({ file }: MethodPage, language: Language): string {
  const { title, html } = renderMarkdown(readFileSync(file, 'utf8'))
  const after = pageLinks(language)
  if (language === 'en') return htmlPage(language, { title, body: html, after })
  return htmlPage(language, {
    title: 'Cómo se calcula (en inglés)',
    body: `<div lang="en"><p><strong>${escaped(title)}</strong></p>${html}</div>`,
    after,
  })
}
