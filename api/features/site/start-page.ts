import type { SourceMode } from '../../../lake/system.ts'
import type { PlanTable } from '../../auth/plans.ts'
import { inBoth, type Language } from '../../kernel/language.ts'
import type { Figure } from './figures.ts'
import { escaped, htmlPage, moment } from './html.ts'

/** Why the form returned no key. */
export type SignupNotice = 'email' | 'tooMany' | 'full'

const WORDS = inBoth({
  title: ['Traffic Intelligence API', 'Traffic Intelligence API'],
  what: [
    'El transporte de España en una API: incidencias y balizas V16 en directo, el tráfico de Madrid, el precio de cada gasolinera, el tiempo en las carreteras y los trenes de Renfe, con su histórico, y además viajes, aforos y accidentes. Cada campo dice su unidad, cada respuesta lo antiguos que son sus datos.',
    'Transport in Spain as an API: live incidents and V16 beacons, the traffic of Madrid, the price of every filling station, the weather on the roads and the trains of Renfe, with their history, and trips, traffic counts and accidents besides. Every field states its unit, every reply the age of its data.',
  ],
  now: ['Ahora mismo', 'Right now'],
  none: ['sin datos todavía', 'no data yet'],
  asOf: ['según los datos de las', 'by data from'],
  zone: ['(hora de Madrid)', '(time in Madrid)'],
  key: ['Su clave, gratis', 'Your key, for free'],
  keyIntro: [
    (minute: number, day: number) => `Sin tarjeta y al momento: ${minute} peticiones por minuto y ${day} al día.`,
    (minute: number, day: number) => `No card, and at once: ${minute} requests a minute and ${day} a day.`,
  ],
  email: ['Correo electrónico', 'E-mail'],
  send: ['Crear mi clave', 'Make my key'],
  privacy: [
    'Guardamos la dirección cifrada, solo para gestionar sus claves; se puede borrar en cualquier momento.',
    'We keep the address encrypted, to manage your keys only; it can be deleted at any time.',
  ],
  without: [
    'Sin clave también responde, unas pocas veces por minuto. Pruébelo:',
    'It answers without a key too, a few times a minute. Try it:',
  ],
  more: ['Todas las rutas, para probarlas en el navegador', 'All paths, to be tried in the browser'],
  plans: ['Planes y precios', 'Plans and prices'],
  made: ['Su clave', 'Your key'],
  once: ['Cópiela ahora: no se muestra nunca más.', 'Copy it now: it is never shown again.'],
  first: ['Su primera llamada', 'Your first call'],
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

/** The request of a first call. */
const FIRST_CALL = '/api/incidents?province=Madrid'

/** Renders the page for newcomers: what this is, its current numbers, and a form for a key. `notice` is the reason for no key. */
export function startPage(
  language: Language,
  options: {
    readonly figures: readonly Figure[]
    readonly plans: PlanTable
    readonly baseUrl: string
    readonly mode: SourceMode
    readonly notice?: SignupNotice
    readonly email?: string
  },
): string {
  const { figures, plans, baseUrl, mode, notice, email = '' } = options
  const words = WORDS[language]
  const { minute, day } = plans.FREE
  const number = new Intl.NumberFormat(language)
  const alert = notice ? `<p role="alert" id="notice"><strong>${words.notice[notice]}</strong></p>` : ''
  const wrong = notice === 'email' ? ' aria-invalid="true" aria-describedby="notice"' : ''
  return htmlPage(language, {
    title: words.title,
    mode,
    body: `<p>${words.what}</p>
<section aria-labelledby="now"><h2 id="now">${words.now}</h2><dl class="figures">${figures.map((one) => figure(one, language, number)).join('')}</dl></section>
<section aria-labelledby="key"><h2 id="key">${words.key}</h2>${alert}<p>${words.keyIntro(minute, day)}</p>
<form method="post" action="/signup"><input type="hidden" name="lang" value="${language}">
<p><label for="email">${words.email}</label> <input id="email" type="email" name="email" value="${escaped(email)}" autocomplete="email" required maxlength="254"${wrong}> <button>${words.send}</button></p></form>
<p><small>${words.privacy}</small></p></section>
<section><p>${words.without}</p>${command(`curl '${baseUrl}${FIRST_CALL}'`)}
<p><a href="/docs">${words.more}</a> · <a href="/plans?lang=${language}">${words.plans}</a></p></section>`,
  })
}

/** Renders the page that shows a new key, once, with a call to copy. */
export function keyMadePage(language: Language, { key, baseUrl }: { readonly key: string; readonly baseUrl: string }): string {
  const words = WORDS[language]
  return htmlPage(language, {
    title: words.made,
    body: `<p role="status"><code>${escaped(key)}</code></p><p><strong>${words.once}</strong></p>
<section aria-labelledby="first"><h2 id="first">${words.first}</h2>${command(`curl -H 'X-API-Key: ${key}' '${baseUrl}${FIRST_CALL}'`)}
<p>${words.mailed}</p><p><a href="/docs">${words.more}</a></p></section>
<p><a href="/?lang=${language}">${words.back}</a></p>`,
  })
}

function figure({ path, label, count, updated_at }: Figure, language: Language, number: Intl.NumberFormat): string {
  const words = WORDS[language]
  const time =
    updated_at === null
      ? ''
      : `<small>${words.asOf} ${moment(Date.parse(updated_at), language, { hour: '2-digit', minute: '2-digit' })} ${words.zone}</small>`
  const value = count === null ? `<small>${words.none}</small>` : `<strong>${number.format(count)}</strong> ${time}`
  return `<div><dt><a href="${path}">${label[language]}</a></dt><dd>${value}</dd></div>`
}

function command(text: string): string {
  return `<pre tabindex="0"><code>${escaped(text)}</code></pre>`
}
