import { inBoth } from '../../kernel/language.ts'
import { escaped } from '../site/html.ts'
import { planTag, shortCost } from './costs.ts'
import { type DocumentText, GUIDES, guideText } from './documents.ts'
import { DOCS_PATH, type DocsContext, docsFrame, groupPath, guidePath, inline, operationPath } from './frame.ts'
import { GROUPS, type GroupDoc } from './groups.ts'
import type { OperationIndex, Reference } from './reference.ts'

const WORDS = inBoth({
  title: ['Documentación', 'Documentation'],
  lead: [
    'Una API de solo lectura sobre el transporte en España: peticiones GET, respuestas en JSON o GeoJSON, y tablas para el análisis. La mayoría de las rutas responden sin clave.',
    'A read-only API for transport in Spain: GET requests, replies in JSON or GeoJSON, and tables for analysis. Most paths answer without a key.',
  ],
  guides: ['Guías', 'Guides'],
  reference: ['Referencia', 'Reference'],
  referenceLead: [
    'Cada operación con su plan, su coste, sus parámetros, su respuesta y una petición que se puede probar.',
    'Each operation with its plan, cost, parameters, reply and a request to try.',
  ],
  operations: [
    (count: number) => (count === 1 ? '1 operación' : `${count} operaciones`),
    (count: number) => (count === 1 ? '1 operation' : `${count} operations`),
  ],
  rules: ['Reglas comunes', 'Common rules'],
  ruleList: [
    [
      'Los instantes son UTC en ISO 8601; las posiciones, WGS84 en grados decimales.',
      'La unidad de cada número está en su nombre o en su descripción. Lo desconocido es null.',
      'Un parámetro o un valor desconocido es un error 400 que nombra los válidos.',
      'Los cambios añaden: habrá miembros y códigos nuevos.',
    ],
    [
      'Instants are UTC in ISO 8601; positions are WGS84 in decimal degrees.',
      'The unit of each number is in its name or description. Unknown values are null.',
      'An unknown parameter or value is an error 400 that names the valid ones.',
      'Changes add: expect new members and new codes.',
    ],
  ],
  machine: ['Para programas', 'For programs'],
  machineText: [
    'La misma descripción como <a href="/openapi.json?lang=es">OpenAPI 3.1</a>, <a href="/openapi.json?media=json">solo con JSON</a> para generadores de clientes, y como <a href="/llms.txt">texto para modelos de lenguaje</a>.',
    'The same description as <a href="/openapi.json">OpenAPI 3.1</a>, <a href="/openapi.json?media=json">with JSON only</a> for generators of clients, and as <a href="/llms.txt">text for language models</a>.',
  ],
  plan: ['Plan', 'Plan'],
  cost: ['Coste', 'Cost'],
})

/** Renders the start page of the documentation: guides, then the groups of the reference. */
export function docsPage(context: DocsContext, { groups }: Reference): string {
  const { language } = context
  const words = WORDS[language]
  const guides = [...GUIDES.values()].map(({ name, title, about }) =>
    card(`${guidePath(name)}?lang=${language}`, title[language], escaped(about[language])),
  )
  const counts = new Map(groups.map(({ id, operations }) => [id, operations.length]))
  const reference = GROUPS.filter(({ id }) => counts.has(id)).map(({ id, title, about }) =>
    card(
      `${groupPath(id)}?lang=${language}`,
      title[language],
      `${escaped(about[language])} <small>${words.operations(counts.get(id) as number)}</small>`,
    ),
  )
  return docsFrame(context, {
    title: words.title,
    about: words.lead,
    path: DOCS_PATH,
    body: `<p class="lead">${words.lead}</p>
<section aria-labelledby="guides"><h2 id="guides">${words.guides}</h2><div class="grid">${guides.join('\n')}</div></section>
<section aria-labelledby="reference"><h2 id="reference">${words.reference}</h2><p>${words.referenceLead}</p><div class="grid">${reference.join('\n')}</div></section>
<section aria-labelledby="rules"><h2 id="rules">${words.rules}</h2><ul>${words.ruleList.map((rule) => `<li>${rule}</li>`).join('')}</ul></section>
<section aria-labelledby="machine"><h2 id="machine">${words.machine}</h2><p>${words.machineText}</p></section>`,
  })
}

/** Renders the page of a group: each operation with its plan and cost. */
export function groupPage(context: DocsContext, { id, title, about }: GroupDoc, operations: readonly OperationIndex[]): string {
  const { language } = context
  const words = WORDS[language]
  const items = operations.map(
    (one) => `<li><a href="${operationPath(id, one.id)}?lang=${language}">${escaped(one.summary[language])}</a>
<code><b>${one.method}</b> ${escaped(one.path)}</code>
<span><span class="hidden">${words.plan}: </span>${planTag(one, language)} <small><span class="hidden">${words.cost}: </span>${shortCost(id, one, language)}</small></span></li>`,
  )
  return docsFrame(context, {
    title: title[language],
    about: about[language],
    path: groupPath(id),
    operations,
    body: `<p class="lead">${inline(about[language])}</p><ul class="operations">${items.join('\n')}</ul>`,
  })
}

/** Renders a guide or a method page. */
export function documentPage(
  context: DocsContext,
  { path, text, about }: { readonly path: string; readonly text: DocumentText; readonly about: string },
): string {
  return docsFrame(context, { title: text.title, about, path, body: `<div class="prose">${text.html}</div>` })
}

/** An entry of the search: path, title, what it is about, and further words. */
type SearchEntry = readonly [path: string, title: string, about: string, words: string]

/** Returns what the search in the documentation looks through. */
export function searchIndex({ language, groups }: DocsContext, reference: Reference): readonly SearchEntry[] {
  const other = language === 'es' ? 'en' : 'es'
  const guides = [...GUIDES.values()].map((guide): SearchEntry => {
    const { name, title, about } = guide
    return [guidePath(name), title[language], about[language], `${name} ${title[other]} ${wordsOf(guideText(guide, language).html)}`]
  })
  const shown = GROUPS.filter(({ id }) => groups.has(id)).map(
    ({ id, title, about }): SearchEntry => [groupPath(id), title[language], about[language], `${id} ${title[other]}`],
  )
  const operations = reference.groups.flatMap(({ id, operations: list }) =>
    list.map((one): SearchEntry => [operationPath(id, one.id), one.summary[language], `${one.method} ${one.path}`, one.summary[other]]),
  )
  return [...guides, ...shown, ...operations]
}

/** The different words of a page, in lower case. */
function wordsOf(html: string): string {
  const words =
    html
      .replaceAll(/<[^>]*>|&\w+;/g, ' ')
      .toLowerCase()
      .match(/[\p{L}\p{N}_]{3,}/gu) ?? []
  return [...new Set(words)].join(' ')
}

function card(href: string, title: string, html: string): string {
  return `<a class="card" href="${href}"><h3>${escaped(title)}</h3><p>${html}</p></a>`
}
