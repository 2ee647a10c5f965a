import { PLANS, type Plan } from '../../../lake/schema/dataset.ts'
import { FEATURES, type Feature, featurePath, isAvailable, type PlanTable, reachablePerDay, TIERS, type Tier } from '../../auth/plans.ts'
import { inBoth, type Language } from '../../kernel/language.ts'
import { contactLink, escaped, htmlPage } from './html.ts'

/** The page of plans: where `upgrade_url` leads by default. */
export const PLANS_PATH = '/plans'

/** What the page of plans is made from. */
export interface PlansPageParts {
  readonly plans: PlanTable
  /** The page where people change their plan; null if the operator changes it. */
  readonly changePlanUrl: string | null
  /** The address for support, as a URI; null if there is none. */
  readonly supportContact: string | null
  readonly hasPath: (path: string) => boolean
}

const WORDS = inBoth({
  title: ['Planes y precios', 'Plans and prices'],
  intro: [
    'El plan de una clave decide qué puede leer y cuántas peticiones admite. Se paga por meses, sin permanencia.',
    'The plan of a key decides what it can read and how many requests it may send. It is paid by the month, without commitment.',
  ],
  about: [
    'Precios, límites y contenido de cada plan de la API de transporte de España.',
    'Prices, limits and contents of each plan of the API of transport in Spain.',
  ],
  limits: ['Límites comparados', 'Limits compared'],
  perMonth: ['al mes', 'a month'],
  rates: [
    (minute: string, day: string) => `${minute} peticiones por minuto, ${day} al día`,
    (minute: string, day: string) => `${minute} requests a minute, ${day} a day`,
  ],
  for: [
    {
      FREE: 'Para probar, aprender y apps con pocos usuarios: los datos actuales.',
      PRO: 'Para apps en producción y análisis: histórico, previsiones y posiciones.',
      ENTERPRISE: 'Para flotas y servicios: entregas a su servidor, descargas completas y disponibilidad comprometida.',
    },
    {
      FREE: 'To try, to learn and for apps with few users: current data.',
      PRO: 'For apps in production and for analysis: history, forecasts and positions.',
      ENTERPRISE: 'For fleets and services: deliveries to your server, bulk downloads and promised availability.',
    },
  ],
  none: ['—', '—'],
  rows: [
    {
      price: 'Precio al mes',
      minute: 'Peticiones por minuto',
      day: 'Peticiones al día',
      reachable: 'Alcanzables en 24 h con ambos límites',
      concurrency: 'Consultas de histórico a la vez',
      streams: 'Flujos de eventos abiertos a la vez',
      formats: 'Formatos',
    },
    {
      price: 'Price per month',
      minute: 'Requests per minute',
      day: 'Requests per day',
      reachable: 'Reachable in 24 h with both limits',
      concurrency: 'Queries of history at once',
      streams: 'Event streams open at once',
      formats: 'Formats',
    },
  ],
  anonymous: ['Sin clave', 'Without a key'],
  free: ['Gratis', 'Free'],
  windows: [
    'Un minuto son 60 segundos cualesquiera y un día, 24 horas cualesquiera. Los límites cuentan por clave; sin clave, por dirección IP.',
    'A minute is any 60 seconds and a day any 24 hours. Limits count per key; without a key, per IP address.',
  ],
  contents: ['Qué incluye cada plan', 'What each plan includes'],
  has: [(plan: string) => `El plan ${plan} incluye:`, (plan: string) => `The plan ${plan} includes:`],
  and: [(below: string) => `Todo lo de ${below} y además:`, (below: string) => `Everything in ${below}, and:`],
  change: ['Cambiar de plan', 'Change the plan'],
  changeAt: ['El plan de una clave se cambia en', 'The plan of a key is changed at'],
  writeTo: [
    'Para cambiar el plan de una clave, escriba desde la dirección de su cuenta a',
    'To change the plan of a key, write from the address of your account to',
  ],
  nobody: ['El plan de una clave lo cambia quien opera este servicio.', 'The operator of this service changes the plan of a key.'],
  start: ['Crear una clave gratuita', 'Make a free key'],
  asJson: ['Lo mismo en JSON', 'The same as JSON'],
  support: ['Dirección de soporte:', 'Support address:'],
  noSupport: ['La dirección se acuerda con quien opera el servicio.', 'The address is agreed with the operator of the service.'],
  notes: [
    {
      PRIORITY_SUPPORT: 'Una dirección de contacto cuyos mensajes se atienden antes que los demás.',
      SLA: 'Por mes y grupo de rutas, medida como explica la página de estado.',
      MONTHLY_INVOICE: 'Con lo que usó cada clave en el mes, en hora de Madrid.',
      DEDICATED_IP: 'Una dirección IP propia desde la que se sirve su acceso. La configura una persona cuando la pide; no es automática.',
    },
    {
      PRIORITY_SUPPORT: 'A contact address whose messages are answered before others.',
      SLA: 'By month and group of paths, measured as the status page explains.',
      MONTHLY_INVOICE: 'With what each key used in the month, by Madrid time.',
      DEDICATED_IP: 'An IP address of your own that serves your access. A person sets it up on request; it is not automatic.',
    },
  ],
})

/** Renders the page of plans: prices, limits and the available features of each plan. */
export function plansPage(language: Language, parts: PlansPageParts, url: string): string {
  const words = WORDS[language]
  const sections = PLANS.map((plan, at) => {
    const below = at === 0 ? null : (PLANS[at - 1] as string)
    const features = parts.plans[plan].features.filter((feature) => isAvailable(feature, parts.hasPath))
    const items = features.map((feature) => `<li>${featureHtml(feature, language, parts.supportContact)}</li>`)
    return `<section class="card" aria-labelledby="plan-${plan}"><h3 id="plan-${plan}">${plan}</h3>${termsHtml(language, plan, parts.plans)}
<p class="has">${below === null ? words.has(plan) : words.and(below)}</p><ul>${items.join('\n')}</ul></section>`
  })
  const body = `<p class="lead">${words.intro}</p>
<section aria-labelledby="contents"><h2 id="contents" class="hidden">${words.contents}</h2><div class="tiers">${sections.join('\n')}</div></section>
<section aria-labelledby="limits"><h2 id="limits">${words.limits}</h2>
${limitsTable(language, parts.plans)}
<p><small>${words.windows}</small></p></section>
<section aria-labelledby="change"><h2 id="change">${words.change}</h2><p>${changeHtml(language, parts)}</p>
<p class="actions"><a class="button" href="/?lang=${language}#key">${words.start}</a> <a href="/api/plans?lang=${language}">${words.asJson}</a></p></section>`
  const { title, about } = words
  return htmlPage(language, { title, about, body, url, path: PLANS_PATH, isWide: true, styles: ['plans.css'] })
}

/** Renders the price and the limits of a plan. */
function termsHtml(language: Language, plan: Plan, plans: PlanTable): string {
  const words = WORDS[language]
  const number = new Intl.NumberFormat(language, { useGrouping: 'always' })
  const { price_eur_month: eur, minute, day } = plans[plan]
  const price = eur === null ? words.none : eur === 0 ? words.free : `${euros(eur, language)} <small>${words.perMonth}</small>`
  return `<p class="price">${price}</p><p>${words.for[plan]}</p><p class="rates">${words.rates(number.format(minute), number.format(day))}</p>`
}

function limitsTable(language: Language, plans: PlanTable): string {
  const words = WORDS[language]
  const { rows } = words
  const number = new Intl.NumberFormat(language, { useGrouping: 'always' })
  const price = (eur: number | null): string => (eur === null ? words.none : eur === 0 ? words.free : euros(eur, language))
  const count = (value: number): string => (value === 0 ? words.none : number.format(value))
  const cells: readonly (readonly [string, (tier: Tier) => string])[] = [
    [rows.price, (tier) => `<strong>${price(plans[tier].price_eur_month)}</strong>`],
    [rows.minute, (tier) => count(plans[tier].minute)],
    [rows.day, (tier) => count(plans[tier].day)],
    [rows.reachable, (tier) => count(reachablePerDay(plans[tier]))],
    [rows.concurrency, (tier) => count(plans[tier].concurrency)],
    [rows.streams, (tier) => count(plans[tier].streams)],
    [rows.formats, (tier) => plans[tier].formats.join(', ')],
  ]
  const heads = TIERS.map((tier) => `<th scope="col">${tier === 'ANONYMOUS' ? words.anonymous : tier}</th>`)
  const lines = cells.map(
    ([name, cell]) => `<tr><th scope="row">${name}</th>${TIERS.map((tier) => `<td>${cell(tier)}</td>`).join('')}</tr>`,
  )
  return `<div class="scroll" role="group" aria-label="${words.limits}" tabindex="0"><table class="plans"><thead><tr><td></td>${heads.join('')}</tr></thead><tbody>${lines.join('\n')}</tbody></table></div>`
}

function featureHtml(feature: Feature, language: Language, supportContact: string | null): string {
  const words = WORDS[language]
  const path = featurePath(feature)
  const note = (words.notes as Readonly<Partial<Record<Feature, string>>>)[feature]
  const where = path === null ? '' : `<br><code>${escaped(path)}</code>`
  const contact =
    feature !== 'PRIORITY_SUPPORT'
      ? ''
      : supportContact === null
        ? ` ${words.noSupport}`
        : ` ${words.support} ${contactLink(supportContact)}.`
  return `${escaped(FEATURES[feature][language])}${where}${note === undefined ? '' : `<br><small>${note}${contact}</small>`}`
}

function changeHtml(language: Language, { changePlanUrl, supportContact }: PlansPageParts): string {
  const words = WORDS[language]
  if (changePlanUrl !== null) return `${words.changeAt} <a href="${escaped(changePlanUrl)}">${escaped(changePlanUrl)}</a>.`
  return supportContact === null ? words.nobody : `${words.writeTo} ${contactLink(supportContact)}.`
}

/** Formats euros, without cents if there are none. */
export function euros(value: number, language: Language): string {
  const minimumFractionDigits = Number.isInteger(value) ? 0 : 2
  return new Intl.NumberFormat(language, { style: 'currency', currency: 'EUR', minimumFractionDigits }).format(value)
}
