import { SECTION_CITIES } from '../../../lake/datasets/road/section-cities.ts'
import { barcelonaTraffic as source } from '../../../lake/datasets/road/sources.ts'
import { trafficSectionStates } from '../../../lake/datasets/road/traffic-section-states.ts'
import { instantOf } from '../../../lake/schema/time.ts'
import { decodeText } from '../../formats/text.ts'
import { batch, type Diagnostics, defineFeed, FormatError } from '../define.ts'
import { levelOf, type SectionReport, sectionStates } from './section-states.ts'

/** States by the city's documentation: 0 no data, 1 very fluid, 2 fluid, 3 dense, 4 very dense, 5 congestion, 6 closed. */
export const BARCELONA_LEVELS = {
  '0': 'UNKNOWN',
  '1': 'FREE',
  '2': 'FREE',
  '3': 'DENSE',
  '4': 'VERY_DENSE',
  '5': 'CONGESTED',
  '6': 'CLOSED',
} as const satisfies Readonly<Record<string, string>>

const [SECTION, STAMP] = [/^\d+$/, /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/]

/**
 * States of Barcelona's sections: lines of `id#yyyymmddHHMMSS#state#state in 15 minutes`, local time, overwritten every five
 * minutes.
 */
export const barcelonaTraffic = defineFeed({
  id: 'barcelona_traffic',
  source,
  into: [trafficSectionStates],
  every_s: 300,
  get: [
    'https://opendata-ajuntament.barcelona.cat/data/dataset/8319c2b1-4c21-4962-9acd-6db4c5ff1148/resource/2d456eb5-4ea6-4f68-9794-2f3f1a58a933/download',
    'https://www.bcn.cat/transit/dades/dadestrams.dat',
  ].map((url) => ({ name: 'sections', url, accept: 'text/plain, */*;q=0.5', maxBytes: 2_000_000, timeout_ms: 30_000, expects: 'csv' })),
  bands: { traffic_section_states: { atLeast: 200, minRatio: 0.8, maxRatio: 1000 } },
  *rows(bodies, { fetched_at, near = fetched_at }, diagnostics) {
    const reports: SectionReport[] = []
    for (const { name, bytes } of bodies) {
      const lines = decodeText(bytes)
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean)
      for (const line of lines) {
        const report = reportOf(line, near, diagnostics)
        if (typeof report === 'string') diagnostics.reject(trafficSectionStates, report, line.slice(0, 200))
        else reports.push(report)
      }
      if (reports.length === 0) throw new FormatError(`${name} has no line of the form id#yyyymmddHHMMSS#state#forecast`)
    }
    const { newest, states } = sectionStates(SECTION_CITIES.barcelona, reports, { fetchedAt: fetched_at, diagnostics })
    diagnostics.publishedAt(newest)
    yield batch(trafficSectionStates, states)
  },
})

/** The report of a line, or the reason why it is invalid. */
function reportOf(line: string, near: number, diagnostics: Diagnostics): SectionReport | string {
  const [section_id = '', stamp = '', state, forecast = '', ...others] = line.split('#')
  if (state === undefined || others.length > 0) return 'another number of fields'
  if (state === '') return 'the state is empty'
  if (!SECTION.test(section_id)) return 'the id of the section is no number'
  const [, year, month, day, hour, minute, second] = STAMP.exec(stamp) ?? []
  const observed_at = year === undefined ? Number.NaN : instantOf(`${year}-${month}-${day}`, `${hour}:${minute}:${second}`, { near })
  if (Number.isNaN(observed_at)) return 'the time is no yyyymmddHHMMSS'
  return {
    ...{ section_id, observed_at, level: levelOf(BARCELONA_LEVELS, state, diagnostics), source_state: state },
    forecast_15min_level: forecast === '' ? null : levelOf(BARCELONA_LEVELS, forecast, diagnostics),
    source_forecast_state: forecast || null,
  }
}
