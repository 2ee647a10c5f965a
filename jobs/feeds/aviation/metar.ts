import { airportWeather } from '../../../lake/datasets/aviation/airports.ts'
import { awc } from '../../../lake/datasets/aviation/sources.ts'
import { iataOfIcao, SPANISH_AIRPORTS } from '../../../lake/places/airports.ts'
import { pointNumber, scaled } from '../../formats/numbers.ts'
import { type FeedBody, FormatError } from '../define.ts'
import { jsonFeed, jsonList } from '../kit/record-feed.ts'
import { windDirection } from '../wind.ts'

/** What a report states about visibility and clouds. */
interface MetarGroups {
  /** Prevailing visibility, m; null if the report has none in metres. */
  readonly visibility_m: number | null
  /** True for `9999` and `CAVOK`: 10 km or more. */
  readonly isExceeded: boolean
  /** True for `////`: the sensor gave nothing. */
  readonly isUnknown: boolean
  /** The word for a sky without clouds of note: `SKC`, `NSC`, `NCD`, `CLR` or `CAVOK`; null without one. */
  readonly clear: string | null
}

const MOST_M = 10_000
/** Trends and remarks follow: their visibility and clouds are not the present ones. */
const AFTER = /^(?:TEMPO|BECMG|NOSIG|RMK)$/
const VISIBILITY_GROUP = /^(CAVOK|\/{4}|(\d{4})(?:NDV)?)$/
const CLEAR = /^(?:SKC|NSC|NCD|CLR|CAVOK)$/

/** Reads the groups of a METAR (WMO-No. 306, FM 15: VVVV in metres, 9999 for 10 km or more). */
function metarGroups(report: string): MetarGroups {
  const words = report.trim().replace(/=$/, '').split(/\s+/)
  const end = words.findIndex((word) => AFTER.test(word))
  const present = end < 0 ? words : words.slice(0, end)
  const [, group, metres] = present.map((word) => VISIBILITY_GROUP.exec(word)).find((match) => match !== null) ?? []
  const isExceeded = group === 'CAVOK' || metres === '9999'
  return {
    visibility_m: isExceeded ? MOST_M : metres === undefined ? null : Number(metres),
    isExceeded,
    isUnknown: group?.startsWith('/') ?? false,
    clear: present.find((word) => CLEAR.test(word)) ?? null,
  }
}

const METRES_PER_MILE = 1609.344
const METRES_PER_FOOT = 0.3048
const M_S_PER_KNOT = 1852 / 3600
/** Cloud covers that count as a ceiling: broken, overcast, and an obscured sky. */
const CEILINGS = ['BKN', 'OVC', 'OVX']
/** In METAR 0 means calm. */
const NORTH_DEG = 360
const VISIBILITY = /^(\d+(?:\.\d+)?)(\+?)$/

/** METAR reports of Spain's airports, decoded by the Aviation Weather Center; small airports report only while open. */
export const metar = jsonFeed({
  id: 'metar',
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
    cover: 'cover',
    clouds: 'clouds',
    weather: 'wxString',
    temp: 'temp',
    dew: 'dewp',
    pressure: 'altim',
    category: 'fltCat',
    report: 'rawOb',
  },
  knows: [
    ...['receiptTime', 'reportTime', 'qcField', 'lat', 'lon', 'elev', 'name', 'presTend', 'slp', 'vertVis', 'metar_id'],
    ...['maxT', 'minT', 'maxT24', 'minT24', 'precip', 'pcp3hr', 'pcp6hr', 'pcp24hr', 'snow', 'mostRecent'],
  ],
  needs: ['icao', 'time', 'report'],
  nonEmptyFields: ['wind', 'temp'],
  requireAny: { 'a visibility': (row) => row.visibility_m !== null },
  records: readReports,
  duplicateWarning: 'a report that is in the list twice',
  row: (r) => {
    const icao = r.text('icao')
    const iata = iataOfIcao(icao)
    if (iata === null) throw new FormatError('an airport that was not requested')
    const report = r.text('report')
    const { visibility_m, isExceeded, isUnknown, clear } = metarGroups(report)
    // Military airports may report miles; the decoded field has them in any case.
    const [, miles, more] = VISIBILITY.exec(r.cell('visibility') ?? '') ?? []
    const isInMiles = visibility_m === null && !isUnknown
    const decoded = isInMiles
      ? r.parsed('visibility', 'visibility', () => (miles === undefined ? Number.NaN : Number(miles) * METRES_PER_MILE))
      : null
    const visibility = visibility_m ?? scaled(decoded, 1, 1)
    const speed = (field: 'wind' | 'gust'): number | null => scaled(r.number(field), M_S_PER_KNOT, 10)
    return {
      ...{ source: awc.id, iata, icao, observed_at: 1000 * r.integer('time'), report_type: r.text('type') },
      wind_m_s: speed('wind'),
      wind_dir_deg: windDirection(r.number('wind'), r.parsed('direction', 'direction', degreesOf)),
      gust_m_s: speed('gust'),
      visibility_m: visibility,
      is_visibility_exceeded: visibility === null ? null : isExceeded || (isInMiles && more === '+'),
      ceiling_m: scaled(r.number('ceiling_ft'), METRES_PER_FOOT, 1),
      cover: clear ?? r.text('cover'),
      clouds: r.text('clouds'),
      weather: r.text('weather'),
      temp_c: r.number('temp'),
      dew_point_c: r.number('dew'),
      pressure_hpa: r.number('pressure'),
      flight_category: r.text('category'),
      report,
    }
  },
})

/** Degrees of a direction; null if it varies, and 360 for a north that was written as 0. */
function degreesOf(text: string): number | null {
  const degrees = text === 'VRB' ? null : pointNumber(text)
  return degrees === 0 ? NORTH_DEG : degrees
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
