import { DUE_AFTER_MS } from '../../../lake/requests/months.ts'
import { FAILING_SHARE, MIN_CALLERS, MIN_REQUESTS } from '../../../lake/requests/uptime.ts'
import type { PathGroup } from '../../auth/usage/path-groups.ts'
import type { Language } from '../../kernel/language.ts'
import type { FeedStatus, REASONS, Reason } from './report.ts'

const SHARE_PCT = FAILING_SHARE * 100
const DUE_MIN = DUE_AFTER_MS / 60_000

/** How availability is measured, in the words of the reply. */
export const METHOD: Readonly<Record<Language, string>> = Object.freeze({
  es:
    `Los meses son los de UTC y se cuentan por minutos. Cada proceso de la API anota cada minuto que está en marcha y lo que respondió en él. Un minuto que no anotó ningún proceso cuenta como caído para todos los grupos; ` +
    `uno en el que falló por nuestra parte (5xx) más del ${SHARE_PCT} % de las peticiones atendidas de un grupo, si fueron al menos ${MIN_REQUESTS} y de al menos ${MIN_CALLERS} clientes, o en el que falló nuestra propia comprobación del grupo, que se hace cada minuto, como caído para ese grupo. Las peticiones atendidas son todas menos las rechazadas por error de quien llama o por un límite (4xx). ` +
    `La disponibilidad es la parte de los minutos en que no estuvo caído, desde el primer minuto anotado y hasta hace ${DUE_MIN} minutos. Los tiempos son los de las peticiones atendidas, desde que llegan a la API hasta que se entrega la respuesta a la conexión, y son el límite superior de su clase.`,
  en:
    `Months are in UTC and are counted in minutes. Every process of the API records each minute in which it runs, with its replies. A minute that no process recorded counts as down for every group. ` +
    `A minute counts as down for one group if more than ${SHARE_PCT} % of its served requests failed by our fault (5xx), of at least ${MIN_REQUESTS} by at least ${MIN_CALLERS} callers, or if our own probe of the group, sent every minute, failed. Served requests are all but those refused as a mistake of the caller or over a limit (4xx). ` +
    `Availability is the share of minutes in which the group was not down, from the first recorded minute until ${DUE_MIN} minutes ago. Times are those of served requests, from their arrival at the API until the reply is passed to the connection. They are the upper bound of their class.`,
})

const WHY: Readonly<Record<Language, Readonly<Record<keyof typeof REASONS, (of: string) => string>>>> = {
  es: {
    'lake-away': () => 'El almacén de datos no responde: se sirven los datos actuales, no los históricos.',
    'nothing-to-serve': () => 'No hay datos que servir.',
    'store-full': () => 'El almacén de datos está lleno: se sirve lo que hay y no se guarda nada nuevo.',
    'redis-read-only': () => 'Redis no admite escrituras: los datos actuales no se renuevan.',
    'redis-away': () => 'Redis no responde: se sirven los últimos datos buenos.',
    'worker-away': () => 'El proceso que recoge los datos no está en marcha: se sirven los últimos datos buenos.',
    'feeds-unknown': () => 'Todavía no se conoce ninguna fuente.',
    'feed-waiting': (of) => `Sin datos todavía: ${of}.`,
    'feed-down': (of) => `No llegan datos de: ${of}.`,
    'feed-stale': (of) => `Datos anticuados de: ${of}.`,
    'not-running': () => 'En los últimos minutos ha habido alguno en que la API no estaba en marcha.',
    'group-failing': (of) => `En los últimos minutos han fallado peticiones de: ${of}.`,
    'table-refused': (of) =>
      `No se pueden usar estas tablas, y sus fuentes esperan: ${of}. Si Redis se vacía entretanto, su estado actual vuelve con la siguiente descarga.`,
    'table-changed': (of) => `Otro programa ha escrito en estas tablas: ${of}.`,
    'record-unread': () => 'No se pueden leer las cifras de disponibilidad: si las hay, son las últimas leídas.',
  },
  en: {
    'lake-away': () => 'The data store does not answer: current data is served, history is not.',
    'nothing-to-serve': () => 'There is no data to serve.',
    'store-full': () => 'The data store is full: existing data is served, and nothing new is stored.',
    'redis-read-only': () => 'Redis accepts no writes: current data is not renewed.',
    'redis-away': () => 'Redis does not answer: the last good data is served.',
    'worker-away': () => 'The process that collects data is not running: the last good data is served.',
    'feeds-unknown': () => 'No feed is known yet.',
    'feed-waiting': (of) => `No data yet from: ${of}.`,
    'feed-down': (of) => `No data arrives from: ${of}.`,
    'feed-stale': (of) => `Stale data from: ${of}.`,
    'not-running': () => 'In one of the last minutes the API was not running.',
    'group-failing': (of) => `Requests have failed in the last minutes in: ${of}.`,
    'table-refused': (of) =>
      `These tables cannot be used, and their feeds wait: ${of}. If Redis is emptied meanwhile, their live state comes back with the next fetch.`,
    'table-changed': (of) => `These tables were changed by another writer: ${of}.`,
    'record-unread': () => 'The availability data cannot be read: the values shown, if any, are the last ones read.',
  },
}

/** Returns the text of the reasons with one code. */
function textOf(code: Reason['code'], reasons: readonly Reason[], options: TextOptions): string {
  const { language, groups, feeds } = options
  const names = reasons.map(({ of, detail }) => {
    const known = code === 'group-failing' ? groups.find(({ id }) => id === of)?.title : feeds.find(({ id }) => id === of)?.name
    const name = known?.[language] ?? of ?? ''
    return detail === undefined ? name : `${name} (${detail})`
  })
  return WHY[language][code]([...new Set(names)].join(', '))
}

/** Options of the texts. */
interface TextOptions {
  readonly language: Language
  readonly groups: readonly Pick<PathGroup, 'id' | 'title'>[]
  readonly feeds: readonly Pick<FeedStatus, 'id' | 'name'>[]
}

/** Returns the text of a reason. */
export function reasonText(reason: Reason, options: TextOptions): string {
  return textOf(reason.code, [reason], options)
}

/** Returns the texts of all reasons, those of one kind in one sentence. */
export function reasonTexts(reasons: readonly Reason[], options: TextOptions): string[] {
  return [...Map.groupBy(reasons, ({ code }) => code)].map(([code, same]) => textOf(code, same, options))
}
