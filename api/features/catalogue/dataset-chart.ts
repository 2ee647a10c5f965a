import { inBoth, type Language } from '../../kernel/language.ts'
import { dataTable } from '../site/html.ts'
import { CHART_DAYS, type QualityDay } from './catalogue-reads.ts'
import { number } from './catalogue-words.ts'

const WORDS = inBoth({
  title: ['Filas por día', 'Rows a day'],
  none: [
    'Todavía no hay ningún día contado. Un día se cuenta cuando hace seis horas que terminó.',
    'No day has been counted yet. A day is counted six hours after its end.',
  ],
  most: ['Máximo', 'Most'],
  date: ['Día (hora de Madrid)', 'Day (in Madrid)'],
  rows: ['Filas', 'Rows'],
  table: ['Los mismos números en una tabla', 'The same numbers as a table'],
  label: [
    (from: string, to: string, most: string) => `Filas por día del ${from} al ${to}; el máximo es ${most}.`,
    (from: string, to: string, most: string) => `Rows a day from ${from} to ${to}; the most is ${most}.`,
  ],
})

const [WIDTH, HEIGHT] = [736, 180]
const DAY_MS = 86_400_000

/** Renders the rows of the newest days with data, newest first, as columns of an SVG and as a table. */
export function rowsChart(days: readonly QualityDay[], language: Language): string {
  const words = WORDS[language]
  const last = days[0] ? dayNumber(days[0].date) : 0
  const shown = days.filter(({ date }) => last - dayNumber(date) < CHART_DAYS).toReversed()
  const [first] = shown
  const most = Math.max(0, ...shown.map(({ rows }) => rows))
  if (!first || most === 0) return `<h3>${words.title}</h3><p>${words.none}</p>`
  const span = Math.max(14, last - dayNumber(first.date) + 1)
  const step = WIDTH / span
  const bars = shown.map(({ date, rows }) => {
    const height = rows === 0 ? 0 : Math.max(1, (rows / most) * HEIGHT)
    const x = WIDTH - (last - dayNumber(date) + 1) * step
    return `<rect x="${x.toFixed(1)}" y="${(HEIGHT - height).toFixed(1)}" width="${Math.max(1, step * 0.8).toFixed(1)}" height="${height.toFixed(1)}"><title>${date}: ${number(rows, language)}</title></rect>`
  })
  const start = new Date((last - span + 1) * DAY_MS).toISOString().slice(0, 10)
  const day = (date: string): string => `<time datetime="${date}">${dayText(date, language)}</time>`
  const lastDate = shown.at(-1)?.date ?? first.date
  const label = words.label(dayText(first.date, language), dayText(lastDate, language), number(most, language))
  return `<h3>${words.title}</h3><figure class="chart"><svg viewBox="0 0 ${WIDTH} ${HEIGHT + 1}" role="img" aria-label="${label}"><g class="served">${bars.join('')}</g><path class="axis" d="M0 ${HEIGHT + 0.5}H${WIDTH}"/></svg>
<figcaption><span>${day(start)}</span><span>${words.most}: ${number(most, language)}</span><span>${day(lastDate)}</span></figcaption></figure>
<details><summary>${words.table}</summary>${dataTable({
    name: words.title,
    classes: '',
    heads: [words.date, words.rows],
    rows: shown.toReversed().map(({ date, rows }) => [day(date), number(rows, language)]),
    numbers: 1,
  })}</details>`
}

/** A plain date as a number of days. */
function dayNumber(date: string): number {
  return Date.parse(date) / DAY_MS
}

function dayText(date: string, language: Language): string {
  const format = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
  return format.format(Date.parse(date))
}
