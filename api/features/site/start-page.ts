import { PLANS } from '../../../lake/schema/dataset.ts'
import type { SourceMode } from '../../../lake/system.ts'
import type { PlanTable } from '../../auth/plans.ts'
import { inBoth, type Language } from '../../kernel/language.ts'
import type { Figure } from './figures.ts'
import type { HomeContent, ShownRequest } from './home.ts'
import { codeBlock, escaped, htmlPage, moment } from './html.ts'
import { euros } from './plans-page.ts'
import type { PointKind, SpainPicture } from './spain-picture.ts'
import { sparkline } from './sparkline.ts'

/** Why the form returned no key. */
export type SignupNotice = 'email' | 'tooMany' | 'full'

const WORDS = inBoth({
  title: ['Traffic Intelligence: el transporte de España en una API', 'Traffic Intelligence: transport in Spain as one API'],
  heading: ['El transporte de España en una API', 'Transport in Spain as one API'],
  what: [
    'Carreteras, trenes, barcos, aviones, carburantes y tiempo: lo que publican decenas de organismos, en directo y con su histórico, en un solo formato.',
    'Roads, trains, ships, aircraft, fuel and weather: what dozens of public bodies publish, live and with history, in one format.',
  ],
  map: ['Abrir el mapa', 'Open the map'],
  mapNow: ['España ahora', 'Spain now'],
  kinds: [
    { incident: 'incidencias', beacon: 'balizas V16' },
    { incident: 'incidents', beacon: 'V16 beacons' },
  ],
  now: ['Ahora mismo', 'Right now'],
  none: ['sin datos todavía', 'no data yet'],
  asOf: ['datos de las', 'data from'],
  zone: ['(hora de Madrid)', '(time in Madrid)'],
  history: ['últimas 24 h', 'last 24 h'],
  since: ['desde las', 'since'],
  key: ['Su clave, gratis', 'Your key, for free'],
  keyIntro: [
    (minute: string, day: string) => `Sin tarjeta y al momento: ${minute} peticiones por minuto y ${day} al día.`,
    (minute: string, day: string) => `No card, and at once: ${minute} requests a minute and ${day} a day.`,
  ],
  email: ['Correo electrónico', 'E-mail'],
  send: ['Crear mi clave', 'Make my key'],
  privacy: [
    'Guardamos la dirección cifrada, solo para gestionar sus claves; se puede borrar en cualquier momento.',
    'We keep the address encrypted, to manage your keys only; it can be deleted at any time.',
  ],
  requests: ['Tres peticiones y lo que responden ahora', 'Three requests and their replies now'],
  without: [
    'Responden también sin clave, unas pocas veces por minuto. Aquí se muestra solo una parte de <code>meta</code>; la respuesta añade fuentes y licencias.',
    'They answer without a key too, a few times a minute. Only a part of <code>meta</code> is shown; the reply adds sources and licences.',
  ],
  noReply: ['Sin respuesta en este momento.', 'No reply at the moment.'],
  more: ['Todas las rutas', 'All paths'],
  who: ['Para quién es', 'Who it is for'],
  prices: ['Precios', 'Prices'],
  perMonth: ['al mes', 'a month'],
  free: ['Gratis', 'Free'],
  perDay: [(day: string) => `${day} peticiones al día`, (day: string) => `${day} requests a day`],
  planFor: [
    {
      FREE: 'Datos actuales, con clave en un minuto.',
      PRO: 'Histórico, previsiones, posiciones y flujos de eventos.',
      ENTERPRISE: 'Todo, con webhooks, descargas completas y compromiso de disponibilidad.',
    },
    {
      FREE: 'Current data, with a key in a minute.',
      PRO: 'History, forecasts, positions and event streams.',
      ENTERPRISE: 'Everything, with webhooks, bulk downloads and a promise of availability.',
    },
  ],
  plans: ['Planes y precios', 'Plans and prices'],
  made: ['Su clave', 'Your key'],
  once: ['Cópiela ahora: no se muestra nunca más.', 'Copy it now: it is never shown again.'],
  first: ['Su primera llamada', 'Your first call'],
  tryIt: ['Enviarla aquí', 'Send it here'],
  toMap: ['Abrir el mapa con ella', 'Open the map with it'],
  mailed: [
    'Le hemos enviado un enlace para confirmar la dirección y gestionar sus claves.',
    'We have sent you a link to confirm the address and to manage your keys.',
  ],
  back: ['Volver al inicio', 'Back to the start'],
  notice: [
    {
      email: 'Eso no es una dirección de correo. Revísela y vuelva a enviarla.',
      tooMany: 'Demasiadas peticiones. Vuelva a probar más tarde.',
      full: 'Esa dirección ya tiene tres claves gratuitas. Le hemos enviado un enlace para gestionarlas.',
    },
    {
      email: 'That is not an e-mail address. Check it and send it again.',
      tooMany: 'Too many requests. Try again later.',
      full: 'That address already has three free keys. We have sent it a link to manage them.',
    },
  ],
})

/** Whom this is for: their name, what they get, and their first step as a link. */
const READERS = inBoth({
  app: [
    ['Hago una app', 'Listas actuales en JSON o GeoJSON, filtros por lugar y carretera, y cambios desde un cursor.', 'Primeros pasos'],
    ['I build an app', 'Current lists as JSON or GeoJSON, filters by place and road, and changes since a cursor.', 'Quick start'],
  ],
  data: [
    ['Analizo datos', 'Histórico en Parquet, CSV o Arrow, con esquema, unidades y calidad de cada conjunto.', 'Descargas'],
    ['I analyse data', 'History as Parquet, CSV or Arrow, with schema, units and quality of every dataset.', 'Bulk downloads'],
  ],
  enterprise: [
    [
      'Opero una flota o un servicio',
      'Webhooks, flujos de eventos, riesgo por tramo y un compromiso de disponibilidad medido.',
      'Plan ENTERPRISE',
    ],
    [
      'I run a fleet or a service',
      'Webhooks, event streams, risk by section and a measured promise of availability.',
      'The plan ENTERPRISE',
    ],
  ],
  assistant: [
    ['Uso un asistente', 'Un servidor MCP con las mismas rutas como herramientas, y un resumen en texto para modelos.', 'Para asistentes'],
    ['I use an assistant', 'An MCP server with the same paths as tools, and a summary as text for models.', 'For assistants'],
  ],
})
const FIRST_STEPS = {
  app: '/docs/guides/quick-start',
  data: '/docs/guides/bulk',
  enterprise: '/plans',
  assistant: '/llms.txt',
} as const

/** The request of a first call. */
const FIRST_CALL = '/api/incidents?province=Madrid'
const CLOCK = { hour: '2-digit', minute: '2-digit' } as const

/** Renders the page for newcomers: what this is, Spain now, a form for a key. `notice` is the reason for no key. */
export function startPage(
  language: Language,
  options: {
    readonly content: HomeContent
    readonly plans: PlanTable
    readonly baseUrl: string
    readonly mode: SourceMode
    readonly notice?: SignupNotice
    readonly email?: string
  },
): string {
  const { content, plans, baseUrl, mode, notice, email = '' } = options
  const words = WORDS[language]
  const number = new Intl.NumberFormat(language, { useGrouping: 'always' })
  const { minute, day } = plans.FREE
  const alert = notice ? `<p role="alert" id="notice"><strong>${words.notice[notice]}</strong></p>` : ''
  const wrong = notice === 'email' ? ' aria-invalid="true" aria-describedby="notice"' : ''
  const more = `<p class="actions"><a href="/docs?lang=${language}">${words.more}</a></p>`
  return htmlPage(language, {
    ...{ title: words.title, about: words.what, path: '/', hasHeading: true, isWide: true, mode, url: `${baseUrl}/` },
    ...{ styles: ['home.css'], modules: ['home.js'] },
    body: `<div class="hero"><div><h1>${words.heading}</h1><p class="lead">${words.what}</p>
<section class="signup" aria-labelledby="key"><h2 id="key">${words.key}</h2>${alert}<p>${words.keyIntro(number.format(minute), number.format(day))}</p>
<form method="post" action="/signup"><input type="hidden" name="lang" value="${language}">
<label for="email">${words.email}</label><div class="send"><input id="email" type="email" name="email" value="${escaped(email)}" autocomplete="email" required maxlength="254"${wrong}><button>${words.send}</button></div></form>
<p><small>${words.privacy}</small></p></section></div>
${pictureHtml(content, language, number)}</div>
<section aria-labelledby="now"><h2 id="now">${words.now}</h2><dl class="figures">${content.figures.map((one) => figure(one, content.at, { language, number })).join('')}</dl></section>
<section aria-labelledby="requests"><h2 id="requests">${words.requests}</h2><p>${words.without}</p><div class="requests">${content.requests.map((one) => requestHtml(one, language, baseUrl)).join('')}</div>${more}</section>
<section aria-labelledby="who"><h2 id="who">${words.who}</h2><div class="readers">${readersHtml(language)}</div></section>
<section aria-labelledby="prices"><h2 id="prices">${words.prices}</h2><div class="prices">${pricesHtml(language, plans, number)}</div>
<p><a href="/plans?lang=${language}">${words.plans}</a></p></section>`,
  })
}

/** Renders the page that shows a new key, once, with a call to copy or to send. */
export function keyMadePage(language: Language, { key, baseUrl }: { readonly key: string; readonly baseUrl: string }): string {
  const words = WORDS[language]
  return htmlPage(language, {
    ...{ title: words.made, about: words.once, styles: ['home.css'], modules: ['first-call.js'] },
    body: `<p role="status" class="made"><code>${escaped(key)}</code></p><p><strong>${words.once}</strong></p>
<section aria-labelledby="first"><h2 id="first">${words.first}</h2>${codeBlock(`curl -H 'X-API-Key: ${key}' '${baseUrl}${FIRST_CALL}'`)}
<p class="actions"><button id="send" hidden data-path="${FIRST_CALL}" data-key="${escaped(key)}">${words.tryIt}</button><a class="button quiet" id="to-map" href="/map?lang=${language}">${words.toMap}</a></p><div id="reply" aria-live="polite"></div>
<p>${words.mailed}</p><p><a href="/docs?lang=${language}">${words.more}</a></p></section>
<p><a href="/?lang=${language}">${words.back}</a></p>`,
  })
}

function pictureHtml({ at, picture }: HomeContent, language: Language, number: Intl.NumberFormat): string {
  const words = WORDS[language]
  const kinds: readonly PointKind[] = ['incident', 'beacon']
  const legend = kinds.map((kind) => legendItem(kind, picture, { text: words.kinds[kind], number })).join('')
  return `<figure class="spain"><div class="frame"><a class="still" href="/map?lang=${language}" aria-label="${words.map}">${picture.svg}</a></div>
<figcaption><p><strong>${words.mapNow}</strong>, ${moment(at, language, CLOCK)} ${words.zone}</p><ul>${legend}</ul><a class="button quiet" href="/map?lang=${language}">${words.map}</a></figcaption></figure>`
}

function legendItem(
  kind: PointKind,
  { counts }: SpainPicture,
  { text, number }: { readonly text: string; readonly number: Intl.NumberFormat },
): string {
  const count = counts[kind]
  return count === null ? '' : `<li class="${kind}">${number.format(count)} ${text}</li>`
}

function figure(
  { path, label, count, updated_at, history, historyLabel }: Figure,
  now: number,
  { language, number }: { readonly language: Language; readonly number: Intl.NumberFormat },
): string {
  const words = WORDS[language]
  const name = `<dt><a href="${escaped(path)}">${label[language]}</a></dt>`
  if (count === null || updated_at === null) return `<div>${name}<dd><small>${words.none}</small></dd></div>`
  const begin = history[0]?.at ?? now
  const span = now - begin > 23 * 3_600_000 ? words.history : `${words.since} ${moment(begin, language, CLOCK)}`
  const shown = historyLabel === null ? span : `${historyLabel[language]}, ${span}`
  const line = sparkline(history, `${label[language]}, ${words.history}`)
  const time = `<small>${words.asOf} ${moment(Date.parse(updated_at), language, CLOCK)}</small>`
  return `<div>${name}<dd><strong>${number.format(count)}</strong> ${time}${line === '' ? '' : `${line}<small>${shown}</small>`}</dd></div>`
}

function requestHtml({ title, url, reply }: ShownRequest, language: Language, baseUrl: string): string {
  const shown = reply === null ? `<p>${WORDS[language].noReply}</p>` : codeBlock(reply)
  return `<article class="request"><h3>${title[language]}</h3>${codeBlock(`curl '${baseUrl}${url}'`)}${shown}</article>`
}

function readersHtml(language: Language): string {
  const readers = READERS[language]
  return (Object.keys(FIRST_STEPS) as (keyof typeof FIRST_STEPS)[])
    .map((one) => {
      const [name, text, step] = readers[one]
      const path = FIRST_STEPS[one]
      const query = path.endsWith('.txt') ? '' : `?lang=${language}`
      return `<section class="card" aria-labelledby="for-${one}"><h3 id="for-${one}">${name}</h3><p>${text}</p><p><a href="${path}${query}">${step}</a></p></section>`
    })
    .join('')
}

function pricesHtml(language: Language, plans: PlanTable, number: Intl.NumberFormat): string {
  const words = WORDS[language]
  return PLANS.map((plan) => {
    const { price_eur_month, day } = plans[plan]
    const price =
      price_eur_month === null
        ? ''
        : price_eur_month === 0
          ? `<strong>${words.free}</strong>`
          : `<strong>${euros(price_eur_month, language)}</strong> <small>${words.perMonth}</small>`
    return `<div class="card"><h3>${plan}</h3><p class="price">${price}</p><p>${words.planFor[plan]}</p><p><small>${words.perDay(number.format(day))}</small></p></div>`
  }).join('')
}
