import { railAlerts } from '../../../lake/datasets/rail/alerts.ts'
import type { LiveChange } from '../../../lake/live/types.ts'
import { col } from '../../../lake/schema/columns.ts'
import { LANGS, type Lang, nested, optional, projection, record, type StateRow, type ValueOf } from '../../define/fields.ts'
import { END_FIELDS, endOf, withEnd } from '../ends.ts'
import { stateFields, withExample } from '../tail.ts'

const { columns } = railAlerts

/** What to say of alerts in every endpoint that shows them. */
export const ABOUT_ALERTS =
  'Renfe writes notices and information for commuter trains only; of all networks, trains that are cancelled (CANCELLED) or more than 5 minutes late (DELAY) are derived from trip updates and say so. Renfe states neither effect nor cause, and derived alerts have none: choose those by `kind`. An alert names the stations, routes, trips and lines that its source names, and no others.'

/** What an alert says in one language. */
const translation = {
  language: col.string(0, 'Language (BCP 47); null where none is stated.', { nullable: true, example: 'es' }),
  text: withExample(col.string(0, 'The text.'), columns.text_es.example),
} as const

const hashtag = {
  tag: col.string(0, 'The hashtag.', { example: '#MadC3' }),
  word: col.string(0, 'Its word of the núcleo.', { example: 'Mad' }),
  nucleo_code: col.string(0, 'Code of the núcleo; null where the word is not known.', { nullable: true, example: '10' }),
  line: col.string(0, 'The line.', { example: 'C3' }),
} as const

const fields = {
  id: columns.alert_id,
  kind: columns.kind,
  derived: columns.derived,
  network: columns.network,
  nucleo_codes: columns.nucleo_codes,
  lines: columns.lines,
  text: optional(columns.text_es, 'Text in the language asked for, where the source has it, else in Spanish; null where it has neither.'),
  text_language: col.string(0, 'Language of `text`, as the source states it (BCP 47).', { nullable: true, example: 'es' }),
  translations: nested.objects('Every text with its language, sorted by both; a language may have several.', translation),
  effect: columns.effect,
  cause: columns.cause,
  train_number: columns.train_number,
  service_date: columns.service_date,
  delay_s: columns.delay_s,
  stop_ids: columns.stop_ids,
  route_ids: columns.route_ids,
  trip_ids: columns.trip_ids,
  hashtags: nested.objects('Hashtags of the text that name a line.', hashtag),
  active_from: columns.active_from,
  active_until: columns.active_until,
  first_seen_at: columns.first_seen_at,
  source: columns.source,
  source_id: columns.source_id,
  observed_at: columns.observed_at,
  ...stateFields(columns.observed_at),
} as const

type Text = ValueOf<typeof translation>

/** The text of a language among some, of several the longest; null where there is none. */
function textIn(texts: readonly Text[], lang: string): Text | null {
  const spoken = texts.filter(({ language }) => language?.split('-')[0]?.toLowerCase() === lang)
  return spoken.reduce<Text | null>((longest, one) => (one.text.length > (longest?.text.length ?? -1) ? one : longest), null)
}

/** The same alert in another language, where it has a text in it. */
export function localise<R extends Pick<ValueOf<typeof fields>, 'text' | 'text_language' | 'translations'>>(alert: R, lang: Lang): R {
  const found = textIn(alert.translations, lang)
  return found ? { ...alert, text: found.text, text_language: found.language } : alert
}

/** An alert as lists show it. */
export const alert = record('RailAlert', 'What is wrong on the railway, or what the source wants to be known.', fields, {
  localise,
  languages: LANGS,
})

/** An alert with its end. */
export const alertDetail = record(
  'RailAlertDetail',
  'An alert of the railway, also after its end.',
  { ...fields, ...END_FIELDS },
  { localise, languages: LANGS },
)

/** A row of the dataset, live or from its table. Only a row that tells an end has `last_seen_at`. */
export type AlertRow = StateRow<typeof railAlerts> & { readonly last_seen_at?: number | null }

const textsOf = (row: AlertRow): readonly Text[] => row.translations as unknown as readonly Text[]

/** What a row says in JSON columns, and its Spanish text. */
const told = {
  text: (row: AlertRow) => row.text_es,
  text_language: (row: AlertRow) => textsOf(row).find(({ text }) => text === row.text_es)?.language ?? null,
  translations: textsOf,
  hashtags: (row: AlertRow) => row.hashtags as unknown as readonly ValueOf<typeof hashtag>[],
} as const

/** Rows of the dataset as alerts. */
export const toAlert: (row: AlertRow) => ValueOf<typeof alert.fields> = projection(railAlerts, alert, told)

/** Rows of the dataset as alerts with their end. */
export const toAlertDetail: (row: AlertRow) => ValueOf<typeof alertDetail.fields> = projection(railAlerts, alertDetail, {
  ...told,
  ...endOf,
})

/** The alert of a change. */
export function changedAlert(change: LiveChange & { readonly at: number }): ValueOf<typeof alertDetail.fields> {
  return withEnd(toAlertDetail(change.row as unknown as AlertRow), change)
}
