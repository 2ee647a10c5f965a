import { airportWeather } from '../../../lake/datasets/aviation/airport-weather.ts'
import { awc } from '../../../lake/datasets/aviation/sources.ts'
import { iataOfIcao, SPANISH_AIRPORTS } from '../../../lake/places/airports.ts'
import { pointNumber } from '../../formats/numbers.ts'
import { type FeedBody, FormatError } from '../define.ts'
import { jsonFeed, jsonList } from '../kit/formats.ts'

const METRES_PER_MILE = 1609.344
const METRES_PER_FOOT = 0.3048
const M_S_PER_KNOT = 1852 / 3600
/** Cloud covers that count as a ceiling: broken, overcast, and an obscured sky. */
const CEILINGS = ['BKN', 'OVC', 'OVX']
const VISIBILITY = /^(\d+(?:\.\d+)?)(\+?)$/

/** METAR reports of Spain's airports, decoded by the Aviation Weather Center; small airports report only while open. */
export const metar = jsonFeed({
  id: 'metar',
  domain: 'aviation',
  source: awc,
  into: airportWeather,
  every_s: 900,
  get: {
    url: `https://aviationweather.gov/api/data/metar?format=json&ids=${Object.values(SPANISH_AIRPORTS).join()}`,
    maxBytes: 2_000_000,
  },
  freshBy: 'fetch',
  band: { atLeast: 1, minRatio: 0.3 },
  columns: {
    icao: 'icaoId',
    time: 'obsTime',
    type: 'metarType',
    wind: 'wspd',
    direction: 'wdir',
    gust: 'wgst',
    visibility: 'visib',
    ceiling_ft: 'ceilingFt',
    clouds: 'clouds',
    weather: 'wxString',
    temp: 'temp',
    dew: 'dewp',
    pressure: 'altim',
    category: 'fltCat',
    report: 'rawOb',
  },
  knows: [
    ...['receiptTime', 'reportTime', 'qcField', 'lat', 'lon', 'elev', 'name', 'cover', 'presTend', 'slp', 'vertVis', 'metar_id'],
    ...['maxT', 'minT', 'maxT24', 'minT24', 'precip', 'pcp3hr', 'pcp6hr', 'pcp24hr', 'snow', 'mostRecent'],
  ],
  needs: ['icao', 'time', 'report'],
  nonEmptyFields: ['wind', 'visibility', 'temp'],
  records: readReports,
  duplicateWarning: 'a report that is in the list twice',
  row: (r) => {
    const icao = r.text('icao')
    const iata = iataOfIcao(icao)
    if (iata === null) throw new FormatError('an airport that was not requested')
    const [, miles, more] = VISIBILITY.exec(r.cell('visibility') ?? '') ?? []
    const visibility = r.parsed('visibility', 'visibility', () => (miles === undefined ? Number.NaN : Number(miles) * METRES_PER_MILE))
    const speed = (field: 'wind' | 'gust'): number | null => rounded(r.number(field), M_S_PER_KNOT, 10)
    return {
      ...{ source: awc.id, iata, icao, observed_at: 1000 * r.integer('time'), report_type: r.text('type') },
      wind_m_s: speed('wind'),
      wind_dir_deg: r.parsed('direction', 'direction', (text) => (text === 'VRB' ? null : pointNumber(text))),
      gust_m_s: speed('gust'),
      visibility_m: rounded(visibility, 1, 1),
      is_visibility_exceeded: visibility === null ? null : more === '+',
      ceiling_m: rounded(r.number('ceiling_ft'), METRES_PER_FOOT, 1),
      clouds: r.text('clouds'),
      weather: r.text('weather'),
      temp_c: r.number('temp'),
      dew_point_c: r.number('dew'),
      pressure_hpa: r.number('pressure'),
      flight_category: r.text('category'),
      report: r.text('report'),
    }
  },
})

function rounded(value: number | null, times: number, steps: number): number | null {
  return value === null ? null : Math.round(value * times * steps) / steps
}

/** The reports, with cloud layers as one text and the ceiling as a field. */
function readReports(body: FeedBody): readonly object[] {
  return jsonList(body).map((report) => {
    const layers = cloudsOf(report['clouds'])
    const bases = layers.flatMap(({ cover, base }) => (CEILINGS.includes(cover) && base !== null ? [base] : []))
    const text = layers.map(({ cover, base }) => `${cover}${base ?? ''}`).join(' ')
    return { ...report, clouds: text, ceilingFt: bases.length === 0 ? null : Math.min(...bases) }
  })
}

function cloudsOf(clouds: unknown): readonly { readonly cover: string; readonly base: number | null }[] {
  if (!Array.isArray(clouds)) return []
  return clouds.flatMap((layer: unknown) => {
    const { cover, base } = (layer ?? {}) as { readonly cover?: unknown; readonly base?: unknown }
    return typeof cover === 'string' ? [{ cover, base: typeof base === 'number' ? base : null }] : []
  })
}
