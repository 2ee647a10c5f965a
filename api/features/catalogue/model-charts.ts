import { inBoth, type Language } from '../../kernel/language.ts'
import { escaped } from '../site/html.ts'
import type { ModelError } from './catalogue-reads.ts'
import { number } from './catalogue-words.ts'

const WORDS = inBoth({
  errors: ['Error respecto a la regla simple', 'Error relative to the plain rule'],
  errorsIntro: [
    'A la izquierda de la línea, el modelo yerra menos que la regla simple; en la línea, lo mismo.',
    'Left of the line the model errs less than the plain rule; on the line, as much.',
  ],
  coverage: ['Calibración de los intervalos', 'Calibration of the intervals'],
  coverageIntro: [
    'Parte de los resultados dentro del intervalo del 80 %. La línea marca el 80 %.',
    'Share of the outcomes within the 80 % interval. The line marks 80 %.',
  ],
  calibration: ['Calibración', 'Calibration'],
  calibrationIntro: [
    'Lo predicho entre lo ocurrido, o lo contrario, como dice la evaluación. La línea marca lo ideal, 1.',
    'Predicted over observed, or its inverse, as the evaluation says. The line marks the ideal, 1.',
  ],
})

/** A value of a chart with its name. */
interface Bar {
  readonly name: string
  readonly value: number
}

/** Most bars of a chart; the table has the rest. */
const MAX_BARS = 24

/** Renders errors and calibration as charts, those over all outcomes only. */
export function errorCharts(errors: readonly ModelError[], language: Language): string {
  const words = WORDS[language]
  const whole = errors.filter(({ subset }) => subset === 'ALL')
  const name = ({ series, horizon }: ModelError): string => (series === 'ALL' ? horizon : `${series} ${horizon}`)
  const bars = (of: readonly ModelError[]): Bar[] => of.map((one) => ({ name: name(one), value: one.value }))
  const main = whole.find((one) => one.baseline !== null && one.baseline > 0)?.metric
  const ratios = whole
    .filter((one) => one.metric === main && one.baseline !== null && one.baseline > 0)
    .map((one) => ({ name: name(one), value: one.value / (one.baseline as number) }))
  const percent = (value: number): string => number(value, language, { style: 'percent', maximumFractionDigits: 1 })
  const plain = (value: number): string => number(value, language, { maximumFractionDigits: 3 })
  const charts = [
    chart(words.errors, words.errorsIntro, ratios, 1, Math.max(1.2, ...ratios.map(({ value }) => value)), percent),
    chart(words.coverage, words.coverageIntro, bars(whole.filter(({ metric }) => metric === 'COVERAGE_80')), 0.8, 1, percent),
    chart(words.calibration, words.calibrationIntro, bars(whole.filter(({ metric }) => metric === 'CALIBRATION')), 1, 1.5, plain),
  ].filter((one) => one !== '')
  return charts.length === 0 ? '' : `<div class="pictures">${charts.join('\n')}</div>`
}

/** Renders values as horizontal bars with a mark at `ideal`; empty without values. */
function chart(title: string, intro: string, all: readonly Bar[], ideal: number, most: number, text: (value: number) => string): string {
  if (all.length === 0) return ''
  const rows = all.slice(0, MAX_BARS).map(({ name, value }) => {
    const width = Math.min(200, (200 * value) / most).toFixed(1)
    const mark = ((200 * ideal) / most).toFixed(1)
    return `<tr><th scope="row">${escaped(name)}</th><td class="bar"><svg viewBox="0 0 200 14" preserveAspectRatio="none" aria-hidden="true"><rect class="value-bar" y="3" width="${width}" height="8"/><path class="ideal" d="M${mark} 0V14"/></svg></td><td class="num">${text(value)}</td></tr>`
  })
  return `<section><h2>${title}</h2><p><small>${intro}</small></p><table class="bars" aria-label="${title}"><tbody>${rows.join('')}</tbody></table></section>`
}
