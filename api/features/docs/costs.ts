import { ACCOUNT_LIMIT, type AddressLimit, PLATFORM_LIMIT, WEBHOOK_LIMIT } from '../../auth/address-limit.ts'
import type { PlanTable } from '../../auth/plans.ts'
import { inBoth, type Language } from '../../kernel/language.ts'
import type { OperationDoc, OperationIndex } from './reference.ts'

const WORDS = inBoth({
  request: ['1 petición', '1 request'],
  query: ['1 petición y 1 consulta', '1 request and 1 query'],
  address: ['sin coste', 'no cost'],
  free: ['Sin clave', 'No key'],
  charged: [
    'Cada respuesta cuenta como una petición del minuto y del día de la clave; un 304, solo del minuto.',
    'Each reply counts as one request of the minute and the day of the key; a 304 only of the minute.',
  ],
  queried: [
    'Ocupa una de las consultas simultáneas del plan mientras se responde.',
    'It takes one of the concurrent queries of the plan while it is answered.',
  ],
  limits: [
    (plan: string, minute: string, day: string, queries: string) => `${plan}: ${minute} por minuto, ${day} al día, ${queries} a la vez.`,
    (plan: string, minute: string, day: string, queries: string) => `${plan}: ${minute} a minute, ${day} a day, ${queries} at once.`,
  ],
  queries: [
    (count: string) => (count === '1' ? '1 consulta' : `${count} consultas`),
    (count: string) => (count === '1' ? '1 query' : `${count} queries`),
  ],
  byAddress: [
    (minute: number) => `No gasta peticiones de ninguna clave. Cada dirección IP admite ${minute} por minuto.`,
    (minute: number) => `It uses no requests of a key. An IP address may send ${minute} a minute.`,
  ],
  tools: [
    'El protocolo no cuesta nada; cada herramienta gasta las peticiones que envía a la API.',
    'The protocol costs nothing; each tool uses the requests that it sends to the API.',
  ],
  wider: [
    (hours: number, plan: string) => `Para periodos anteriores a las últimas ${hours} horas hace falta el plan ${plan}.`,
    (hours: number, plan: string) => `Periods before the last ${hours} hours need the plan ${plan}.`,
  ],
})

/** The groups whose operations count for the IP address, with the limit. Webhooks need a plan, too. */
const BY_ADDRESS: Readonly<Record<string, AddressLimit>> = { account: ACCOUNT_LIMIT, webhooks: WEBHOOK_LIMIT, platform: PLATFORM_LIMIT }

/** Returns the cost of an operation in a few words. */
export function shortCost(group: string, { isQuery }: OperationIndex, language: Language): string {
  const words = WORDS[language]
  if (BY_ADDRESS[group]) return words.address
  return isQuery ? words.query : words.request
}

/** Returns the sentences about what an operation costs. */
export function fullCost(group: string, operation: OperationDoc, language: Language, plans: PlanTable): readonly string[] {
  const words = WORDS[language]
  const byAddress = BY_ADDRESS[group]
  if (operation.id === 'mcp') return [words.tools]
  if (byAddress) return [words.byAddress(byAddress.policies[0]?.limit ?? 0)]
  const number = new Intl.NumberFormat(language, { useGrouping: 'always' })
  const { minute, day, concurrency } = plans[operation.plan ?? 'FREE']
  return [
    words.charged,
    ...(operation.isQuery ? [words.queried] : []),
    words.limits(operation.plan ?? 'FREE', number.format(minute), number.format(day), words.queries(number.format(concurrency))),
    ...(operation.wider ? [words.wider(operation.wider.beyond_hours, operation.wider.plan)] : []),
  ]
}

/** Renders the plan of an operation as a tag. */
export function planTag({ plan }: Pick<OperationIndex, 'plan'>, language: Language): string {
  return plan === null
    ? `<span class="tag">${WORDS[language].free}</span>`
    : `<span class="tag${plan === 'FREE' ? '' : ' accent'}">${plan}</span>`
}
