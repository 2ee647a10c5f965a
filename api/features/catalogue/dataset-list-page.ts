import type { SourceMode } from '../../../lake/system.ts'
import { inBoth, type Language } from '../../kernel/language.ts'
import { escaped, htmlPage } from '../site/html.ts'
import type { DatasetEntry } from './catalogue-reads.ts'
import { datasetTexts, domainName, momentOrNone, number, useTag } from './catalogue-words.ts'

/** What the list of datasets is searched for; null for everything. */
interface DatasetSearch {
  readonly q: string | null
  readonly domain: string | null
  readonly licence: string | null
}

const WORDS = inBoth({
  title: ['Conjuntos de datos', 'Datasets'],
  lead: [
    (datasets: number, sources: number) =>
      `${datasets} conjuntos de datos de ${sources} fuentes, con su esquema, su licencia, su calidad de cada día y cómo obtenerlos.`,
    (datasets: number, sources: number) =>
      `${datasets} datasets from ${sources} sources, each with its schema, its licence, its quality day by day and how to get it.`,
  ],
  about: [
    'Conjuntos de datos de transporte de España: contenido, fuente, licencia, actualidad y esquema.',
    'Datasets of transport in Spain: content, source, licence, freshness and schema.',
  ],
  q: ['Buscar', 'Search'],
  domain: ['Ámbito', 'Domain'],
  licence: ['Licencia', 'Licence'],
  all: ['Todos', 'All'],
  allLicences: ['Todas', 'All'],
  show: ['Mostrar', 'Show'],
  reset: ['Quitar filtros', 'Clear filters'],
  rows: ['Filas', 'Rows'],
  latest: ['Última fila', 'Newest row'],
  from: ['Fuentes', 'Sources'],
  count: [
    (shown: number, all: number) => `${shown} de ${all} conjuntos de datos`,
    (shown: number, all: number) => `${shown} of ${all} datasets`,
  ],
  nothing: ['Ningún conjunto de datos coincide.', 'No dataset matches.'],
  elsewhere: ['Lo mismo en JSON', 'The same as JSON'],
})

/** Renders the list of datasets by domain, with search and filters. */
export function datasetListPage(
  language: Language,
  {
    datasets,
    search,
    mode,
    url,
  }: {
    readonly datasets: readonly DatasetEntry[]
    readonly search: DatasetSearch
    readonly mode: SourceMode
    readonly url: string
  },
): string {
  const words = WORDS[language]
  const shown = datasets.filter((dataset) => isFound(dataset, search, language))
  const sources = new Set(datasets.flatMap((dataset) => dataset.sources.map(({ id }) => id)))
  const sections = [...Map.groupBy(shown, ({ domain }) => domain)].map(
    ([domain, ones]) =>
      `<section aria-labelledby="domain-${domain}" class="domain"><h2 id="domain-${domain}">${escaped(domainName(domain, language))} <small>${ones.length}</small></h2>
<ul class="datasets">${ones.map((one) => entry(one, language)).join('\n')}</ul></section>`,
  )
  return htmlPage(language, {
    ...{ title: words.title, about: words.about, path: '/datasets', isWide: true, mode, url, styles: ['catalogue.css'] },
    modules: ['datasets.js'],
    body: `<p class="lead">${words.lead(datasets.length, sources.size)}</p>
${filters(datasets, search, language)}
<p id="shown" role="status">${words.count(shown.length, datasets.length)}</p>
<p id="nothing"${shown.length > 0 ? ' hidden' : ''}>${words.nothing}</p>
${sections.join('\n')}
<p><a href="/api/datasets">${words.elsewhere}</a></p>`,
  })
}

/** True if a dataset has all words that are searched for, in its domain and under the licence. */
function isFound(dataset: DatasetEntry, { q, domain, licence }: DatasetSearch, language: Language): boolean {
  if (domain !== null && dataset.domain !== domain) return false
  if (licence !== null && !dataset.sources.some((source) => source.licence === licence)) return false
  const text = searchText(dataset, language)
  return (
    q === null ||
    folded(q)
      .split(/\s+/)
      .every((word) => text.includes(word))
  )
}

/** All that is searched in a dataset. */
function searchText(dataset: DatasetEntry, language: Language): string {
  const { title, about } = datasetTexts(dataset, language)
  return folded([title, about, dataset.id, dataset.title, ...dataset.sources.flatMap(({ id, name }) => [id, name])].join(' '))
}

/** A text without case and accents. */
function folded(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
}

function filters(datasets: readonly DatasetEntry[], { q, domain, licence }: DatasetSearch, language: Language): string {
  const words = WORDS[language]
  const licences = [...new Set(datasets.flatMap(({ sources }) => sources.map((source) => source.licence)))].sort((a, b) =>
    a.localeCompare(b),
  )
  const options = (all: string, values: readonly (readonly [value: string, text: string])[], chosen: string | null): string =>
    `<option value="">${all}</option>${values
      .map(([value, text]) => `<option value="${escaped(value)}"${value === chosen ? ' selected' : ''}>${escaped(text)}</option>`)
      .join('')}`
  const domainsThere = [...new Set(datasets.map((one) => one.domain))].map((id) => [id, domainName(id, language)] as const)
  const isFiltered = q !== null || domain !== null || licence !== null
  return `<form method="get" action="/datasets" role="search" class="filters" id="filters"><input type="hidden" name="lang" value="${language}">
<p><label for="q">${words.q}</label><input id="q" name="q" type="search" value="${escaped(q ?? '')}" maxlength="100" autocomplete="off"></p>
<p><label for="domain">${words.domain}</label><select id="domain" name="domain">${options(words.all, domainsThere, domain)}</select></p>
<p><label for="licence">${words.licence}</label><select id="licence" name="licence">${options(
    words.allLicences,
    licences.map((one) => [one, one] as const),
    licence,
  )}</select></p>
<p class="actions"><button>${words.show}</button>${isFiltered ? `<a href="/datasets?lang=${language}">${words.reset}</a>` : ''}</p></form>`
}

function entry(dataset: DatasetEntry, language: Language): string {
  const words = WORDS[language]
  const { title, about } = datasetTexts(dataset, language)
  const names = [...new Set(dataset.sources.map((source) => source.name))]
  const use = dataset.commercial_use === 'yes' ? '' : useTag(dataset.commercial_use, language)
  return `<li data-text="${escaped(searchText(dataset, language))}"><div><h3><a href="/datasets/${dataset.id}?lang=${language}">${escaped(title)}</a></h3> <code>${dataset.id}</code> ${use}
<p>${escaped(about)}</p><p class="by"><span class="hidden">${words.from}: </span>${names.map((name) => escaped(name)).join(' · ')}</p></div>
<dl><div><dt>${words.rows}</dt><dd>${number(dataset.rows, language)}</dd></div><div><dt>${words.latest}</dt><dd>${momentOrNone(dataset.latest_row_at, language)}</dd></div></dl></li>`
}
