import { readFileSync } from 'node:fs'
import { deprecationId } from '../../engine/replies/deprecation.ts'
import type { Endpoint } from '../../kernel/endpoint.ts'
import type { Language } from '../../kernel/language.ts'
import { escaped, htmlPage, pageLinks } from './html.ts'
import { renderMarkdown } from './markdown.ts'

const FILE = new URL('../../CHANGELOG.md', import.meta.url)

const WORDS = {
  es: {
    title: 'Cambios de la API',
    intro: '<p>La lista de cambios está en inglés.</p>',
    deprecated: 'En retirada',
    until: 'Responde hasta el',
    instead: 'En su lugar:',
  },
  en: { title: null, intro: '', deprecated: 'Deprecated', until: 'Answers until', instead: 'In its place:' },
} as const

/** Renders the changelog: `api/CHANGELOG.md`, preceded by the deprecated endpoints. */
export function changelogPage(endpoints: readonly Endpoint[], language: Language): string {
  const words = WORDS[language]
  const { title, html } = renderMarkdown(readFileSync(FILE, 'utf8'))
  const body = `${words.intro}${deprecatedSection(endpoints, language)}<div lang="en">${html}</div>`
  return htmlPage(language, { title: words.title ?? title, body, after: pageLinks(language) })
}

/** Renders the deprecated endpoints, newest first. The Link headers of their replies lead to these entries. */
function deprecatedSection(endpoints: readonly Endpoint[], language: Language): string {
  const words = WORDS[language]
  const entries = endpoints
    .flatMap(({ path, deprecated }) => (deprecated ? [{ path, ...deprecated }] : []))
    .sort((one, other) => other.since.localeCompare(one.since))
    .map(({ path, since, sunset, replacement, why }) => {
      const instead = replacement ? ` ${words.instead} <code>${escaped(replacement)}</code>` : ''
      return `<article id="${deprecationId({ path })}"><h3>${dayHtml(since, language)}: <code>${escaped(path)}</code></h3>
<p>${escaped(why[language])} ${words.until} ${dayHtml(sunset, language)}.${instead}</p></article>`
    })
  return entries.length === 0 ? '' : `<section><h2>${words.deprecated}</h2>\n${entries.join('\n')}\n</section>\n`
}

function dayHtml(day: string, language: Language): string {
  const text = new Date(`${day}T00:00:00Z`).toLocaleDateString(language, { dateStyle: 'long', timeZone: 'UTC' })
  return `<time datetime="${day}">${text}</time>`
}
