import { isOnPicture, picturePaths, type Shape } from '../../browser/spain-picture.ts'
import { inBoth, type Language } from '../../kernel/language.ts'
import { dataTable, escaped } from '../site/html.ts'
import { spainSvg } from '../site/spain-outline.ts'
import type { Sample } from './catalogue-reads.ts'
import { number } from './catalogue-words.ts'

const WORDS = inBoth({
  sample: ['Muestra', 'Sample'],
  none: [
    'Ninguna lista sin clave tiene estas filas. El esquema tiene un valor de ejemplo de cada columna.',
    'No list without a key has these rows. The schema has an example value of each column.',
  ],
  empty: ['La lista no tiene filas en este momento:', 'The list has no rows at the moment:'],
  from: ['De una petición sin clave:', 'From a request without a key:'],
  map: [
    (points: string) => `Mapa de España con ${points} posiciones de la muestra`,
    (points: string) => `Map of Spain with ${points} positions of the sample`,
  ],
  points: [(points: string) => `${points} posiciones de la muestra`, (points: string) => `${points} positions of the sample`],
})

/** Rows and fields that the table shows. */
const [ROWS, FIELDS] = [5, 9]
/** Longest text of a cell, in characters. */
const MAX_TEXT = 60

/** Renders rows of a sample as table and, if they have positions, as map. */
export function sampleHtml(language: Language, sample: Sample | null): string {
  const words = WORDS[language]
  const framed = (html: string): string => `<section aria-labelledby="sample"><h2 id="sample">${words.sample}</h2>${html}</section>`
  if (!sample) return framed(`<p>${words.none}</p>`)
  const link = `<a href="${escaped(sample.request)}"><code>${escaped(sample.request)}</code></a>`
  if (sample.records.length === 0) return framed(`<p>${words.empty} ${link}</p>`)
  const rows = sample.records.slice(0, ROWS)
  const names = fieldsOf(rows)
  const table = dataTable({
    name: words.sample,
    classes: 'sample',
    heads: names.map((name) => `<code>${escaped(name)}</code>`),
    rows: rows.map((row) => names.map((name) => cell(row[name], language))),
  })
  const points = sample.records.flatMap(({ lat, lon }): Shape[] =>
    typeof lat === 'number' && typeof lon === 'number' && isOnPicture(lon, lat) ? [{ type: 'Point', coordinates: [lon, lat] }] : [],
  )
  if (points.length === 0) return framed(`<p>${words.from} ${link}</p>${table}`)
  const count = number(points.length, language)
  return framed(
    `<p>${words.from} ${link}</p><div class="beside"><div>${table}</div><figure>${spainSvg(`<path class="points" d="${picturePaths(points).dots}"/>`, words.map(count))}<figcaption>${words.points(count)} · © IGN/CNIG, CC BY 4.0</figcaption></figure></div>`,
  )
}

/** The first fields with a plain value in one of the rows. */
function fieldsOf(rows: Sample['records']): readonly string[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return names.filter((name) => rows.some((row) => ['string', 'number', 'boolean'].includes(typeof row[name]))).slice(0, FIELDS)
}

function cell(value: unknown, language: Language): string {
  if (value === null || value === undefined) return '<small>null</small>'
  if (typeof value === 'number')
    return `<span class="value">${number(value, language, { maximumFractionDigits: 6, useGrouping: false })}</span>`
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return escaped(text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text)
}
