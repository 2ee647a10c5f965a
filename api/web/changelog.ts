import type { Language } from '../access/accounts.ts'
import type { Endpoint } from '../define/endpoint.ts'
import { oneOf } from '../define/params.ts'
import { deprecationId } from '../http/deprecation.ts'
import { CHANGE_KINDS, CHANGES, type ChangeKind } from './changelog-entries.ts'
import { escaped, htmlPage, PAGE_LANG, pageLinks } from './html.ts'

/** Parameters of the list of changes. */
export const CHANGES_PARAMS = Object.freeze({
  lang: PAGE_LANG,
  format: oneOf('`html` for people or `json` for programs. What Accept prefers unless given.', ['html', 'json']),
})

/** A line of the list of changes, in one language. */
interface ListedChange {
  readonly id: string
  readonly date: string
  readonly kind: ChangeKind
  readonly paths: readonly string[]
  readonly text: string
  /** Of what is deprecated: the last day on which it answers, and what takes its place. */
  readonly sunset: string | null
  readonly replacement: string | null
}

/** Every change, the newest first: those that are told, and what the endpoints say of their own end. */
export function changeList(endpoints: readonly Endpoint[], language: Language): readonly ListedChange[] {
  const told = CHANGES.map((one) => ({ ...one, text: one.text[language], sunset: null, replacement: null }))
  const going = endpoints.flatMap((endpoint): ListedChange[] => {
    const { path, deprecated } = endpoint
    if (!deprecated) return []
    const { since, sunset, replacement = null, why } = deprecated
    return [{ id: deprecationId(endpoint), date: since, kind: 'DEPRECATED', paths: [path], text: why[language], sunset, replacement }]
  })
  return [...going, ...told].sort((a, b) => (a.date === b.date ? 0 : a.date < b.date ? 1 : -1))
}

/** The list as a program reads it. */
export function changesReply(endpoints: readonly Endpoint[], language: Language): { readonly changes: readonly object[] } {
  return {
    changes: changeList(endpoints, language).map(({ id, date, kind, paths, text, sunset, replacement }) => ({
      ...{ id, date, kind, paths, text, sunset, replacement },
    })),
  }
}

const WORDS = {
  es: {
    title: 'Cambios de la API',
    intro: 'Lo que cambia para quien usa la API. Añadir campos, parámetros y códigos no se anuncia como ruptura: cuente con ellos.',
    asJson: 'La misma lista en JSON',
    until: 'Responde hasta el',
    instead: 'En su lugar:',
    kinds: { ADDED: 'Nuevo', CHANGED: 'Cambiado', DEPRECATED: 'En retirada', REMOVED: 'Retirado', FIXED: 'Corregido' },
  },
  en: {
    title: 'Changes of the API',
    intro: 'What changes for those who use the API. New fields, parameters and codes break nothing: expect them.',
    asJson: 'The same list as JSON',
    until: 'Answers until',
    instead: 'In its place:',
    kinds: { ADDED: 'Added', CHANGED: 'Changed', DEPRECATED: 'Deprecated', REMOVED: 'Removed', FIXED: 'Fixed' },
  },
} as const

/** The list as people read it. */
export function changesPage(endpoints: readonly Endpoint[], language: Language): string {
  const words = WORDS[language]
  const byDay = Map.groupBy(changeList(endpoints, language), ({ date }) => date)
  const days = [...byDay].map(
    ([date, changes]) => `<section><h2><time datetime="${date}">${dayText(date, language)}</time></h2>
${changes.map((one) => changeHtml(one, language)).join('\n')}
</section>`,
  )
  const body = `<p>${words.intro} <a href="?format=json&amp;lang=${language}">${words.asJson}</a></p>\n${days.join('\n')}`
  return htmlPage(language, { title: words.title, body, after: pageLinks(language) })
}

function changeHtml({ id, kind, paths, text, sunset, replacement }: ListedChange, language: Language): string {
  const words = WORDS[language]
  const until = sunset === null ? '' : ` ${words.until} <time datetime="${sunset}">${dayText(sunset, language)}</time>.`
  const instead = replacement === null ? '' : ` ${words.instead} <code>${escaped(replacement)}</code>`
  const about = paths.map((path) => `<code>${escaped(path)}</code>`).join(', ')
  return `<article id="${escaped(id)}"><h3>${words.kinds[kind]}${about === '' ? '' : `: ${about}`}</h3><p>${escaped(text)}${until}${instead}</p></article>`
}

function dayText(day: string, language: Language): string {
  return new Date(`${day}T00:00:00Z`).toLocaleDateString(language, { dateStyle: 'long', timeZone: 'UTC' })
}

const DAY = { type: 'string', format: 'date' }

/** The members of the list, as schemas. */
export const CHANGES_SCHEMA = Object.freeze({
  changes: {
    type: 'array',
    description: 'The newest first.',
    items: {
      type: 'object',
      required: ['id', 'date', 'kind', 'paths', 'text', 'sunset', 'replacement'],
      properties: {
        id: { type: 'string', description: 'Name of the change; /changelog#<id> shows it.' },
        date: { ...DAY, description: 'Day of the change, in UTC.' },
        kind: { type: 'string', enum: CHANGE_KINDS, description: 'What became of the paths.' },
        paths: { type: 'array', items: { type: 'string' }, description: 'Paths that it is about; * stands for all below.' },
        text: { type: 'string', description: 'What changed, in the language asked for.' },
        sunset: { ...DAY, type: ['string', 'null'], description: 'Of what is deprecated: the last day on which it answers, in UTC.' },
        replacement: { type: ['string', 'null'], description: 'Of what is deprecated: the path that takes its place.' },
      },
    },
  },
})
