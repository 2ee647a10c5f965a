import { AIR_QUALITY_LEVELS } from '../../../lake/datasets/air/codes.ts'
import { INCIDENT_TYPES, SEVERITIES, SPEED_CAMERA_TYPES, TRAFFIC_LEVELS } from '../../../lake/datasets/road/codes.ts'
import { RISK_CLASSES } from '../../../lake/datasets/safety/codes.ts'
import { ALERT_LEVELS, ALERT_PHENOMENA } from '../../../lake/datasets/weather/codes.ts'
import type { CodeList } from '../../../lake/schema/codes.ts'
import type { SourceMode } from '../../../lake/system.ts'
import type { Lang } from '../../kernel/fields.ts'
import { inBoth, type Language } from '../../kernel/language.ts'
import { escaped, htmlPage } from '../site/html.ts'

const WORDS = inBoth({
  title: ['Mapa del transporte en España', 'Map of transport in Spain'],
  about: [
    'Incidencias, tráfico, trenes, avisos, carburantes y más, en directo, sobre un mapa de España.',
    'Incidents, traffic, trains, warnings, fuel prices and more, live on a map of Spain.',
  ],
  search: ['Buscar un lugar, una carretera o una estación', 'Search a place, a road or a station'],
  layers: ['Capas', 'Layers'],
  list: ['En el mapa ahora', 'On the map now'],
  key: ['Su clave', 'Your key'],
  keyIntro: [
    'Con una clave PRO o ENTERPRISE se abren las demás capas. La clave se queda en esta pestaña.',
    'A PRO or ENTERPRISE key opens the other layers. The key stays in this tab.',
  ],
  use: ['Usar', 'Use'],
  forget: ['Olvidar la clave', 'Forget the key'],
  way: ['Qué hay en mi camino', 'What is on my way'],
  past: ['Últimas 24 horas', 'Last 24 hours'],
  texts: ['Textos en', 'Texts in'],
  panel: ['Capas y búsqueda', 'Layers and search'],
  noScript: ['El mapa necesita JavaScript. Los mismos datos están en la API:', 'The map needs JavaScript. The same data is in the API:'],
})

/** The lists of the codes that layers show. */
const LISTS = [
  ...[INCIDENT_TYPES, SEVERITIES, TRAFFIC_LEVELS, SPEED_CAMERA_TYPES, RISK_CLASSES],
  ...[ALERT_LEVELS, ALERT_PHENOMENA, AIR_QUALITY_LEVELS],
]
/** The languages of texts, by their own names. */
const TEXTS: Readonly<Record<Lang, string>> = { es: 'Español', en: 'English', ca: 'Català', eu: 'Euskara', gl: 'Galego' }

/** Labels of the map's codes by list and code: in a language, or in Spanish where a list lacks it. */
function labelsIn(texts: Lang): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const labelsOf = ({ codes }: CodeList) => Object.fromEntries(Object.entries(codes).map(([code, one]) => [code, one[texts] ?? one.es]))
  return Object.fromEntries(LISTS.map((list) => [list.id, labelsOf(list)]))
}

/**
 * Renders the page of the map at `url` in a language, with codes and the API's texts in the language `texts`; `token` is the
 * caller's token for requests to our API.
 */
export function mapPage(
  language: Language,
  { texts, token, mode, url }: { readonly texts: Lang; readonly token: string; readonly mode: SourceMode; readonly url: string },
): string {
  const words = WORDS[language]
  const ways = Object.entries(TEXTS).map(([lang, name]) =>
    lang === texts
      ? `<span lang="${lang}" aria-current="true">${name}</span>`
      : `<a href="?lang=${lang}" hreflang="${lang}" lang="${lang}">${name}</a>`,
  )
  return htmlPage(language, {
    ...{ title: words.title, about: words.about, path: '/map', hasHeading: true, isFull: true, mode, url },
    modules: ['map/map.js'],
    preloads: ['maplibre-gl.js', 'maplibre-gl-shared.js'],
    styles: ['maplibre-gl.css', 'map/card.css', 'map/map.css'],
    body: `<h1 class="hidden">${words.title}</h1>
<div id="map" data-token="${escaped(token)}" data-texts="${texts}" data-labels="${escaped(JSON.stringify(labelsIn(texts)))}"></div>
<details class="panel" id="panel" open><summary>${words.panel}</summary>
<form id="search-form" role="search"><label class="hidden" for="search">${words.search}</label><input id="search" type="search" placeholder="${words.search}" autocomplete="off"></form>
<ul id="hits"></ul>
<p class="tools"><button type="button" class="quiet" id="way-open" aria-expanded="false" aria-controls="way">${words.way}</button><button type="button" class="quiet" id="past-open" aria-expanded="false" aria-controls="past">${words.past}</button></p>
<section id="way" hidden aria-label="${words.way}"></section>
<section aria-labelledby="layers-name"><h2 id="layers-name">${words.layers}</h2><ul id="layers"></ul></section>
<section aria-labelledby="list-name"><h2 id="list-name">${words.list}</h2><ul id="list"></ul></section>
<form id="key-form"><label for="key">${words.key}</label><p class="note">${words.keyIntro}</p><input id="key" type="password" autocomplete="off" placeholder="tia_…"><button>${words.use}</button> <button type="button" class="quiet" id="forget" hidden>${words.forget}</button></form>
<p class="note texts">${words.texts}: ${ways.join(' · ')}</p>
</details>
<section id="past" hidden aria-label="${words.past}"></section>
<section id="card" hidden aria-live="polite"></section>
<noscript><p>${words.noScript} <a href="/docs?lang=${language}">/docs</a></p></noscript>`,
  })
}
