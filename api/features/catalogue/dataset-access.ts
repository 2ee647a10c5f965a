import { datasetById } from '../../../lake/catalog.ts'
import { inBoth, type Language } from '../../kernel/language.ts'
import { isSample, SAMPLE } from '../../kernel/sample.ts'
import { codeBlock, escaped } from '../site/html.ts'
import type { DatasetDetails } from './catalogue-reads.ts'

const WORDS = inBoth({
  title: ['Cómo obtenerlos', 'Get it'],
  api: ['Peticiones a la API', 'Requests to the API'],
  noApi: ['Ninguna ruta responde con estas filas; están en las descargas.', 'No path answers with these rows; bulk downloads have them.'],
  bulk: ['Todo el conjunto, como ficheros Parquet', 'The whole dataset as Parquet files'],
  bulkIntro: [
    (plan: string) =>
      `Con una clave del plan ${plan}, <code>/api/export</code> lista los ficheros, y <code>scripts/sync</code> los copia a una carpeta y la mantiene al día.`,
    (plan: string) =>
      `With a key of the plan ${plan}, <code>/api/export</code> lists the files, and <code>scripts/sync</code> copies them to a folder and keeps it up to date.`,
  ],
  inDuckdb: ['La copia en DuckDB', 'The copy in DuckDB'],
  lake: ['La tabla Iceberg, sin copiarla', 'The Iceberg table, without a copy'],
  lakeIntro: [
    (plan: string) =>
      `Con una clave del plan ${plan}, los motores leen la tabla del catálogo <code>/lake/iceberg</code>, siempre en un estado completo.`,
    (plan: string) =>
      `With a key of the plan ${plan}, engines read the table from the catalogue <code>/lake/iceberg</code>, always in a complete state.`,
  ],
})

/** Requests that are shown first; the others are folded. */
const FIRST = 3

/** Renders how to get a dataset: the requests, the bulk download, SQL for the copy, and the table in the Iceberg catalogue. */
export function accessHtml(language: Language, { dataset, requests, baseUrl }: DatasetDetails & { readonly baseUrl: string }): string {
  const words = WORDS[language]
  const { id, domain, time, plans } = dataset
  const declared = datasetById(id)
  const isOpen = isSample(declared)
  const table = `${isOpen ? SAMPLE : (declared.namespace ?? domain)}.${id}`
  const request = ({ url, plan, summary }: DatasetDetails['requests'][number]): string => {
    const key = plan === 'FREE' ? '' : "-H 'X-API-Key: tia_…' "
    return `<p class="what">${escaped(summary[language])} <span class="tag${plan === 'FREE' ? ' accent' : ''}">${plan}</span></p>${codeBlock(`curl ${key}'${baseUrl}${url}'`)}`
  }
  const [first, more] = [requests.slice(0, FIRST), requests.slice(FIRST)]
  const rest =
    more.length === 0 ? '' : `<details><summary>${moreText(more.length, language)}</summary>${more.map(request).join('\n')}</details>`
  return `<section aria-labelledby="get"><h2 id="get">${words.title}</h2>
<h3>${words.api}</h3>${requests.length === 0 ? `<p>${words.noApi}</p>` : first.map(request).join('\n') + rest}
<h3>${words.bulk}</h3><p>${words.bulkIntro(plans.bulk)}</p>
${codeBlock(`TRAFFIC_API_KEY=tia_… scripts/sync ${id} --to ${id} --url ${baseUrl}`)}
<p class="what">${words.inDuckdb}</p>
${codeBlock(duckdbOfCopy(id, time))}
<h3>${words.lake}</h3><p>${words.lakeIntro(isOpen ? 'FREE' : 'ENTERPRISE')}</p>
<p class="what">DuckDB</p>${codeBlock(`INSTALL httpfs; INSTALL iceberg; LOAD httpfs; LOAD iceberg;
CREATE SECRET lake_key (TYPE iceberg, TOKEN 'tia_…');
ATTACH 'lake' AS lake (TYPE iceberg, SECRET lake_key, ENDPOINT '${baseUrl}/lake/iceberg');
SELECT count(*), max(${time}) FROM lake.${table};`)}
<p class="what">PyIceberg</p>${codeBlock(`from pyiceberg.catalog import load_catalog

lake = load_catalog("lake", type="rest", uri="${baseUrl}/lake/iceberg", token="tia_…")
rows = lake.load_table("${table}").scan().to_arrow()`)}
<p class="what">Spark</p>${codeBlock(`-- spark.sql.catalog.lake = org.apache.iceberg.spark.SparkCatalog
-- spark.sql.catalog.lake.type = rest, .uri = ${baseUrl}/lake/iceberg, .token = tia_…
SELECT count(*), max(${time}) FROM lake.${table}`)}</section>`
}

/** SQL for DuckDB over a folder of scripts/sync: rows by day of the column of time. */
function duckdbOfCopy(id: string, time: string): string {
  return `SELECT date_trunc('day', ${time}) AS day, count(*) AS row_count
FROM read_parquet('${id}/data/**/*.parquet', union_by_name = true)
GROUP BY ALL ORDER BY day;`
}

function moreText(count: number, language: Language): string {
  return language === 'es' ? `${count} rutas más` : `${count} more paths`
}
