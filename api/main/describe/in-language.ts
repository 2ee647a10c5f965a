import { groupText } from '../../features/docs/groups.ts'
import type { Language } from '../../kernel/language.ts'
import type { Part } from '../../kernel/openapi-parts.ts'

/** The texts of tags that are no groups of the reference, in Spanish. */
const TAGS_ES: Readonly<Record<string, string>> = Object.freeze({
  data: 'Todo lo que responde con datos.',
  extra: 'Además del catálogo de la especificación.',
  events: 'Eventos que se envían a su URL.',
})

interface Described {
  readonly info: Part
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Part>>>>
}

/** Returns a description in a language; each of its operations has the member `summary_es`, which goes. */
export function inLanguage(description: Part, language: Language): Part {
  const { info, tags, paths } = description as unknown as Described
  const translated = ({ summary_es, ...operation }: Part): Part => (language === 'es' ? { ...operation, summary: summary_es } : operation)
  const operations = Object.entries(paths).map(([path, methods]) => [
    path,
    Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, translated(operation)])),
  ])
  const texts = {
    info: { ...info, summary: 'Datos del transporte en España, en directo e históricos.' },
    tags: tags.map(({ name }) => ({ name, description: TAGS_ES[name] ?? groupText(name).es })),
  }
  return { ...description, ...(language === 'es' ? texts : {}), paths: Object.fromEntries(operations) }
}
