import { railAlerts } from '../../../lake/datasets/rail/alerts.ts'
import { RAIL_PRODUCTS } from '../../../lake/datasets/rail/codes.ts'
import { col } from '../../../lake/schema/columns.ts'
import type { ChangeOf } from '../../define/endpoint.ts'
import { LANGS, type Lang, meaning, nested, optional, projection, record, type StateRow, type ValueOf } from '../../define/fields.ts'
import { END_FIELDS, endOf, withEnd } from '../ends.ts'
import { originFields, withExample } from '../tail.ts'
import { numberedTrainId } from './train-id.ts'

const { columns } = railAlerts

/** What to say of alerts in every endpoint that shows them. */
export const ABOUT_ALERTS =
  'Renfe writes notices and information for commuter trains only; of all networks, trains that are cancelled (CANCELLED) or more than 5 minutes late (DELAY) are derived from trip updates and say so. Renfe states neither effect nor cause, and derived alerts have none: choose those by `kind`. A notice names the stations, routes, trips and lines that its source names, and no others. A derived alert names what its train has by the timetable of its service day: the stations where it has still to stop, or would have stopped, its route and product; once it has ended, or where the timetable lacks the train, it names the trip and, of commuter trains, the line only; the list of past alerts adds the product. A train that the timetables of both networks have is found by the network, lines, núcleos and product of either, and has one current alert of a kind, that of the feed that told it first or, while that one is only kept because its núcleo is missing, of the other; under its id, and once it has ended, each stays. One feed cancels a train only where the other does not say that it runs.'

/** What the timetable tells of the train of a derived alert. */
export interface AlertTrain {
  readonly route_ids: readonly string[]
  readonly stop_ids: readonly string[]
  /** Lines and núcleos of commuter rail that it is of, products otherwise. */
  readonly lines: readonly string[]
  readonly nucleo_codes: readonly string[]
  readonly products: readonly string[]
  /** Its id in the other network, of a train that the timetables of both have. */
  readonly other_train_id: string | null
  readonly origin_id: string | null
  readonly origin: string | null
  readonly destination_id: string | null
  readonly destination: string | null
}

const station = col.string(0, 'Station code.', { nullable: true, example: null })
const UNLESS_TRAIN = 'of other than derived alerts, of those that have ended, and where the timetable lacks the train.'

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
  lines: meaning(
    columns.lines,
    'Lines it concerns, by the routes and trips it names, else by its hashtags; of a train that the timetables of both networks have that of its commuter trip, whichever feed tells it. Sorted.',
  ),
  products: col.list(
    [0, 0],
    'Products of its train by the timetable; of derived alerts of other than commuter trains, and of commuter trains that the other timetable has too.',
    col.code(0, 'Product.', RAIL_PRODUCTS),
    { example: [] },
  ),
  text: optional(columns.text_es, 'Text in the language asked for, where the source has it, else in Spanish; null where it has neither.'),
  text_language: col.string(0, 'Language of `text`, as the source states it (BCP 47).', { nullable: true, example: 'es' }),
  translations: nested.objects('Every text with its language, sorted by both; a language may have several.', translation),
  effect: columns.effect,
  cause: columns.cause,
  train_number: columns.train_number,
  train_id: col.string(0, 'Id of its train in /api/trenes/posiciones while that runs; null for notices.', {
    nullable: true,
    example: null,
  }),
  other_train_id: col.string(
    0,
    'Id of its train by the trip of the other network that is the same train; null where only one timetable has it, and of a cancelled one whose other trip runs.',
    { nullable: true, example: null },
  ),
  service_date: columns.service_date,
  delay_s: columns.delay_s,
  origin_id: optional(station, `First station of its train; null ${UNLESS_TRAIN}`),
  origin: col.string(0, 'Its name.', { nullable: true, example: null }),
  destination_id: optional(station, `Last station of its train; null ${UNLESS_TRAIN}`),
  destination: col.string(0, 'Its name.', { nullable: true, example: null }),
  stop_ids: meaning(
    columns.stop_ids,
    'Stations it names; of a derived alert those where its train has still to stop by the timetable, of a cancelled one all. Sorted.',
  ),
  route_ids: meaning(columns.route_ids, 'Routes of the timetable it names; of a derived alert those of its train. Sorted.'),
  trip_ids: columns.trip_ids,
  hashtags: nested.objects('Hashtags of the text that name a line.', hashtag),
  active_from: columns.active_from,
  active_until: columns.active_until,
  first_seen_at: columns.first_seen_at,
  ...originFields(columns, { source_id: columns.source_id }),
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
export type AlertRow = StateRow<typeof railAlerts> & {
  readonly last_seen_at?: number | null
  /** Of a current one: kept although its publication lacks it. */
  readonly is_stale?: boolean
  /** Of a current derived alert whose train the timetable has. */
  readonly train?: AlertTrain
  /** Products of the train of a past one, where a list of them tells these. */
  readonly products?: readonly string[]
}

const textsOf = (row: AlertRow): readonly Text[] => row.translations as unknown as readonly Text[]

/** What a row says in JSON columns, its Spanish text, and what the timetable tells of its train. */
const told = {
  text: (row: AlertRow) => row.text_es,
  text_language: (row: AlertRow) => textsOf(row).find(({ text }) => text === row.text_es)?.language ?? null,
  translations: textsOf,
  hashtags: (row: AlertRow) => row.hashtags as unknown as readonly ValueOf<typeof hashtag>[],
  stop_ids: ({ train, stop_ids }: AlertRow) => train?.stop_ids ?? stop_ids,
  route_ids: ({ train, route_ids }: AlertRow) => train?.route_ids ?? route_ids,
  lines: ({ train, lines }: AlertRow) => (train && train.lines.length > 0 ? train.lines : lines),
  nucleo_codes: ({ train, nucleo_codes }: AlertRow) => (train && train.nucleo_codes.length > 0 ? train.nucleo_codes : nucleo_codes),
  other_train_id: ({ train }: AlertRow) => train?.other_train_id ?? null,
  products: ({ train, products }: AlertRow) => train?.products ?? products ?? [],
  train_id: ({ network, train_number, lines }: AlertRow) => numberedTrainId({ network, train_number, line: lines[0] ?? null }),
  origin_id: ({ train }: AlertRow) => train?.origin_id ?? null,
  origin: ({ train }: AlertRow) => train?.origin ?? null,
  destination_id: ({ train }: AlertRow) => train?.destination_id ?? null,
  destination: ({ train }: AlertRow) => train?.destination ?? null,
} as const

/** Rows of the dataset as alerts. */
export const toAlert: (row: AlertRow) => ValueOf<typeof alert.fields> = projection(railAlerts, alert, told)

/** Rows of the dataset as alerts with their end. */
export const toAlertDetail: (row: AlertRow) => ValueOf<typeof alertDetail.fields> = projection(railAlerts, alertDetail, {
  ...told,
  ...endOf,
})

/** The alert of a change. */
export function changedAlert(change: ChangeOf<typeof railAlerts>): ValueOf<typeof alertDetail.fields> {
  return withEnd(toAlertDetail(change.row), change)
}
