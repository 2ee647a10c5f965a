import type { SourceMode } from '../../../lake/system.ts'
import { inBoth, type Language } from '../../kernel/language.ts'
import { dataTable, escaped, htmlPage } from '../site/html.ts'
import type { ModelEntry, ModelError } from './catalogue-reads.ts'
import { english, momentOrNone, number } from './catalogue-words.ts'
import { errorCharts } from './model-charts.ts'

const WORDS = inBoth({
  title: ['Modelos', 'Models'],
  lead: [
    'Qué predice cada modelo, para qué no sirve, y su error con datos que no había visto, al lado del de una regla simple.',
    'What each model predicts, what it is not for, and its error on data that it had not seen, beside that of a plain rule.',
  ],
  about: [
    'Fichas de los modelos: uso, datos, método, errores y calibración.',
    'Cards of the models: use, data, method, errors and calibration.',
  ],
  all: ['Todos los modelos', 'All models'],
  version: ['Versión', 'Version'],
  until: ['Datos hasta', 'Data until'],
  none: ['todavía ninguna', 'none yet'],
  noneYet: ['Todavía no hay ninguna versión: faltan datos.', 'There is no version yet: data is missing.'],
  serves: ['Sirve el modelo en', 'The model serves'],
  servesOf: [
    (served: number, all: number) => `${served} de ${all} series y horizontes`,
    (served: number, all: number) => `${served} of ${all} series and horizons`,
  ],
  ratio: ['Error respecto a la regla simple', 'Error relative to the plain rule'],
  texts: [
    {
      purpose: 'Para qué',
      not_for: 'Para qué no',
      data: 'Datos',
      features: 'Variables',
      method: 'Método',
      evaluation: 'Evaluación',
    },
    {
      purpose: 'Purpose',
      not_for: 'Not for',
      data: 'Data',
      features: 'Features',
      method: 'Method',
      evaluation: 'Evaluation',
    },
  ],
  english: ['Los textos del modelo están en inglés.', ''],
  card: ['Ficha', 'Card'],
  charts: ['Predicciones y resultados', 'Forecasts and outcomes'],
  errors: ['Errores en números', 'Errors in numbers'],
  errorsIntro: [(rows: number) => `Tabla de ${rows} errores`, (rows: number) => `Table of ${rows} errors`],
  versions: ['Versiones', 'Versions'],
  columns: [
    ['Serie', 'Horizonte', 'Medida', 'Parte', 'Modelo', 'Regla simple', 'Unidad', 'Resultados'],
    ['Series', 'Horizon', 'Metric', 'Subset', 'Model', 'Plain rule', 'Unit', 'Outcomes'],
  ],
  versionColumns: [
    ['Versión', 'Resultado', 'Motivo', 'Ajustada', 'Error respecto a la regla'],
    ['Version', 'Result', 'Reason', 'Fitted', 'Error to the plain rule'],
  ],
  json: ['La ficha en JSON', 'The card as JSON'],
})

/** Renders the list of models. */
export function modelListPage(
  language: Language,
  { models, mode, url }: { readonly models: readonly ModelEntry[]; readonly mode: SourceMode; readonly url: string },
): string {
  const words = WORDS[language]
  const entries = models.map((model) => {
    const ratio = meanRatio(model)
    const facts = [
      [words.until, model.data_to === null ? `<small>${words.none}</small>` : escaped(model.data_to)],
      ...(ratio === null ? [] : [[words.ratio, `<strong>${number(ratio, language, { style: 'percent' })}</strong>`]]),
    ]
    return `<section aria-labelledby="${model.id}"><h2 id="${model.id}"><a href="/models/${model.id}?lang=${language}">${english(model.title, language)}</a></h2><p>${english(model.purpose, language)}</p>
<dl class="facts">${facts.map(([name, html]) => `<div><dt>${name}</dt><dd>${html}</dd></div>`).join('')}</dl></section>`
  })
  return htmlPage(language, {
    ...{ title: words.title, about: words.about, path: '/models', isWide: true, mode, url, styles: ['catalogue.css'] },
    body: `<p class="lead">${words.lead}</p>${entries.length === 0 ? `<p>${words.noneYet}</p>` : `<div class="cards models">${entries.join('\n')}</div>`}<p><a href="/api/prediccion/modelos">${words.json}</a></p>`,
  })
}

/** Mean error of the served forecasts as share of the baseline's; null without one. */
function meanRatio({ served }: ModelEntry): number | null {
  const ratios = served.flatMap(({ error_to_baseline }) => (error_to_baseline === null ? [] : [error_to_baseline]))
  return ratios.length === 0 ? null : ratios.reduce((sum, one) => sum + one, 0) / ratios.length
}

/** Renders the card of a model with charts of its errors and calibration. */
export function modelPage(
  language: Language,
  { model, mode, url }: { readonly model: ModelEntry; readonly mode: SourceMode; readonly url: string },
): string {
  const words = WORDS[language]
  const ratio = meanRatio(model)
  const { served, errors, versions, id, title } = model
  const text = (name: keyof typeof words.texts): string =>
    `<div><dt>${words.texts[name]}</dt><dd>${english(model[name], language)}</dd></div>`
  const isModel = served.filter(({ serves }) => serves === 'MODEL').length
  const figure = (name: string, value: string): string => `<div><dt>${name}</dt><dd>${value}</dd></div>`
  const figures = [
    figure(words.version, `<span class="version">${model.model_version === null ? words.none : escaped(model.model_version)}</span>`),
    figure(words.until, `<span class="version">${model.data_to === null ? words.none : escaped(model.data_to)}</span>`),
    ...(served.length === 0 ? [] : [figure(words.serves, `<span class="version">${words.servesOf(isModel, served.length)}</span>`)]),
    ...(ratio === null ? [] : [figure(words.ratio, `<strong>${number(ratio, language, { style: 'percent' })}</strong>`)]),
  ]
  return htmlPage(language, {
    ...{ title, about: model.purpose, path: '/models', hasHeading: true, isWide: true, mode, url, styles: ['catalogue.css'] },
    body: `<p class="crumbs"><a href="/models?lang=${language}">${words.all}</a></p>
<h1${language === 'en' ? '' : ' lang="en"'}>${escaped(title)}</h1>${model.model_version === null ? `<p class="lead">${words.noneYet}</p>` : ''}
<dl class="figures">${figures.join('')}</dl>
<section aria-labelledby="card"><h2 id="card">${words.card}</h2>${words.english === '' ? '' : `<p><small>${words.english}</small></p>`}<dl class="facts card-texts">${(['purpose', 'not_for', 'data', 'features', 'method', 'evaluation'] as const).map(text).join('')}</dl></section>
${errorCharts(errors, language)}
${storedCharts(model, language)}
${errors.length === 0 ? '' : errorTable(errors, language)}
${versions.length === 0 ? '' : versionTable(model, language)}
<p><a href="/api/prediccion/modelos?model=${id}">${words.json}</a></p>`,
  })
}

/** The charts of the model's run that show more than errors: as images, since their inline styles may not be in a page. */
function storedCharts({ charts }: ModelEntry, language: Language): string {
  const shown = charts.filter(({ name }) => !/^(errors|coverage)/.test(name))
  if (shown.length === 0) return ''
  const words = WORDS[language]
  const image = ({ title, svg }: ModelEntry['charts'][number]): string =>
    `<figure class="stored"><img src="data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}" width="760" height="360" alt="${escaped(title)}"><figcaption>${english(title, language)}</figcaption></figure>`
  return `<section aria-labelledby="charts"><h2 id="charts">${words.charts}</h2><div class="pictures">${shown.map(image).join('')}</div></section>`
}

function errorTable(errors: readonly ModelError[], language: Language): string {
  const words = WORDS[language]
  const value = (one: number | null): string => (one === null ? '—' : number(one, language, { maximumSignificantDigits: 4 }))
  const [series = '', horizon = '', metric = '', subset = '', model = '', baseline = '', unit = '', points = ''] = words.columns
  const table = dataTable({
    name: words.errors,
    classes: '',
    heads: [series, horizon, metric, subset, unit, model, baseline, points],
    rows: errors.map((one) => [
      escaped(one.series),
      escaped(one.horizon),
      `<code>${escaped(one.metric)}</code>`,
      escaped(one.subset),
      one.metric_unit === '1' ? '' : escaped(one.metric_unit),
      value(one.value),
      value(one.baseline),
      number(one.points, language),
    ]),
    numbers: 3,
  })
  return `<section aria-labelledby="errors"><h2 id="errors">${words.errors}</h2><details><summary>${words.errorsIntro(errors.length)}</summary>${table}</details></section>`
}

function versionTable({ versions }: ModelEntry, language: Language): string {
  const words = WORDS[language]
  const [version = '', result = '', reason = '', fitted = '', ratio = ''] = words.versionColumns
  return `<section aria-labelledby="versions"><h2 id="versions">${words.versions}</h2>${dataTable({
    name: words.versions,
    classes: 'texts',
    heads: [version, result, reason, fitted, ratio],
    rows: versions.map((one) => [
      one.model_version === null ? '—' : `<code>${escaped(one.model_version)}</code>`,
      `<code>${escaped(one.state)}</code>`,
      english(one.reason, language),
      momentOrNone(one.logged_at, language),
      one.error_to_baseline === null ? '—' : number(one.error_to_baseline, language, { style: 'percent' }),
    ]),
    numbers: 1,
  })}</section>`
}
