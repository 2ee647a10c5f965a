import { inBoth, type Language } from '../../kernel/language.ts'
import { PROMISE_PCT } from '../../kernel/promise.ts'
import { dataTable, escaped, htmlPage, moment } from '../site/html.ts'
import { type DeliveryLag, LATE_S, STUCK_S } from './delivery.ts'
import type { GroupStatus, State, StatusReport } from './report.ts'
import { daysHtml, outagesHtml } from './status-days.ts'
import { awaitedHtml, feedsHtml } from './status-feeds.ts'
import { type Level, marked, OF_YEAR, percent, span } from './status-marks.ts'
import { METHOD, reasonTexts } from './texts.ts'

const STATE_LEVELS: Readonly<Record<State, Level>> = { ok: 'ok', degraded: 'warn', down: 'bad' }

const WORDS = inBoth({
  title: ['Estado del servicio', 'State of the service'],
  states: [
    { ok: 'Todo funciona', degraded: 'Funciona, con problemas', down: 'No funciona' },
    { ok: 'Everything works', degraded: 'Works, with problems', down: 'Does not work' },
  ],
  asOf: ['Estado de las', 'As of'],
  asJson: ['Lo mismo en JSON', 'The same as JSON'],
  feeds: ['Fuentes de datos', 'Data feeds'],
  awaited: ['Qué se espera, y hasta cuándo', 'What is awaited, and until when'],
  outages: ['Interrupciones', 'Interruptions'],
  health: ['Estado', 'State'],
  about: [
    'Cómo funciona la API ahora, su disponibilidad por día y el estado de cada fuente de datos.',
    'How the API works now, its availability by day and the state of each data feed.',
  ],
  days: ['Disponibilidad por día', 'Availability by day'],
  uptime: ['Disponibilidad y tiempos de respuesta', 'Availability and response times'],
  group: ['Grupo', 'Group'],
  availability: ['Disponibilidad', 'Availability'],
  promise: [(pct: string) => `Compromiso (${pct})`, (pct: string) => `Promise (${pct})`],
  met: ['Se cumple', 'Kept'],
  missed: ['No se cumple', 'Not kept'],
  open: ['Sin medir', 'Not measured'],
  down: ['Minutos caído', 'Minutes down'],
  requests: ['Peticiones', 'Requests'],
  failed: ['Fallidas', 'Failed'],
  measured: [
    (from: string, until: string, minutes: string, silent: string) =>
      `Medido desde el ${from} hasta el ${until}: ${minutes} minutos, ${silent} de ellos sin señal de la API.`,
    (from: string, until: string, minutes: string, silent: string) =>
      `Measured from ${from} until ${until}: ${minutes} minutes, ${silent} of them without a signal from the API.`,
  ],
  unmeasured: ['De este mes no hay nada medido todavía.', 'Nothing is measured for this month yet.'],
  unread: ['Las cifras no se pueden leer en este momento.', 'The values cannot be read at the moment.'],
  before: ['Mes anterior', 'Month before'],
  after: ['Mes siguiente', 'Month after'],
  months: ['Otros meses', 'Other months'],
  paths: ['Qué rutas tiene cada grupo', 'Which paths are in which group'],
  how: ['Cómo se mide', 'How it is measured'],
  zone: ['Las horas son de Madrid; los meses, de UTC.', 'Times are in Madrid, months in UTC.'],
  delivery: ['Webhooks y flujos de eventos', 'Webhooks and event streams'],
  deliveryCaption: ['Cuánto van por detrás de los eventos', 'How far they are behind the events'],
  channel: ['Vía', 'Channel'],
  lag: ['Retraso', 'Lag'],
  webhooks: ['Webhooks', 'Webhooks'],
  streams: [(open: string) => `Flujos (${open} abiertos en este proceso)`, (open: string) => `Streams (${open} open in this process)`],
  lagUnknown: ['No se sabe', 'Unknown'],
  lagLevels: [
    { ok: 'Al día', warn: 'Con retraso', bad: 'Parado' },
    { ok: 'On time', warn: 'Late', bad: 'Stuck' },
  ],
  lagRule: [
    (late: string, stuck: string) =>
      `Al día: hasta ${late}. Con retraso: hasta ${stuck}. Parado: más de ${stuck}. El retraso es la edad del evento más antiguo que los webhooks aún no han tratado, y el tiempo que este proceso lleva sin poder leer el registro de eventos para los flujos. Nada se pierde: lo atrasado se entrega después.`,
    (late: string, stuck: string) =>
      `On time: up to ${late}. Late: up to ${stuck}. Stuck: more than ${stuck}. The lag is the age of the oldest event that webhooks have not handled yet, and the time for which this process could not read the log of events for streams. Nothing is lost: late events are delivered later.`,
  ],
})

/** The parts of a time of day. */
const CLOCK = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const

/** Renders the state of the service for people: all in words, without scripts. */
export function statusPage(report: StatusReport, language: Language, url: string): string {
  const words = WORDS[language]
  const { state, reasons, as_of, source_mode, feeds, month, groups } = report
  const names = groups.map(({ group }) => group)
  const why = reasonTexts(reasons, { language, groups: names, feeds }).map((text) => `<li>${escaped(text)}</li>`)
  const paths = names.map(({ title, paths: all }) => {
    const items = [...all].map((path) => `<li><code>${escaped(path)}</code></li>`)
    return `<dt>${escaped(title[language])}</dt><dd><ul>${items.join('')}</ul></dd>`
  })
  const body = `<div class="state ${STATE_LEVELS[state]}"><h1>${words.title}</h1><p role="status">${marked(STATE_LEVELS[state], `<strong>${words.states[state]}</strong>`)}</p>
${why.length === 0 ? '' : `<ul>${why.join('')}</ul>\n`}<p><small>${words.asOf} ${moment(as_of, language, CLOCK)}. ${words.zone} <a href="?format=json&amp;lang=${language}&amp;month=${month}">${words.asJson}</a></small></p></div>
<section aria-labelledby="days"><h2 id="days">${words.days}, ${monthName(month, language)}</h2>
${daysHtml(report, language)}</section>
<section aria-labelledby="outages"><h2 id="outages">${words.outages}</h2>
${outagesHtml(report, language)}</section>
<section aria-labelledby="awaited"><h2 id="awaited">${words.awaited}</h2>
${awaitedHtml(feeds, language)}</section>
<section aria-labelledby="feeds"><h2 id="feeds">${words.feeds}</h2>
${feedsHtml(feeds, names, language)}
</section>
<section aria-labelledby="delivery"><h2 id="delivery">${words.delivery}</h2>
${deliveryHtml(report.delivery, language)}
</section>
<section aria-labelledby="uptime"><h2 id="uptime">${words.uptime}</h2>
${uptimeHtml(report, language)}
<details><summary>${words.paths}</summary><dl>${paths.join('')}</dl></details>
<h3>${words.how}</h3><p>${escaped(METHOD[language])}</p>
</section>`
  const { title, about } = words
  return htmlPage(language, {
    title,
    about,
    body,
    url,
    hasHeading: true,
    mode: source_mode,
    path: '/status',
    isWide: true,
    styles: ['status.css'],
  })
}

/** Renders the lag of webhooks and streams, and what it means. */
function deliveryHtml({ webhooks_lag_s, streams_lag_s, streams_open }: DeliveryLag, language: Language): string {
  const words = WORDS[language]
  const row = (name: string, lag_s: number | null): string[] => {
    const level = lagLevel(lag_s)
    return [name, level === null ? words.lagUnknown : marked(level, words.lagLevels[level]), lag_s === null ? '—' : span(lag_s)]
  }
  const open = new Intl.NumberFormat(language).format(streams_open)
  const rows = [row(words.webhooks, webhooks_lag_s), row(words.streams(open), streams_lag_s)]
  const heads = [words.channel, words.health, words.lag]
  const rule = words.lagRule(span(LATE_S), span(STUCK_S))
  return `${dataTable({ name: words.deliveryCaption, heads, numbers: 1, rows, classes: 'wide', isCaptioned: true })}<p><small>${rule}</small></p>`
}

function lagLevel(lag_s: number | null): Level | null {
  if (lag_s === null) return null
  return lag_s <= LATE_S ? 'ok' : lag_s <= STUCK_S ? 'warn' : 'bad'
}

function uptimeHtml({ month, before, after, uptime, groups }: StatusReport, language: Language): string {
  const words = WORDS[language]
  const number = new Intl.NumberFormat(language)
  const name = monthName(month, language)
  const note =
    uptime === null
      ? words.unread
      : uptime.measured_from === null
        ? words.unmeasured
        : words.measured(
            moment(uptime.measured_from, language, OF_YEAR),
            moment(uptime.measured_until, language, OF_YEAR),
            number.format(uptime.minutes),
            number.format(uptime.silent),
          )
  const heads = [
    ...[words.group, words.promise(percent(PROMISE_PCT, language)), words.availability, words.down],
    ...[words.requests, words.failed, 'p50 (ms)', 'p95 (ms)', 'p99 (ms)'],
  ]
  const rows = groups.map((one) => groupRow(one, language, number))
  const way = (rel: 'prev' | 'next', to: string | null, text: string): string =>
    to === null ? '' : `<li><a rel="${rel}" href="?lang=${language}&amp;month=${to}">${text}: ${monthName(to, language)}</a></li>`
  const ways = way('prev', before, words.before) + way('next', after, words.after)
  const others = ways === '' ? '' : `\n<nav aria-label="${words.months}"><ul>${ways}</ul></nav>`
  return `<p>${note}</p>\n${dataTable({ name: `${name} (UTC)`, heads, numbers: 7, rows, classes: 'wide', isCaptioned: true })}${others}`
}

function groupRow({ group, ...one }: GroupStatus, language: Language, number: Intl.NumberFormat): string[] {
  const words = WORDS[language]
  const isMeasured = one.availability_pct !== null
  const count = (value: number | null): string => (value === null || !isMeasured ? '—' : number.format(value))
  const met = one.met === null ? words.open : one.met ? marked('ok', words.met) : marked('bad', words.missed)
  const availability = one.availability_pct === null ? '—' : percent(one.availability_pct, language)
  const counts = [one.down_minutes, one.requests, one.failed, one.p50_ms, one.p95_ms, one.p99_ms]
  return [escaped(group.title[language]), met, availability, ...counts.map(count)]
}

function monthName(month: string, language: Language): string {
  return new Intl.DateTimeFormat(language, { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(new Date(`${month}-01T00:00:00Z`))
}
