import { railAlerts } from '../../../lake/datasets/rail/alerts.ts'
import { RAIL_PRODUCTS } from '../../../lake/datasets/rail/codes.ts'
import type { ChangeOf } from '../../kernel/endpoint.ts'
import {
  field,
  LANGS,
  type Lang,
  maybe,
  meaning,
  nested,
  optional,
  pick,
  projection,
  record,
  type StateRow,
  type ValueOf,
} from '../../kernel/fields.ts'
import { defineMethodPage } from '../../kernel/method-page.ts'
import { originFields, withExample } from '../common-fields.ts'
import { END_FIELDS, endOf, withEnd } from '../lifecycle-fields.ts'
import { numberedTrainId } from './train.ts'

const { columns } = railAlerts

/** Description shared by all endpoints with alerts. */
export const ABOUT_ALERTS =
  'Renfe writes notices for commuter trains only. Cancellations and delays are derived from trip updates and marked `derived`.'

/** The page about railway alerts. */
export const ALERTS_PAGE = defineMethodPage('railway-alerts', new URL('./alerts.md', import.meta.url))

/** Timetable data of the train of a derived alert. */
export interface AlertTrain {
  readonly route_ids: readonly string[]
  readonly stop_ids: readonly string[]
  /** Lines and núcleos for commuter rail, products otherwise. */
  readonly lines: readonly string[]
  readonly nucleo_codes: readonly string[]
  readonly products: readonly string[]
  /** Its id in the other network, if both timetables have the train. */
  readonly other_train_id: string | null
  readonly origin_id: string | null
  readonly origin: string | null
  readonly destination_id: string | null
  readonly destination: string | null
}

const station = maybe.text('Station code.', null)
const UNLESS_TRAIN = 'except for active derived alerts whose train is in the timetable.'

/** Text of an alert in one language. */
const translation = {
  language: maybe.text('Language (BCP 47); null if not stated.', 'es'),
  text: withExample(field.text('The text.'), columns.text_es.example),
} as const

const hashtag = {
  tag: field.text('The hashtag.', '#MadC3'),
  word: field.text('Its word of the núcleo.', 'Mad'),
  nucleo_code: maybe.text('Code of the núcleo; null if the name is not recognised.', '10'),
  line: field.text('The line.', 'C3'),
} as const

const fields = {
  id: columns.alert_id,
  ...pick(columns, 'kind', 'derived', 'network', 'nucleo_codes'),
  lines: meaning(
    columns.lines,
    'Lines that it concerns, by the routes and trips it names, else by its hashtags. A train in the timetables of both networks has the line of its commuter trip, whichever feed reports it. Sorted.',
  ),
  products: field.list(
    'Products of the train by the timetable: for derived alerts of non-commuter trains, and of commuter trains that are also in the other timetable.',
    field.code('Product.', RAIL_PRODUCTS),
    [],
  ),
  text: optional(columns.text_es, 'Text in the requested language, if the source has it, else in Spanish; null if it has neither.'),
  text_language: maybe.text('Language of `text`, as the source states it (BCP 47).', 'es'),
  translations: nested.objects('Every text with its language, sorted by both. A language may have several texts.', translation),
  ...pick(columns, 'effect', 'cause', 'train_number'),
  train_id: maybe.text('Id of its train in /api/trenes/posiciones while it runs; null for notices.', null),
  other_train_id: maybe.text(
    'Id of the same train by its trip in the other network. Null if only one timetable has it, or if this trip is cancelled and the other one runs.',
    null,
  ),
  service_date: columns.service_date,
  delay_s: columns.delay_s,
  origin_id: optional(station, `First station of its train; null ${UNLESS_TRAIN}`),
  origin: maybe.text('Its name.', null),
  destination_id: optional(station, `Last station of its train; null ${UNLESS_TRAIN}`),
  destination: maybe.text('Its name.', null),
  stop_ids: meaning(
    columns.stop_ids,
    'Stations that it names. For a derived alert: the remaining stops of the train by the timetable, or all stops if it is cancelled. Sorted.',
  ),
  route_ids: meaning(columns.route_ids, 'Timetable routes that it names; for a derived alert, those of its train. Sorted.'),
  trip_ids: columns.trip_ids,
  hashtags: nested.objects('Hashtags of the text that name a line.', hashtag),
  ...pick(columns, 'active_from', 'active_until', 'first_seen_at'),
  ...originFields(columns, { source_id: columns.source_id }),
} as const

type Text = ValueOf<typeof translation>

/** Returns the text in a language, the longest if there are several; null without one. */
function textIn(texts: readonly Text[], lang: string): Text | null {
  const spoken = texts.filter(({ language }) => language?.split('-')[0]?.toLowerCase() === lang)
  return spoken.reduce<Text | null>((longest, one) => (one.text.length > (longest?.text.length ?? -1) ? one : longest), null)
}

/** Returns the alert in another language, if it has a text in it. */
export function localise<R extends Pick<ValueOf<typeof fields>, 'text' | 'text_language' | 'translations'>>(alert: R, lang: Lang): R {
  const found = textIn(alert.translations, lang)
  return found ? { ...alert, text: found.text, text_language: found.language } : alert
}

/** An alert, as lists show it. */
export const alert = record(
  'RailAlert',
  'Disruption of the railway, or information from the source. JSON lacks `effect` if the source states none, as none does today.',
  fields,
  {
    localise,
    languages: LANGS,
    omitsNull: ['effect'],
  },
)

/** An alert with its end. */
export const alertDetail = record(
  'RailAlertDetail',
  'A railway alert, also after its end.',
  { ...fields, ...END_FIELDS },
  { localise, languages: LANGS, omitsNull: ['effect'] },
)

/** A row of the dataset, live or from its table. Only a row that records an end has `last_seen_at`. */
export type AlertRow = StateRow<typeof railAlerts> & {
  readonly last_seen_at?: number | null
  /** For a current alert: kept although its publication lacks it. */
  readonly is_stale?: boolean
  /** For a current derived alert whose train is in the timetable. */
  readonly train?: AlertTrain
  /** Products of the train of a past alert, in lists that state them. */
  readonly products?: readonly string[]
}

const textsOf = (row: AlertRow): readonly Text[] => row.translations as unknown as readonly Text[]

/** Fields from JSON columns, Spanish texts and timetable data of the train. */
const derivedFields = {
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

/** Converts rows of the dataset to alerts. */
export const toAlert: (row: AlertRow) => ValueOf<typeof alert.fields> = projection(railAlerts, alert, derivedFields)

/** Converts rows of the dataset to alerts with their end. */
export const toAlertDetail: (row: AlertRow) => ValueOf<typeof alertDetail.fields> = projection(railAlerts, alertDetail, {
  ...derivedFields,
  ...endOf,
})

/** The alert of a change. */
export function changedAlert(change: ChangeOf<typeof railAlerts>): ValueOf<typeof alertDetail.fields> {
  return withEnd(toAlertDetail(change.row), change)
}
