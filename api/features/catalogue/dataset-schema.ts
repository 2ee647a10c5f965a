import { inBoth, type Language } from '../../kernel/language.ts'
import { dataTable, escaped } from '../site/html.ts'
import type { QualityDay, SchemaColumn } from './catalogue-reads.ts'
import { english, percentage } from './catalogue-words.ts'

const WORDS = inBoth({
  schema: ['Esquema', 'Schema'],
  english: ['Las descripciones de las columnas están en inglés.', 'Times are UTC instants; geometries are WKB in WGS84.'],
  column: ['Columna', 'Column'],
  meaning: ['Significado', 'Meaning'],
  type: ['Tipo', 'Type'],
  unit: ['Unidad o códigos', 'Unit or codes'],
  nulls: ['Nulos', 'Null'],
  example: ['Ejemplo', 'Example'],
  key: ['clave', 'key'],
  counted: [(date: string) => `Nulos: parte de las filas del ${date}.`, (date: string) => `Null: share of the rows of ${date}.`],
  notCounted: ['Los nulos todavía no se han contado.', 'Nulls have not been counted yet.'],
  unitIn: ['según', 'in'],
})

/** Codes that a cell shows. */
const MAX_CODES = 6
/** Longest example, in characters. */
const MAX_EXAMPLE = 40

/** Renders the columns of a table with units, codes, examples and their null shares of the newest `counted` day. */
export function schemaHtml(
  language: Language,
  { id, columns, counted }: { readonly id: string; readonly columns: readonly SchemaColumn[]; readonly counted: QualityDay | null },
): string {
  const words = WORDS[language]
  const shares = new Map(counted?.nulls.map(({ column, share }) => [column, share]))
  const nulls = ({ name, nullable }: SchemaColumn): string => {
    const share = shares.get(name)
    if (share !== undefined) return nullBar(share, language)
    return nullable ? '<small>—</small>' : '<small>0</small>'
  }
  return `<section aria-labelledby="schema"><h2 id="schema">${words.schema}</h2><p><small>${words.english} ${counted ? words.counted(`<time>${counted.date}</time>`) : words.notCounted}</small></p>${dataTable(
    {
      name: `${words.schema}: ${id}`,
      classes: 'texts schema',
      heads: [words.column, words.meaning, words.type, words.unit, words.example, words.nulls],
      rows: columns.map((column) => [
        `<code>${column.name}</code>${column.is_key ? ` <span class="tag accent">${words.key}</span>` : ''}`,
        english(column.about, language),
        `<code>${escaped(column.iceberg_type)}</code>`,
        unitHtml(column, language),
        exampleHtml(column.example),
        nulls(column),
      ]),
      numbers: 1,
    },
  )}</section>`
}

function unitHtml({ unit, unit_in, code_list, codes, least, most }: SchemaColumn, language: Language): string {
  if (code_list !== null) {
    const shown = codes.slice(0, MAX_CODES).map((code) => `<code>${escaped(code)}</code>`)
    const more = codes.length > MAX_CODES ? ` <a href="/api/codes?list=${code_list}">+${codes.length - MAX_CODES}</a>` : ''
    return `${shown.join(' ')}${more}`
  }
  if (unit_in !== null) return `${WORDS[language].unitIn} <code>${escaped(unit_in)}</code>`
  const range = rangeHtml(least, most)
  return unit === null ? range : `${unit === '1' ? '' : escaped(unit)}${range}`
}

function rangeHtml(least: number | null, most: number | null): string {
  if (least === null && most === null) return ''
  return ` <small>${least === null ? `≤ ${most}` : most === null ? `≥ ${least}` : `${least} – ${most}`}</small>`
}

function exampleHtml(example: unknown): string {
  if (example === null || example === undefined) return ''
  const text = typeof example === 'string' ? example : JSON.stringify(example)
  return `<code>${escaped(text.length > MAX_EXAMPLE ? `${text.slice(0, MAX_EXAMPLE - 1)}…` : text)}</code>`
}

/** Renders a share of nulls with a bar; the number says the same. */
function nullBar(share: number, language: Language): string {
  const bar = `<svg class="share" viewBox="0 0 60 8" aria-hidden="true"><rect class="all" width="60" height="8" rx="2"/><rect class="nulls" width="${(60 * share).toFixed(1)}" height="8" rx="2"/></svg>`
  return `<span class="nullshare">${percentage(share, language)} ${bar}</span>`
}
