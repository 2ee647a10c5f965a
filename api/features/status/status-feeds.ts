import type { FeedHealth } from '../../../lake/live/freshness.ts'
import type { PathGroup } from '../../auth/usage/path-groups.ts'
import { inBoth, type Language } from '../../kernel/language.ts'
import { dataTable, escaped, moment } from '../site/html.ts'
import type { FeedStatus } from './report.ts'
import { type Level, marked, OF_YEAR, span } from './status-marks.ts'

const HEALTH_LEVELS: Readonly<Record<FeedHealth, Level>> = { OK: 'ok', LATE: 'warn', STALE: 'bad', DOWN: 'bad' }

const WORDS = inBoth({
  caption: [(domain: string) => `Fuentes de ${domain}`, (domain: string) => `Feeds of ${domain}`],
  feed: ['Fuente', 'Feed'],
  health: ['Estado', 'State'],
  last: ['Última entrega', 'Last delivery'],
  age: ['Edad de los datos', 'Age of the data'],
  every: ['Cada', 'Every'],
  healths: [
    { OK: 'Al día', LATE: 'Con retraso', STALE: 'Anticuada', DOWN: 'Sin datos' },
    { OK: 'On time', LATE: 'Late', STALE: 'Stale', DOWN: 'Down' },
  ],
  waiting: ['Aún sin datos', 'Nothing yet'],
  off: ['Desactivada', 'Turned off'],
  none: ['Todavía no se conoce ninguna fuente.', 'No feed is known yet.'],
  allGood: [(count: number) => `${count} al día`, (count: number) => `${count} on time`],
  some: [(good: number, count: number) => `${good} de ${count} al día`, (good: number, count: number) => `${good} of ${count} on time`],
  awaited: ['Qué se espera, y hasta cuándo', 'What is awaited, and until when'],
  since: ['Desde', 'Since'],
  next: ['Siguiente intento', 'Next attempt'],
  nothing: ['Nada: todas las fuentes activas entregan.', 'Nothing: all enabled feeds deliver.'],
})

type Groups = readonly Pick<PathGroup, 'id' | 'title'>[]

/** Renders the feeds by domain, each a list to open: those with problems first, and open if data is missing. */
export function feedsHtml(feeds: readonly FeedStatus[], groups: Groups, language: Language): string {
  const words = WORDS[language]
  if (feeds.length === 0) return `<p>${words.none}</p>`
  const isGood = ({ health }: FeedStatus): boolean => health === 'OK' || health === null
  const isBad = ({ health }: FeedStatus): boolean => health === 'STALE' || health === 'DOWN'
  const domains = [...Map.groupBy(feeds, ({ domain }) => domain)].map(([domain, of]) => ({
    ...{ of, title: titleOf(domain, groups, language), good: of.filter(isGood).length },
  }))
  domains.sort((one, other) => one.good - one.of.length - (other.good - other.of.length) || (one.title < other.title ? -1 : 1))
  return domains
    .map(({ of, title, good }) => {
      const isAll = good === of.length
      const summary = isAll ? marked('ok', words.allGood(good)) : marked('warn', words.some(good, of.length))
      return `<details class="domain"${of.some(isBad) ? ' open' : ''}><summary>${escaped(title)} <span>${summary}</span></summary>${feedTable(of, title, language)}</details>`
    })
    .join('\n')
}

function titleOf(domain: string, groups: Groups, language: Language): string {
  return groups.find(({ id }) => id === domain)?.title[language] ?? domain
}

function feedTable(feeds: readonly FeedStatus[], domain: string, language: Language): string {
  const words = WORDS[language]
  const names = feeds.map((feed) => `${feed.name[language]} ${feed.publisher}`)
  const rows = feeds.map((feed, at) => {
    const { health, waiting, last_success_at, data_age_s, cadence_s } = feed
    const shown = health === null ? words.off : marked(HEALTH_LEVELS[health], waiting ? words.waiting : words.healths[health])
    const isUnique = names.indexOf(names[at] as string) === names.lastIndexOf(names[at] as string)
    return [
      nameHtml(feed, language, !isUnique),
      shown,
      last_success_at === null ? '—' : moment(last_success_at, language, OF_YEAR),
      data_age_s === null ? '—' : span(data_age_s),
      span(cadence_s),
    ]
  })
  const heads = [words.feed, words.health, words.last, words.age, words.every]
  return dataTable({ name: words.caption(domain), heads, numbers: 2, rows, classes: 'feeds', isCaptioned: true })
}

/** Renders the name of a feed with its publisher, and with its id where another has the same name. */
function nameHtml({ id, name, publisher }: FeedStatus, language: Language, withId: boolean): string {
  const by = [publisher === null ? '' : escaped(publisher), withId ? `<code>${escaped(id)}</code>` : ''].filter((part) => part !== '')
  return `${escaped(name[language])}${by.length === 0 ? '' : `<br><small>${by.join(' · ')}</small>`}`
}

/** Renders the feeds that have not delivered or deliver no more, since when, and when they are tried next. */
export function awaitedHtml(feeds: readonly FeedStatus[], language: Language): string {
  const words = WORDS[language]
  const awaited = feeds.filter(({ enabled, waiting, health }) => enabled && (waiting || health === 'STALE' || health === 'DOWN'))
  if (awaited.length === 0) return `<p>${words.nothing}</p>`
  const rows = awaited.map((feed) => {
    const { waiting, failing_since, last_success_at, next_attempt_at } = feed
    const since = failing_since ?? last_success_at
    return [
      nameHtml(feed, language, false),
      marked(waiting ? 'warn' : 'bad', waiting ? words.waiting : words.healths[feed.health ?? 'DOWN']),
      since === null ? '—' : moment(since, language, OF_YEAR),
      next_attempt_at === null ? '—' : moment(next_attempt_at, language, OF_YEAR),
    ]
  })
  return dataTable({
    name: words.awaited,
    heads: [words.feed, words.health, words.since, words.next],
    rows,
    classes: 'feeds',
    isCaptioned: true,
  })
}
