import { railAlerts } from '../../../lake/datasets/rail/alerts.ts'
import { renfe } from '../../../lake/datasets/rail/sources.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import type { RealtimeAlert, Translation } from '../../formats/gtfs-realtime.ts'
import { batch, type Diagnostics, defineFeed, lookUp } from '../define.ts'
import { routeParts, tripParts } from './ids.ts'
import { messageOf, realtimeRequests, sortedSet } from './realtime.ts'

/** Kinds of alerts, by the prefix of their id. */
const KINDS: Readonly<Record<string, string>> = { AVISO: 'NOTICE', INFO: 'INFORMATION' }

/**
 * Renfe's notices on commuter trains; long distance has no such feed. Published every 20 s, often unchanged, and answered 304
 * for hours, so its age is measured from the last fetch.
 */
export const renfeAlerts = defineFeed({
  id: 'renfe_alerts',
  source: renfe,
  into: [railAlerts],
  every_s: 120,
  get: realtimeRequests('alerts'),
  // Notices last for days to months: a publication with half of them is incomplete.
  bands: { rail_alerts: { atLeast: 1, minRatio: 0.5, maxRatio: 20, soon: [{ within_s: 3600, minRatio: 0.7 }] } },
  // A núcleo that loses three notices at once is missing. With one or two it is not guarded: an ended last notice looks the
  // same, and would stay for weeks. See the README beside this file.
  groups: { rail_alerts: { column: 'nucleo_codes', least: 3 } },
  freshBy: 'fetch',
  rawRetentionDays: 30,
  *rows(bodies, _clock, diagnostics) {
    const rows: FeedRow<typeof railAlerts>[] = []
    for (const { id, alert } of messageOf(bodies, diagnostics, railAlerts).entities) {
      if (alert) rows.push(alertRow(id, alert, diagnostics))
      else diagnostics.reject(railAlerts, 'an entity that is no alert', id)
    }
    yield batch(railAlerts, rows)
  },
})

function alertRow(id: string, alert: RealtimeAlert, diagnostics: Diagnostics): FeedRow<typeof railAlerts> {
  const translations = normalised(alert.description)
  const hashtags = hashtagsOf(translations)
  for (const { word, nucleo_code } of hashtags) if (nucleo_code === null) diagnostics.unknownCode('renfe_hashtag', word)
  const route_ids = sortedSet(alert.informed.map(({ routeId }) => routeId))
  const trip_ids = sortedSet(alert.informed.map(({ tripId }) => tripId))
  const named = [...route_ids.map(routeParts), ...trip_ids.map(tripParts)]
  const [prefix = id] = id.split('_')
  const { start = null } = alert.periods[0] ?? {}
  return {
    source: renfe.id,
    source_id: id,
    kind: lookUp(KINDS, prefix) ?? prefix,
    derived: false,
    network: 'CERCANIAS',
    nucleo_codes: firstFilled(sortedSet(named.map((parts) => parts?.nucleo_code)), sortedSet(hashtags.map((tag) => tag.nucleo_code))),
    lines: firstFilled(sortedSet(named.map((parts) => parts?.line)), sortedSet(hashtags.map(({ line }) => line))),
    hashtags: hashtags.map((tag) => ({ ...tag })),
    route_ids,
    stop_ids: sortedSet(alert.informed.map(({ stopId }) => stopId)),
    trip_ids,
    train_number: null,
    service_date: null,
    delay_s: null,
    effect: alert.effect,
    cause: alert.cause,
    active_from: start,
    active_until: alert.periods.at(-1)?.end ?? null,
    text_es: spanishOf(translations),
    translations: translations.map((translation) => ({ ...translation })),
  }
}

function firstFilled(one: string[], other: string[]): string[] {
  return one.length > 0 ? one : other
}

/** A hashtag of an alert's text: `#MadC3` is line C3 of Madrid's núcleo. */
interface Hashtag {
  readonly tag: string
  readonly word: string
  /** Null for an unknown word. */
  readonly nucleo_code: string | null
  readonly line: string
}

/** An upper-case and lower-case letters, then the line, which starts with an upper-case letter and has a digit. */
const HASHTAG = /#(\p{Lu}\p{Ll}+)(\p{Lu}+\d+[A-Za-z]?)(?![\p{L}\p{N}])/gu
/** Núcleos by the words seen in captures. Others are stored and counted. */
const NUCLEOS: ReadonlyMap<string, string> = new Map([['Mad', '10']])

/**
 * Each text once, sorted by language and text: publications differ in the order of translations and may repeat a language.
 * Runs of blanks become one.
 */
function normalised(translations: readonly Translation[]): Translation[] {
  const texts = new Map<string, Translation>()
  for (const { language, text } of translations) {
    const words = text.replace(/\s+/g, ' ').trim()
    texts.set(`${language ?? ''}\u001f${words}`, { language, text: words })
  }
  return [...texts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, translation]) => translation)
}

/** The longest Spanish text; a text without a language counts as Spanish if there is no other. */
function spanishOf(texts: readonly Translation[]): string | null {
  const spanish = texts.filter(({ language }) => language?.split('-')[0]?.toLowerCase() === 'es')
  const candidates = spanish.length > 0 ? spanish : texts.filter(({ language }) => language === null)
  return candidates.reduce<string | null>((longest, { text }) => (text.length > (longest?.length ?? 0) ? text : longest), null)
}

/** The hashtags of texts, each once, in order of their first mention. */
function hashtagsOf(texts: readonly Translation[]): Hashtag[] {
  const found = new Map<string, Hashtag>()
  for (const { text } of texts)
    for (const [tag, word, line] of text.matchAll(HASHTAG))
      if (!found.has(tag))
        found.set(tag, { tag, word: word as string, nucleo_code: NUCLEOS.get(word as string) ?? null, line: line as string })
  return [...found.values()]
}
