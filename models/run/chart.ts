import { createRequire } from 'node:module'
import type { EChartsCoreOption } from 'echarts/core'
import type { CardChart } from './run.ts'

/** ECharts with the used parts. It is loaded by the first chart, because it takes 35 MB in every process that can draw one. */
let echarts: typeof import('echarts/core') | null = null

const SIZE = { width: 760, height: 360 }
const COLOURS = ['#1f4e79', '#c0504d', '#7f7f7f', '#4f8f4f']
/** Maximum letters of a legend line, and of a vertical label among many. */
const LEGEND_LINE = 72
const SHORT_LABEL = 3
const TEXT = { fontFamily: 'sans-serif', color: '#222' }

/** Data of a chart: values by axis label; null for none. */
export interface ChartSpec {
  readonly name: string
  readonly title: string
  /** Quantity with its unit; a share (1) shows no unit. */
  readonly unit: string
  readonly kind: 'lines' | 'bars'
  readonly labels: readonly string[]
  readonly figures: readonly { readonly name: string; readonly values: readonly (number | null)[] }[]
  /** Shaded area between two lines, for intervals. */
  readonly band?: { readonly name: string; readonly low: readonly (number | null)[]; readonly high: readonly (number | null)[] }
  /** A target level, as a horizontal line. */
  readonly level?: { readonly name: string; readonly value: number }
  /** True if the axis need not start at 0. */
  readonly isOpen?: boolean
}

/**
 * Draws a chart as SVG, 760 by 360; the same input gives the same SVG. Its ids are numbered by chart, so that several fit on one
 * page.
 */
export function drawChart(spec: ChartSpec): CardChart {
  echarts ??= loadECharts()
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, ...SIZE })
  chart.setOption(optionOf(spec))
  const svg = chart.renderToSVGString()
  chart.dispose()
  // ECharts numbers clips by all charts drawn in a process, and styles, used only for hovering, over all of them.
  const still = svg.replace(/<style.*?<\/style>/gs, '').replace(/ (?:class|ecmeta_\w+)="[^"]*"/g, '')
  return { name: spec.name, title: spec.title, svg: still.replace(/\bzr\d+-/g, `${spec.name}-`) }
}

function loadECharts(): typeof import('echarts/core') {
  const load = createRequire(import.meta.url)
  const core: typeof import('echarts/core') = load('echarts/core')
  const { BarChart, LineChart }: typeof import('echarts/charts') = load('echarts/charts')
  const { GridComponent, LegendComponent, TitleComponent }: typeof import('echarts/components') = load('echarts/components')
  const { SVGRenderer }: typeof import('echarts/renderers') = load('echarts/renderers')
  core.use([BarChart, LineChart, GridComponent, LegendComponent, TitleComponent, SVGRenderer])
  return core
}

function optionOf(spec: ChartSpec): EChartsCoreOption {
  const { title, unit, kind, labels, figures, band, level, isOpen = false } = spec
  const known = figures.map(({ name, values }, at) => ({
    ...{ name, type: kind === 'bars' ? 'bar' : 'line', data: [...values], showSymbol: false },
    ...{ itemStyle: { color: COLOURS[at % COLOURS.length] }, lineStyle: { width: 1.5, color: COLOURS[at % COLOURS.length] } },
  }))
  const shade = band
    ? [
        { name: `${band.name}-low`, type: 'line', stack: 'band', data: [...band.low], symbol: 'none', lineStyle: { opacity: 0 } },
        {
          ...{ name: band.name, type: 'line', stack: 'band', symbol: 'none', lineStyle: { opacity: 0 } },
          data: band.high.map((high, at) => (high === null ? null : high - (band.low[at] as number))),
          ...{ areaStyle: { color: '#1f4e79', opacity: 0.18 }, itemStyle: { color: '#1f4e79', opacity: 0.3 } },
        },
      ]
    : []
  const across = level
    ? [
        {
          ...{ name: level.name, type: 'line', symbol: 'none', data: labels.map(() => level.value) },
          ...{ itemStyle: { color: '#222' }, lineStyle: { type: 'dashed', width: 1, color: '#222' } },
        },
      ]
    : []
  const names = [...figures.map(({ name }) => name), ...(band ? [band.name] : []), ...(level ? [level.name] : [])]
  const isSlanted = kind === 'bars' && labels.length > 6 && labels.some((label) => label.length > SHORT_LABEL)
  return {
    ...{ animation: false, backgroundColor: '#fff', textStyle: TEXT },
    title: { text: title, left: 12, top: 8, textStyle: { ...TEXT, fontSize: 15, fontWeight: 'bold' } },
    legend: { data: names, top: 34, left: 12, textStyle: TEXT, itemWidth: 18 },
    // A legend of two lines must not reach the axis name.
    grid: { left: 64, right: 20, top: names.join('').length > LEGEND_LINE ? 104 : 84, bottom: isSlanted ? 76 : 40 },
    xAxis: {
      type: 'category',
      data: [...labels],
      axisLabel: { ...TEXT, hideOverlap: true, rotate: isSlanted ? 30 : 0 },
    },
    yAxis: { type: 'value', scale: isOpen, name: unit === '1' ? '' : unit, nameTextStyle: { ...TEXT, align: 'left' }, axisLabel: TEXT },
    series: [...shade, ...known, ...across],
  }
}
