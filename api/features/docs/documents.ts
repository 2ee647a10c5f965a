import { readFileSync } from 'node:fs'
import type { Endpoint } from '../../kernel/endpoint.ts'
import type { Language, LocalText } from '../../kernel/language.ts'
import { defineMethodPage, type MethodPage } from '../../kernel/method-page.ts'
import { escaped } from '../site/html.ts'
import { renderMarkdown } from '../site/markdown.ts'

/** Returns the method pages that endpoints declare, by name. */
export function methodPages(endpoints: readonly Endpoint[]): ReadonlyMap<string, MethodPage> {
  return new Map(endpoints.flatMap(({ explained }) => (explained ? [[explained.name, explained] as const] : [])))
}

/** A guide at `/docs/guides/<name>`: Markdown in English, and the same in Spanish. */
interface Guide {
  readonly name: string
  readonly file: URL
  readonly spanish: URL
  readonly title: LocalText
  /** What the reader learns, in one line. */
  readonly about: LocalText
}

const guide = (name: string, title: LocalText, about: LocalText): Guide => ({
  ...defineMethodPage(name, new URL(`./guides/${name}.md`, import.meta.url)),
  spanish: new URL(`./guides/${name}.es.md`, import.meta.url),
  title,
  about,
})

/** The guides in their order. */
const ALL: readonly Guide[] = [
  guide(
    'quick-start',
    { es: 'Primeros pasos', en: 'Quick start' },
    { es: 'Una clave y la primera petición en un minuto.', en: 'A key and the first request in a minute.' },
  ),
  guide(
    'authentication',
    { es: 'Autenticación', en: 'Authentication' },
    { es: 'Claves: crear, enviar, renovar y revocar.', en: 'Keys: make, send, rotate and revoke them.' },
  ),
  guide(
    'paging',
    { es: 'Páginas y filtros', en: 'Paging and filters' },
    { es: 'Cursores, filtros, orden y feeds de cambios.', en: 'Cursors, filters, order and feeds of changes.' },
  ),
  guide(
    'caching',
    { es: 'Caché y límites', en: 'Caching and limits' },
    { es: 'ETag, 304, compresión y cuotas.', en: 'ETag, 304, compression and quotas.' },
  ),
  guide(
    'errors',
    { es: 'Errores', en: 'Errors' },
    { es: 'Qué significa cada estado y qué hacer.', en: 'What each status means and what to do.' },
  ),
  guide(
    'streaming',
    { es: 'Eventos en directo', en: 'Streaming' },
    { es: 'Server-sent events que continúan tras un corte.', en: 'Server-sent events that resume after a break.' },
  ),
  guide(
    'webhooks',
    { es: 'Webhooks', en: 'Webhooks' },
    { es: 'Eventos firmados en su servidor, y cómo comprobarlos.', en: 'Signed events at your server, and how to verify them.' },
  ),
  guide(
    'bulk',
    { es: 'Descargas masivas', en: 'Bulk data' },
    { es: 'CSV, NDJSON, Parquet y Arrow, y conjuntos enteros.', en: 'CSV, NDJSON, Parquet and Arrow, and whole datasets.' },
  ),
  guide(
    'languages',
    { es: 'DuckDB, Python, TypeScript y R', en: 'DuckDB, Python, TypeScript and R' },
    { es: 'Las mismas tablas en cuatro entornos.', en: 'The same tables in four environments.' },
  ),
  guide('gis', { es: 'SIG', en: 'GIS' }, { es: 'GeoJSON en QGIS, GDAL y mapas web.', en: 'GeoJSON in QGIS, GDAL and web maps.' }),
  guide(
    'mcp',
    { es: 'Asistentes (MCP)', en: 'Assistants (MCP)' },
    { es: 'Los datos como herramientas de un asistente.', en: 'The data as tools of an assistant.' },
  ),
]
export const GUIDES: ReadonlyMap<string, Guide> = new Map(ALL.map((one) => [one.name, one]))

/** A text of a page: its title, and its content as HTML with the language that it is in. */
export interface DocumentText {
  readonly title: string
  readonly html: string
}

/** Renders a guide. */
export function guideText({ file, spanish, title }: Guide, language: Language): DocumentText {
  return { title: title[language], html: read(language === 'es' ? spanish : file).html }
}

/** Renders a method page, whose text is English, with what it is about. */
export function methodText({ file }: MethodPage, language: Language): DocumentText & { readonly about: string } {
  const { title, html } = read(file)
  if (language === 'en') return { title, html, about: `How it is computed: ${title}` }
  return {
    title: 'Cómo se calcula',
    about: `Cómo se calcula: ${title}`,
    html: `<p class="tag">Texto en inglés</p><div lang="en"><h2>${escaped(title)}</h2>${html}</div>`,
  }
}

const read = (file: URL): ReturnType<typeof renderMarkdown> => renderMarkdown(readFileSync(file, 'utf8'))
