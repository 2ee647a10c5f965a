import type { SourceMode } from '../../../lake/system.ts'
import { inBoth, type Language } from '../../kernel/language.ts'
import { dataTable, escaped, htmlPage } from '../site/html.ts'
import type { DatasetDetails } from './catalogue-reads.ts'
import { datasetTexts, domainName, duration, momentOrNone, number, provinceNames, size, useTag } from './catalogue-words.ts'
import { accessHtml } from './dataset-access.ts'
import { rowsChart } from './dataset-chart.ts'
import { sampleHtml } from './dataset-sample.ts'
import { schemaHtml } from './dataset-schema.ts'
import { versionsHtml } from './dataset-versions.ts'

const WORDS = inBoth({
  all: ['Todos los datos', 'All data'],
  contents: ['En esta página', 'On this page'],
  rows: ['Filas', 'Rows'],
  columns: ['Columnas', 'Columns'],
  size: ['Tamaño', 'Size'],
  latest: ['Última fila', 'Newest row'],
  shape: ['Forma', 'Shape'],
  sample: ['Muestra', 'Sample'],
  schema: ['Esquema', 'Schema'],
  get: ['Cómo obtenerlos', 'Get it'],
  licences: ['Fuentes y licencias', 'Sources and licences'],
  freshness: ['Actualidad', 'Freshness'],
  limits: ['Límites conocidos', 'Known limits'],
  row: ['Una fila es', 'A row is'],
  meaning: [
    {
      append: 'una observación.',
      changes: 'un estado que difiere del anterior; al empezar cada partición se repiten todos los estados.',
      replace: 'una fila de una versión completa del publicador.',
    },
    {
      append: 'an observation.',
      changes: 'a state that differs from the one before; all states are repeated at the begin of each partition.',
      replace: 'a row of a complete version of the publisher.',
    },
  ],
  key: ['Clave', 'Key'],
  period: ['Periodo', 'Period'],
  to: ['a', 'to'],
  sorted: ['Orden en los ficheros', 'Order in the files'],
  parts: ['Partición', 'Partition'],
  noParts: ['ninguna', 'none'],
  plans: ['Planes', 'Plans'],
  plansOf: [
    (live: string, history: string, bulk: string) => `actual ${live} · histórico ${history} · ficheros ${bulk}`,
    (live: string, history: string, bulk: string) => `current ${live} · history ${history} · files ${bulk}`,
  ],
  versions: ['Versiones', 'Versions'],
  versionsOf: [
    (snapshots: string, schemas: number) =>
      `${snapshots} ${snapshots === '1' ? 'instantánea' : 'instantáneas'} de Iceberg, ${schemas} ${schemas === 1 ? 'versión' : 'versiones'} del esquema`,
    (snapshots: string, schemas: number) =>
      `${snapshots} Iceberg ${snapshots === '1' ? 'snapshot' : 'snapshots'}, ${schemas} ${schemas === 1 ? 'version' : 'versions'} of the schema`,
  ],
  source: ['Fuente', 'Source'],
  licence: ['Licencia', 'Licence'],
  use: ['Uso', 'Use'],
  attribution: ['Cita obligatoria', 'Required attribution'],
  until: ['Contiene todo lo publicado hasta', 'It contains what was published until'],
  changed: ['La tabla cambió por última vez', 'The table last changed'],
  feed: ['Canal', 'Feed'],
  health: ['Estado', 'Health'],
  cadence: ['Cadencia', 'Cadence'],
  newest: ['Datos más recientes', 'Newest data'],
  derived: ['indirecto', 'indirect'],
  off: ['no se lee', 'not fetched'],
  states: [
    { OK: 'al día', LATE: 'con retraso', STALE: 'anticuado', DOWN: 'sin datos' },
    { OK: 'on time', LATE: 'late', STALE: 'stale', DOWN: 'down' },
  ],
  noFeeds: ['Ningún canal lo llena: se calcula de otros datos.', 'No feed fills it: it is computed from other data.'],
  lacks: ['Ninguna fuente cubre', 'No source covers'],
  notAll: ['Las fuentes sin uso comercial claro', 'Sources without clear commercial use'],
  offFeeds: ['Ahora no se leen los canales', 'These feeds are not fetched at present'],
  empty: ['Todavía no tiene filas.', 'It has no rows yet.'],
  noLimits: ['Ninguno declarado.', 'None declared.'],
  json: ['En JSON', 'As JSON'],
  card: ['ficha', 'card'],
  quality: ['calidad por día', 'quality by day'],
})

/** Renders the page of a dataset: shape, sample, schema, access, licences, freshness and limits. */
export function datasetPage(language: Language, parts: DatasetDetails & { readonly baseUrl: string; readonly mode: SourceMode }): string {
  const words = WORDS[language]
  const { dataset, columns, days, sample, mode } = parts
  const { id, domain, rows, bytes, latest_row_at, commercial_use } = dataset
  const { title, about } = datasetTexts(dataset, language)
  const links = (['shape', 'sample', 'schema', 'get', 'versions', 'licences', 'freshness', 'limits'] as const)
    .map((name) => `<li><a href="#${name}">${words[name]}</a></li>`)
    .join('')
  return htmlPage(language, {
    ...{
      title,
      about,
      path: '/datasets',
      hasHeading: true,
      isWide: true,
      mode,
      url: `${parts.baseUrl}/datasets/${id}`,
      styles: ['catalogue.css'],
    },
    body: `<p class="crumbs"><a href="/datasets?lang=${language}">${words.all}</a> / <a href="/datasets?lang=${language}&amp;domain=${domain}">${escaped(domainName(domain, language))}</a></p>
<h1>${escaped(title)}</h1><p class="lead">${escaped(about)}</p>
<p class="tags"><code>${id}</code> ${useTag(commercial_use, language)}</p>
<nav aria-label="${words.contents}"><ul class="contents">${links}</ul></nav>
<dl class="figures"><div><dt>${words.rows}</dt><dd><strong>${number(rows, language)}</strong></dd></div><div><dt>${words.columns}</dt><dd><strong>${dataset.columns}</strong></dd></div><div><dt>${words.size}</dt><dd><strong>${size(bytes, language)}</strong></dd></div><div><dt>${words.latest}</dt><dd class="when">${momentOrNone(latest_row_at, language)}</dd></div></dl>
<section aria-labelledby="shape"><h2 id="shape">${words.shape}</h2><div class="halves"><div>${rowsChart(days, language)}</div><div>${factsHtml(parts, language)}</div></div></section>
${sampleHtml(language, sample)}
${schemaHtml(language, { id, columns, counted: days.find((day) => day.rows > 0) ?? null })}
${accessHtml(language, parts)}
${versionsHtml(language, dataset)}
${licencesHtml(parts, language)}
${freshnessHtml(parts, language)}
${limitsHtml(parts, language)}
<p>${words.json}: <a href="/api/datasets/${id}">${words.card}</a> · <a href="/api/datasets/${id}/schema">${words.schema}</a> · <a href="/api/datasets/${id}/quality">${words.quality}</a></p>`,
  })
}

function factsHtml({ dataset }: DatasetDetails, language: Language): string {
  const words = WORDS[language]
  const { land, entity, time, covered_from, latest_row_at, partition, order, plans, snapshots, schema_versions } = dataset
  const names = (columns: readonly string[]): string => columns.map((name) => `<code>${name}</code>`).join(', ')
  const period =
    covered_from === null
      ? momentOrNone(null, language)
      : `${momentOrNone(covered_from, language)} ${words.to} ${momentOrNone(latest_row_at, language)}`
  const facts: readonly (readonly [name: string, html: string])[] = [
    [words.row, words.meaning[land]],
    [words.key, names([...new Set([...entity, time])])],
    [words.period, period],
    [words.parts, partition.map(({ column, transform }) => `<code>${transform}(${column})</code>`).join(', ') || words.noParts],
    [words.sorted, names(order)],
    [words.plans, words.plansOf(plans.live, plans.history, plans.bulk)],
    [words.versions, words.versionsOf(number(snapshots, language), schema_versions.length)],
  ]
  return `<dl class="facts">${facts.map(([name, html]) => `<div><dt>${name}</dt><dd>${html}</dd></div>`).join('')}</dl>`
}

function licencesHtml({ dataset }: DatasetDetails, language: Language): string {
  const words = WORDS[language]
  return `<section aria-labelledby="licences"><h2 id="licences">${words.licences}</h2>${dataTable({
    name: words.licences,
    classes: 'texts',
    heads: [words.source, words.licence, words.use, words.attribution],
    rows: dataset.sources.map((source) => [
      `<a href="/sources?lang=${language}#${source.id}">${escaped(source.name)}</a>`,
      `<a href="${escaped(source.licence_url)}">${escaped(source.licence)}</a>`,
      useTag(source.commercial_use, language),
      escaped(source.attribution),
    ]),
  })}</section>`
}

function freshnessHtml({ dataset }: DatasetDetails, language: Language): string {
  const words = WORDS[language]
  const { feeds, covered_until, updated_at } = dataset
  const times = `<p>${words.until} ${momentOrNone(covered_until, language)}. ${words.changed}: ${momentOrNone(updated_at, language)}.</p>`
  const table = dataTable({
    name: words.freshness,
    classes: '',
    heads: [words.feed, words.health, words.newest, words.cadence],
    rows: feeds.map(({ id, is_direct, enabled, health, cadence_s, data_time }) => [
      `<code>${id}</code>${is_direct ? '' : ` <span class="tag">${words.derived}</span>`}`,
      enabled ? healthHtml(health, language) : `<small>${words.off}</small>`,
      momentOrNone(data_time, language),
      duration(cadence_s, language),
    ]),
    numbers: 1,
  })
  return `<section aria-labelledby="freshness"><h2 id="freshness">${words.freshness}</h2>${times}${feeds.length === 0 ? `<p>${words.noFeeds}</p>` : table}</section>`
}

function healthHtml(health: string, language: Language): string {
  const text = WORDS[language].states[health as 'OK'] ?? health
  return `<span class="${health === 'OK' ? 'ok' : health === 'LATE' ? 'warn' : 'bad'}">${text}</span>`
}

function limitsHtml({ dataset }: DatasetDetails, language: Language): string {
  const words = WORDS[language]
  const unclear = [...new Set(dataset.sources.filter((one) => one.commercial_use !== 'yes').map((one) => one.name))]
  const off = dataset.feeds.filter((feed) => !feed.enabled).map((feed) => `<code>${feed.id}</code>`)
  const items = [
    ...(dataset.rows === 0 ? [words.empty] : []),
    ...(dataset.provinces_without_data.length > 0 ? [`${words.lacks}: ${escaped(provinceNames(dataset.provinces_without_data))}.`] : []),
    ...(unclear.length > 0 ? [`${words.notAll}: ${escaped(unclear.join(', '))}.`] : []),
    ...(off.length > 0 ? [`${words.offFeeds}: ${off.join(', ')}.`] : []),
  ]
  const html = items.length === 0 ? `<p>${words.noLimits}</p>` : `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`
  return `<section aria-labelledby="limits"><h2 id="limits">${words.limits}</h2>${html}</section>`
}
