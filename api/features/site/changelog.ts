import { readFileSync } from 'node:fs'
import type { Language } from '../../kernel/language.ts'
import { htmlPage } from './html.ts'
import { renderMarkdown } from './markdown.ts'

const FILE = new URL('../../CHANGELOG.md', import.meta.url)

/** Renders the changelog, `api/CHANGELOG.md`. */
export function changelogPage(language: Language): string {
  const { title, html } = renderMarkdown(readFileSync(FILE, 'utf8'))
  const intro = language === 'es' ? '<p>La lista de cambios está en inglés.</p>' : ''
  return htmlPage(language, {
    title: language === 'es' ? 'Cambios de la API' : title,
    body: `${intro}<div lang="en">${html}</div>`,
  })
}
