import { inBoth, type Language } from '../../kernel/language.ts'
import { PROMISE_PCT } from '../../kernel/promise.ts'
import { dataTable, escaped, moment } from '../site/html.ts'
import type { GroupDay, GroupStatus, StatusReport } from './report.ts'
import { type Level, marked, OF_YEAR, percent, span } from './status-marks.ts'

const WORDS = inBoth({
  bars: [(group: string) => `Disponibilidad por día de ${group}`, (group: string) => `Availability by day of ${group}`],
  down: [(minutes: string) => `${minutes} min caído`, (minutes: string) => `${minutes} min down`],
  unmeasured: ['sin medir', 'not measured'],
  none: ['Ninguna interrupción anotada en este mes.', 'No interruption is recorded in this month.'],
  caption: ['Interrupciones', 'Interruptions'],
  what: ['Qué', 'What'],
  from: ['Desde', 'From'],
  until: ['Hasta', 'Until'],
  long: ['Tiempo caído', 'Time down'],
  all: ['Toda la API', 'The whole API'],
  more: [(count: number) => `Las ${count} más recientes.`, (count: number) => `The newest ${count}.`],
  legend: [
    (promise: string) => ({ ok: `al menos ${promise}`, warn: 'al menos 99 %', bad: 'menos' }),
    (promise: string) => ({ ok: `at least ${promise}`, warn: 'at least 99 %', bad: 'less' }),
  ],
})

/** Width of a day's bar with its gap, and its height, in SVG units. */
const STEP = 10
const BAR = 8
const HEIGHT = 32
/** A day below this share, in %, is shown as bad. */
const BAD_PCT = 99
/** Interruptions that the page shows; the JSON has more. */
const SHOWN_OUTAGES = 12

const levelOf = ({ availability_pct }: GroupDay): Level =>
  availability_pct >= PROMISE_PCT ? 'ok' : availability_pct >= BAD_PCT ? 'warn' : 'bad'

/** Renders one row of bars for each group: a bar for each day of the month. */
export function daysHtml({ groups, month }: StatusReport, language: Language): string {
  const legend = WORDS[language].legend(percent(PROMISE_PCT, language))
  const [year, number] = month.split('-').map(Number) as [number, number]
  const dates = Array.from(
    { length: new Date(Date.UTC(year, number, 0)).getUTCDate() },
    (_, at) => `${month}-${String(at + 1).padStart(2, '0')}`,
  )
  const items = (['ok', 'warn', 'bad'] as const).map((level) => `<li>${marked(level, legend[level])}</li>`)
  return `<ul class="groups">${groups.map((group) => groupHtml(group, dates, language)).join('')}</ul><ul class="legend">${items.join('')}</ul>`
}

function groupHtml({ group, availability_pct, days }: GroupStatus, dates: readonly string[], language: Language): string {
  const words = WORDS[language]
  const title = escaped(group.title[language])
  const format = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', timeZone: 'UTC' })
  const byDate = new Map(days.map((day) => [day.date, day]))
  const bars = dates.map((date, at) => {
    const day = byDate.get(date)
    const shown = day ? `${percent(day.availability_pct, language)}, ${words.down(String(day.down_minutes))}` : words.unmeasured
    const rect = `x="${at * STEP}" width="${BAR}" height="${HEIGHT}" rx="1.5"`
    return `<rect class="${day ? levelOf(day) : 'none'}" ${rect}><title>${format.format(new Date(date))}: ${shown}</title></rect>`
  })
  const whole = availability_pct === null ? words.unmeasured : percent(availability_pct, language)
  return `<li><p><strong>${title}</strong> <span>${whole}</span></p><svg viewBox="0 0 ${dates.length * STEP - STEP + BAR} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${words.bars(title)}: ${whole}">${bars.join('')}</svg></li>`
}

/** Renders when the service or a group was down, newest first. */
export function outagesHtml({ uptime, groups }: StatusReport, language: Language): string {
  const words = WORDS[language]
  const outages = uptime?.outages ?? []
  if (outages.length === 0) return `<p>${words.none}</p>`
  const rows = outages
    .slice(0, SHOWN_OUTAGES)
    .map(({ group, from, until, minutes }) => [
      escaped(group === null ? words.all : (groups.find((one) => one.group.id === group)?.group.title[language] ?? group)),
      moment(from, language, OF_YEAR),
      moment(until, language, OF_YEAR),
      span(minutes * 60),
    ])
  const heads = [words.what, words.from, words.until, words.long]
  const more = outages.length > SHOWN_OUTAGES ? `<p><small>${words.more(SHOWN_OUTAGES)}</small></p>` : ''
  return `${dataTable({ name: words.caption, heads, numbers: 1, rows, classes: 'outages', isCaptioned: true })}${more}`
}
