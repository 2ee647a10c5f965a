import { inBoth, type Language } from '../../kernel/language.ts'
import { codeBlock, dataTable, escaped } from '../site/html.ts'
import type { DatasetDetails } from './catalogue-reads.ts'
import { momentOrNone, number } from './catalogue-words.ts'

const WORDS = inBoth({
  title: ['Versiones', 'Versions'],
  none: ['La tabla todavía no existe.', 'The table does not exist yet.'],
  intro: [
    'Cada cambio de la tabla es una instantánea de Iceberg. Todas se conservan 24 horas; después, la última de cada hora durante 7 días.',
    'Each change of the table is an Iceberg snapshot. All are kept for 24 hours, then the last of each hour for 7 days.',
  ],
  newest: [
    (shown: string, all: string) => `Las ${shown} más recientes de ${all}.`,
    (shown: string, all: string) => `The newest ${shown} of ${all}.`,
  ],
  heads: [
    ['Instantánea', 'Momento', 'Operación', 'Añadidas', 'Quitadas', 'Filas'],
    ['Snapshot', 'Time', 'Operation', 'Added', 'Removed', 'Rows'],
  ],
  read: ['Leer una versión anterior', 'Read an earlier version'],
})

/** Renders the newest snapshots of a table, and how to read one by its id or by time. */
export function versionsHtml(language: Language, { id, domain, snapshots, newest_snapshots: newest }: DatasetDetails['dataset']): string {
  const words = WORDS[language]
  const framed = (html: string): string => `<section aria-labelledby="versions"><h2 id="versions">${words.title}</h2>${html}</section>`
  // The last one shown is the example: the newest needs no version.
  const example = newest.at(-1)
  if (!example) return framed(`<p>${words.none}</p>`)
  const count = (rows: number | null): string => (rows === null ? '—' : number(rows, language))
  const table = dataTable({
    name: words.title,
    classes: 'versions',
    heads: words.heads,
    rows: newest.map((one) => [
      `<code>${escaped(one.id)}</code>`,
      momentOrNone(one.at, language),
      `<code>${escaped(one.operation)}</code>`,
      count(one.rows_added),
      count(one.rows_removed),
      count(one.rows),
    ]),
    numbers: 3,
  })
  const folder = `STORE/lake/${domain}/${id}`
  const shown = newest.length < snapshots ? ` ${words.newest(String(newest.length), number(snapshots, language))}` : ''
  return framed(`<p>${words.intro}${shown}</p>${table}<h3>${words.read}</h3>
<p class="what">DuckDB</p>${codeBlock(`-- By id.
SELECT count(*) FROM iceberg_scan('${folder}', snapshot_from_id = ${example.id});
-- By time, in UTC.
SELECT count(*) FROM iceberg_scan('${folder}', snapshot_from_timestamp = TIMESTAMP '${example.at.slice(0, 23).replace('T', ' ')}');`)}
<p class="what">PyIceberg</p>${codeBlock(`from pyiceberg.table import StaticTable

table = StaticTable.from_metadata("${folder}/metadata/v1.metadata.json")
# By id.
rows = table.scan(snapshot_id=${example.id}).to_arrow()
# By time, in ms since 1970 (UTC).
snapshot = table.snapshot_as_of_timestamp(${Date.parse(example.at)})
rows = table.scan(snapshot_id=snapshot.snapshot_id).to_arrow()`)}`)
}
