import { FIT_STATES, FORECAST_KINDS } from '../../../lake/datasets/service/codes.ts'
import { modelCards } from '../../../lake/datasets/service/model-cards.ts'
import { modelScores } from '../../../lake/datasets/service/model-scores.ts'
import { scan } from '../../../lake/query/scan.ts'
import { sql } from '../../../lake/query/sql.ts'
import { col } from '../../../lake/schema/columns.ts'
import type { Row } from '../../../lake/schema/dataset.ts'
import { type ModelCard, modelCardTexts } from '../../../models/cards.ts'
import { defineEndpoint, listReturn } from '../../define/endpoint.ts'
import { meaning, nested, optional, record, type ValueOf } from '../../define/fields.ts'
import { listOf, oneOf } from '../../define/params.ts'
import { defineSlice } from '../../define/slice.ts'

const { columns } = modelCards
const { model: _model, model_version: _version, made_at: _made, ...scored } = modelScores.columns
const NOT_YET = 'null while it has none'

const servedFields = {
  series: scored.series,
  horizon: scored.horizon,
  serves: col.code(
    0,
    'What is served: the model, or the plain baseline where the model was no better in the last scored window.',
    FORECAST_KINDS,
    {
      example: 'MODEL',
    },
  ),
  error_to_baseline: col.float(
    0,
    'Error of the model in the last scored window, as a share of the baseline’s; null where it cannot forecast that.',
    {
      ...{ unit: '1', nullable: true, example: 0.61 },
    },
  ),
  points: scored.points,
} as const

const versionFields = {
  model_version: optional(columns.model_version, 'Version; null of a fit that failed.'),
  state: col.code(0, 'What became of the fit.', FIT_STATES, { example: 'PROMOTED' }),
  reason: col.string(0, 'Why.', { example: 'the first version; better than the baseline at 11 of 12 series and horizons' }),
  data_from: optional(columns.data_from, 'First day of the data; null of a fit that failed.'),
  data_to: optional(columns.data_to, 'Last day of the data; null of a fit that failed.'),
  revision: col.integer(0, 'Number of the code’s own version of the model.', { unit: '1', example: 1 }),
  commit: col.string(0, 'Commit of git of the code that fitted it, where it is known.', {
    nullable: true,
    example: '4f0c2b6de1a95e83c6aa1f0c44a9b7d25e83c6aa',
  }),
  error_to_baseline: col.float(
    0,
    'Its error in the last scored window, as a share of the baseline’s, on the mean; null of a fit that failed.',
    {
      ...{ unit: '1', nullable: true, example: 0.72 },
    },
  ),
  logged_at: col.instant(0, 'When it was fitted.', { example: '2024-07-04T11:20:00.000Z' }),
} as const

const cardFields = {
  id: meaning(columns.model, 'Model.'),
  title: col.string(0, 'Its title.', { example: 'National fuel prices by the Weekly Oil Bulletin' }),
  purpose: col.string(0, 'What it is for.', { example: 'Where the national average price of a fuel is likely to be.' }),
  not_for: col.string(0, 'What it is not for.', { example: 'The price at one station.' }),
  data: col.string(0, 'Data that it rests on.', { example: 'Prices of the Weekly Oil Bulletin since 2005.' }),
  features: col.string(0, 'What it looks at.', { example: 'The last two weekly changes of each country.' }),
  method: col.string(0, 'How it is fitted and its intervals are made.', { example: 'Ridge regression.' }),
  evaluation: col.string(0, 'How its errors are measured, and beside what.', { example: 'Walked forward.' }),
  model_version: optional(columns.model_version, `Version that is served; ${NOT_YET}.`),
  made_at: optional(columns.made_at, `End of the newest data that the version rests on; ${NOT_YET}.`),
  data_from: optional(columns.data_from, `First day of the data that the version was fitted to; ${NOT_YET}.`),
  data_to: optional(columns.data_to, `Last day of the data that the version was fitted to; ${NOT_YET}.`),
  fit_state: optional(columns.fit_state, 'What became of the newest fit; null before the first.'),
  fit_reason: optional(columns.fit_reason, 'Why; null before the first.'),
  served: nested.objects('What is served, by series and horizon.', servedFields),
  errors: nested.objects('Errors out of sample, by series, horizon and season or kind of outcome, beside those of the baseline.', scored),
  versions: nested.objects('Log of its versions, the newest first, 60 at most.', versionFields),
  charts: nested.objects('Charts of the last scored window.', {
    name: col.string(0, 'Name.', { example: 'errors' }),
    title: col.string(0, 'Title.', { example: 'Mean absolute error in the last scored window' }),
    svg: col.string(0, 'The chart as SVG, 760 by 360.', { example: '<svg xmlns="http://www.w3.org/2000/svg"/>' }),
  }),
} as const

const card = record('ModelCard', 'A model: what it is for, what it rests on, its errors, and its versions.', cardFields)

type Card = ValueOf<typeof cardFields>
type CardRow = Row<typeof modelCards>
type ScoreRow = Row<typeof modelScores>

/** What the runs of all models have left, by model. */
const found = defineSlice<{ readonly cards: ReadonlyMap<string, CardRow>; readonly scores: ReadonlyMap<string, readonly ScoreRow[]> }>({
  name: 'model cards',
  from: [modelCards, modelScores],
  most: 1,
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
    ...declared,
    ...{ model_version: row?.model_version ?? null, made_at: row?.made_at ?? null },
    ...{ data_from: row?.data_from ?? null, data_to: row?.data_to ?? null },
    ...{ fit_state: row?.fit_state ?? null, fit_reason: row?.fit_reason ?? null },
    served: served.map(({ error, baseline, ...one }) => ({
      ...one,
      error_to_baseline: error === null || baseline === 0 ? null : Math.round((1e6 * error) / baseline) / 1e6,
    })),
    errors: scores.map(({ model: _m, model_version: _v, made_at: _at, ...score }) => score),
    versions: versions.map((one) => ({ ...one, logged_at: Date.parse(one.logged_at) })),
    charts: (row?.charts ?? []) as unknown as Card['charts'],
  }
}

const IDS = modelCardTexts.map(({ id }) => id)

/** The cards of the models. */
export const modelCardList = defineEndpoint({
  path: '/api/prediccion/modelos',
  domain: 'service',
  plan: 'FREE',
  summary: 'Cards of the models: what they are for, data, errors out of sample beside plain baselines, versions, charts',
  about:
    'Errors are of forecasts that were made with what was known before their outcomes. A fit that failed, or whose error in the last scored window is greater than that of the version that stands, is not served; where what stands is no better than the plain baseline, the baseline is served, and `served` says so.',
  params: { model: listOf(oneOf('Model.', IDS, { example: 'fuel' })) },
  returns: listReturn('models', card, {
    sorts: ['id', 'made_at'],
  }),
  read: {
    kind: 'memory',
    from: [],
    lake: [modelCards, modelScores],
    answer: async ({ slice }, { model }) => {
      const { cards, scores } = await slice(found, '')
      const wanted = modelCardTexts.filter(({ id }) => model === null || model.includes(id))
      return wanted.map((declared) => cardOf(declared, cards.get(declared.id), scores.get(declared.id) ?? []))
    },
  },
  example: { model: 'fuel' },
})
