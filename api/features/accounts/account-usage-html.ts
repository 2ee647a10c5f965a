import type { ListedKey } from '../../auth/accounts.ts'
import { inBoth, type Language } from '../../kernel/language.ts'
import { dataTable, escaped } from '../site/html.ts'
import { dayName, scrollTable } from './account-forms.ts'
import type { KeyUsage, UsedDay } from './account-usage.ts'

const WORDS = inBoth({
  title: ['Uso de los últimos 30 días', 'Usage of the last 30 days'],
  zone: [
    'Los días son los de Madrid; el de hoy aún no ha terminado. Lo más reciente tarda un minuto o dos en contarse.',
    'Days are in Madrid; today is not over. The newest requests are counted after a minute or two.',
  ],
  unread: ['El uso no se puede leer en este momento.', 'Usage cannot be read at the moment.'],
  none: ['Sin peticiones.', 'No requests.'],
  total: [
    (requests: string, share: string) =>
      `${requests} ${requests === '1' ? 'petición' : 'peticiones'}; ${share} rechazadas (por un error en la petición o por un límite).`,
    (requests: string, share: string) =>
      `${requests} ${requests === '1' ? 'request' : 'requests'}; ${share} refused (for a mistake in the request or over a limit).`,
  ],
  chart: [(name: string) => `Peticiones por día de ${name}`, (name: string) => `Requests by day of ${name}`],
  bar: [
    (requests: string, refused: string) => `${requests} peticiones, ${refused} rechazadas`,
    (requests: string, refused: string) => `${requests} requests, ${refused} refused`,
  ],
  most: [(requests: string) => `día con más: ${requests}`, (requests: string) => `busiest day: ${requests}`],
  numbers: ['Los números de cada día', 'The numbers of each day'],
  heads: [
    ['Día', 'Peticiones', 'Rechazadas', 'Parte rechazada'],
    ['Day', 'Requests', 'Refused', 'Share refused'],
  ],
  paths: [(name: string) => `Peticiones por ruta de ${name}`, (name: string) => `Requests by path of ${name}`],
  byPath: ['Por ruta', 'By path'],
  pathHeads: [
    ['Ruta', 'Parte', 'Peticiones', 'Rechazadas'],
    ['Path', 'Share', 'Requests', 'Refused'],
  ],
  served: ['atendidas', 'served'],
  refused: ['rechazadas', 'refused'],
})

/** Width of a day's column in the chart, and its height, in SVG units. */
const COLUMN = 20
const GAP = 4
const HEIGHT = 120

/** Renders the usage of each key as a chart with its numbers; null if usage cannot be read. */
export function usageSection(language: Language, keys: readonly ListedKey[], usage: ReadonlyMap<string, KeyUsage> | null): string {
  const words = WORDS[language]
  const used = keys.flatMap((key) => {
    const found = usage?.get(key.id)
    return found ? [keyHtml(language, key, found)] : []
  })
  const body = usage === null ? `<p>${words.unread}</p>` : used.length === 0 ? `<p>${words.none}</p>` : used.join('\n')
  return `<section aria-labelledby="usage"><h2 id="usage">${words.title}</h2>\n${body}\n<p><small>${words.zone}</small></p></section>`
}

function keyHtml(language: Language, key: ListedKey, usage: KeyUsage): string {
  const words = WORDS[language]
  const hint = `${key.hint.first}…${key.hint.last}`
  const name = key.label === null || key.label === '' ? hint : `${hint} (${key.label})`
  const number = numberFormat(language)
  const head = `<h3 class="key-name"><code>${escaped(hint)}</code> ${escaped(key.label ?? '')}</h3>`
  if (usage.requests === 0) return `${head}<p>${words.none}</p>`
  const rows = usage.days
    .toReversed()
    .map((day) => [dayName(day.date, language), number.format(day.requests), number.format(day.refused), shareText(day, language)])
  return `${head}<p>${words.total(number.format(usage.requests), shareText(usage, language))}</p>
${chart(language, words.chart(name), usage.days)}
<details><summary>${words.numbers}</summary>${scrollTable(words.chart(name), words.heads, rows)}</details>
<h4>${words.byPath}</h4>${pathTable(language, words.paths(name), usage)}`
}

/** Renders the paths of a key, each with a bar of its share of the greatest. */
function pathTable(language: Language, name: string, { paths }: KeyUsage): string {
  const number = numberFormat(language)
  const most = Math.max(...paths.map(({ requests }) => requests))
  const bar = (width: number, from: number, kind: string): string =>
    `<rect class="${kind}" x="${from.toFixed(1)}" width="${width.toFixed(1)}" height="8"/>`
  const rows = paths.map(({ path, requests, refused }) => {
    const [all, bad] = [(requests / most) * 100, (refused / most) * 100]
    const bars = `${bar(all - bad, 0, 'served')}${bar(bad, all - bad, 'refused')}`
    const drawn = `<svg class="share" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">${bars}</svg>`
    return [`<code>${escaped(path)}</code>`, drawn, number.format(requests), number.format(refused)]
  })
  return dataTable({ name, heads: WORDS[language].pathHeads, rows, numbers: 2, classes: 'small paths' })
}

/** Renders one column per day, with refused requests on top. A browser shows the numbers of the column under the pointer. */
function chart(language: Language, name: string, days: readonly UsedDay[]): string {
  const words = WORDS[language]
  const number = numberFormat(language)
  const most = Math.max(...days.map(({ requests }) => requests))
  const height = (count: number): number => Math.round((count / most) * HEIGHT * 10) / 10
  const columns = days.map(({ date, requests, refused }, at) => {
    const [x, top, upper] = [at * COLUMN + GAP / 2, HEIGHT - height(requests), height(refused)]
    const bar = (y: number, tall: number, kind: string): string =>
      `<rect class="${kind}" x="${x}" y="${y.toFixed(1)}" width="${COLUMN - GAP}" height="${Math.max(0, tall).toFixed(1)}"/>`
    const title = `${dayText(date, language)}: ${words.bar(number.format(requests), number.format(refused))}`
    return `<g><title>${title}</title>${bar(top, upper, 'refused')}${bar(top + upper, height(requests) - upper, 'served')}</g>`
  })
  const [first, last] = [days[0], days.at(-1)] as [UsedDay, UsedDay]
  return `<figure class="chart"><svg viewBox="0 0 ${days.length * COLUMN} ${HEIGHT}" role="img" aria-label="${escaped(name)}">${columns.join('')}<path class="axis" d="M0 ${HEIGHT}H${days.length * COLUMN}"/></svg>
<figcaption><span>${dayName(first.date, language)}</span><span>${words.most(number.format(most))} · <span class="served" aria-hidden="true">■</span> ${words.served} <span class="refused" aria-hidden="true">■</span> ${words.refused}</span><span>${dayName(last.date, language)}</span></figcaption></figure>`
}

function shareText({ requests, refused }: Pick<UsedDay, 'requests' | 'refused'>, language: Language): string {
  if (requests === 0) return '—'
  return new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 }).format(refused / requests)
}

function dayText(date: string, language: Language): string {
  return new Intl.DateTimeFormat(language, { timeZone: 'UTC', day: 'numeric', month: 'short' }).format(new Date(date))
}

function numberFormat(language: Language): Intl.NumberFormat {
  return new Intl.NumberFormat(language, { useGrouping: 'always' })
}
