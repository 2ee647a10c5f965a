import { FIT_STATES, FORECAST_KINDS } from '../../../lake/datasets/service/codes.ts'
import { modelCards, modelScores } from '../../../lake/datasets/service/models.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import type { Row } from '../../../lake/schema/dataset.ts'
import { type ModelCard, modelCardTexts } from '../../../models/cards.ts'
import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { field, maybe, meaning, nested, nulls, optional, record, type ValueOf } from '../../kernel/fields.ts'
import { listOf, oneOf } from '../../kernel/params/params.ts'
import { defineCachedQuery } from '../../kernel/reads/cached-query.ts'

const { columns } = modelCards
const { model: _model, model_version: _version, made_at: _made, ...scored } = modelScores.columns
const NOT_YET = 'null while it has none'

const servedFields = {
  series: scored.series,
  horizon: scored.horizon,
  serves: field.code(
    'Forecasts served: those of the model, or of the plain baseline if the model was no better in the last scored window.',
    FORECAST_KINDS,
    'MODEL',
  ),
  error_to_baseline: maybe.float(
    'Error of the model in the last scored window, as a share of the baseline’s; null if the model cannot forecast that.',
    '1',
    0.61,
  ),
  points: scored.points,
} as const

const versionFields = {
  model_version: optional(columns.model_version, 'Version; null for a failed fit.'),
  state: field.code('Result of the fit.', FIT_STATES, 'PROMOTED'),
  reason: field.text('Why.', 'the first version; better than the baseline at 11 of 12 series and horizons'),
  data_from: optional(columns.data_from, 'First day of the data; null for a failed fit.'),
  data_to: optional(columns.data_to, 'Last day of the data; null for a failed fit.'),
  revision: field.integer('Version number of the model code.', '1', 1),
  commit: maybe.text('Git commit of the code that fitted it, if known.', '4f0c2b6de1a95e83c6aa1f0c44a9b7d25e83c6aa'),
  error_to_baseline: maybe.float(
    'Its error in the last scored window, as a mean share of the baseline’s; null for a failed fit.',
    '1',
    0.72,
  ),
  logged_at: field.instant('When it was fitted.', '2024-07-04T11:20:00.000Z'),
} as const

const cardFields = {
  id: meaning(columns.model, 'Model.'),
  title: field.text('Its title.', 'National fuel prices by the Weekly Oil Bulletin'),
  purpose: field.text('Purpose of the model.', 'Likely national average price of a fuel.'),
  not_for: field.text('Uses that it is not suitable for.', 'The price at one station.'),
  data: field.text('Data behind it.', 'Prices of the Weekly Oil Bulletin since 2005.'),
  features: field.text('Input features.', 'The last two weekly changes of each country.'),
  method: field.text('Method of the fit and of its intervals.', 'Ridge regression.'),
  evaluation: field.text('How its errors are measured, and against which baseline.', 'Walked forward.'),
  model_version: optional(columns.model_version, `Version in use; ${NOT_YET}.`),
  made_at: optional(columns.made_at, `End of the newest data behind the version; ${NOT_YET}.`),
  data_from: optional(columns.data_from, `First day of the data of the fit; ${NOT_YET}.`),
  data_to: optional(columns.data_to, `Last day of the data of the fit; ${NOT_YET}.`),
  fit_state: optional(columns.fit_state, 'Result of the newest fit; null before the first.'),
  fit_reason: optional(columns.fit_reason, 'Reason for the result; null before the first.'),
  served: nested.objects('Forecasts served, by series and horizon.', servedFields),
  errors: nested.objects('Out-of-sample errors, by series, horizon and season or kind of outcome, beside those of the baseline.', scored),
  versions: nested.objects('Log of its versions, newest first, at most 60.', versionFields),
  charts: nested.objects('Charts of the last scored window.', {
    name: field.text('Name.', 'errors'),
    title: field.text('Title.', 'Mean absolute error in the last scored window'),
    svg: field.text('The chart as SVG, 760 by 360.', '<svg xmlns="http://www.w3.org/2000/svg"/>'),
  }),
} as const

const card = record('ModelCard', 'A model: purpose, data, errors and versions.', cardFields)

type Card = ValueOf<typeof cardFields>
type CardRow = Row<typeof modelCards>
type ScoreRow = Row<typeof modelScores>

/** Results of the runs of all models, by model. */
const found = defineCachedQuery<{
  readonly cards: ReadonlyMap<string, CardRow>
  readonly scores: ReadonlyMap<string, readonly ScoreRow[]>
}>({
  name: 'model cards',
  from: [modelCards, modelScores],
  async read({ all }) {
    const cards = await all<CardRow>(sql`SELECT * FROM ${scan(modelCards)}`)
    const scores = await all<ScoreRow>(sql`SELECT * FROM ${scan(modelScores)} ORDER BY model, series, horizon, metric, subset`)
    return { cards: new Map(cards.map((row) => [row.model, row])), scores: Map.groupBy(scores, ({ model }) => model) }
  },
})

interface Served {
  readonly series: string
  readonly horizon: string
  readonly points: number
  readonly serves: string
  readonly error: number | null
  readonly baseline: number
}

function cardOf(declared: ModelCard, row: CardRow | undefined, scores: readonly ScoreRow[]): Card {
  const served = (row?.served ?? []) as unknown as readonly Served[]
  const versions = (row?.versions ?? []) as unknown as readonly (Omit<Card['versions'][number], 'logged_at'> & {
    readonly logged_at: string
  })[]
  return {
    ...{ ...nulls(cardFields), ...declared, ...row },
    served: served.map(({ error, baseline, ...one }) => ({
      ...one,
      error_to_baseline: error === null || baseline === 0 ? null : Math.round((1e6 * error) / baseline) / 1e6,
    })),
    errors: scores,
    versions: versions.map((one) => ({ ...one, logged_at: Date.parse(one.logged_at) })),
    charts: (row?.charts ?? []) as unknown as Card['charts'],
  }
}

const IDS = modelCardTexts.map(({ id }) => id)

/** The cards of the models. */
export const modelCardList = defineEndpoint({
  path: '/api/prediccion/modelos',
  plan: 'FREE',
  summary: 'Model cards: purpose, data, out-of-sample errors, versions, charts',
  summary_es: 'Fichas de los modelos: uso, datos, errores fuera de muestra y versiones',
  about:
    'Errors are of forecasts made with data known before their outcomes, except for `horizon=HELD_OUT_WEEKS`: weeks predicted from those before and after them. A fit that failed, or whose error in the last scored window exceeds that of the current version, is not served. If the current version is no better than the plain baseline, the baseline is served, and `served` says so.',
  params: { model: listOf(oneOf('Model.', IDS, { example: 'fuel' })) },
  returns: listReturn('models', card, {
    sorts: ['id', 'made_at'],
  }),
  read: {
    kind: 'memory',
    from: [],
    lake: [modelCards, modelScores],
    answer: async ({ cached: slice }, { model }) => {
      const { cards, scores } = await slice(found, '')
      const wanted = modelCardTexts.filter(({ id }) => model === null || model.includes(id))
      return wanted.map((declared) => cardOf(declared, cards.get(declared.id), scores.get(declared.id) ?? []))
    },
  },
  example: { model: 'fuel' },
})
