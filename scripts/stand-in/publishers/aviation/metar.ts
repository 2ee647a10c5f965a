import { capturesNamed, defineStandIn } from '../../define.ts'
import { keptOf } from '../../publisher.ts'
import { airportWeather } from '../../world/aviation/airport-weather.ts'
import { AIRPORTS, type Airport } from '../../world/aviation/airports.ts'

const HALF_HOUR = 1_800_000
const KNOTS = 3600 / 1852
const METRES_PER_FOOT = 0.3048
const KM_PER_MILE = 1.609344

/** The newest METAR of airports, decoded as by the Aviation Weather Center. */
function metarJson(
  airports: readonly Airport[],
  { seed, at, hasUnknownCodes }: { readonly seed: number; readonly at: number; readonly hasUnknownCodes: boolean },
): string {
  // A report takes some minutes to arrive.
  const observed = Math.floor((at - 240_000) / HALF_HOUR) * HALF_HOUR
  return JSON.stringify(
    airports.map((airport, nth) => ({
      ...reportOf(airport, seed, observed),
      ...(hasUnknownCodes && nth % 10 === 3 ? { fltCat: 'XVFR', runwayState: 'WET' } : {}),
    })),
  )
}

function reportOf(airport: Airport, seed: number, observed: number): object {
  const weather = airportWeather(seed, airport, observed)
  const [wspd, gust] = [weather.vv, weather.vmax].map((speed) => Math.round(speed * KNOTS)) as [number, number]
  const wdir = wspd === 0 ? 0 : wspd < 3 ? 'VRB' : Math.round(weather.dv / 10) * 10
  const miles = weather.vis / KM_PER_MILE
  const isFoggy = weather.vis < 1
  const wxString = isFoggy ? 'FG' : weather.prec > 4 ? '+RA' : weather.prec > 0 ? (weather.ta < 1 ? 'SN' : '-RA') : undefined
  const base = isFoggy ? 200 : Math.round((1200 + 5000 * (1 - weather.hr / 100)) / 100) * 100
  const clouds = weather.hr < 60 ? [] : [{ cover: isFoggy ? 'OVC' : weather.prec > 0 ? 'BKN' : 'SCT', base }]
  const ceiling = clouds.some(({ cover }) => cover !== 'SCT') ? base : Number.POSITIVE_INFINITY
  const [temp, dewp, altim] = [weather.ta, weather.tpr, weather.pres_nmar].map(Math.round) as [number, number, number]
  const time = new Date(observed).toISOString()
  const sight = weather.vis >= 10 ? '9999' : String(Math.round(weather.vis * 10) * 100).padStart(4, '0')
  const raw = [
    `METAR ${airport.icao} ${time.slice(8, 10)}${time.slice(11, 13)}${time.slice(14, 16)}Z`,
    `${wdir === 'VRB' ? wdir : String(wdir).padStart(3, '0')}${String(wspd).padStart(2, '0')}${gust > wspd + 10 ? `G${gust}` : ''}KT ${sight}`,
    ...(wxString ? [wxString] : []),
    ...clouds.map(({ cover, base: height }) => `${cover}${String(height / 100).padStart(3, '0')}`),
    `${degrees(temp)}/${degrees(dewp)} Q${altim}`,
  ]
  return {
    ...{ icaoId: airport.icao, receiptTime: new Date(observed + 185_525).toISOString(), obsTime: observed / 1000, reportTime: time },
    ...{ temp, dewp, wdir, wspd, ...(gust > wspd + 10 ? { wgst: gust } : {}) },
    ...{ visib: miles >= 6 ? '6+' : Math.round(miles * 100) / 100, altim, qcField: 2, ...(wxString ? { wxString } : {}) },
    ...{ metarType: 'METAR', rawOb: raw.join(' '), lat: airport.lat, lon: airport.lon },
    ...{ elev: Math.round(airport.elevation_ft * METRES_PER_FOOT), name: `${airport.municipality} Arpt, ES` },
    ...{ cover: clouds[0]?.cover ?? 'CLR', clouds, fltCat: categoryOf(ceiling, miles) },
  }
}

function categoryOf(ceiling_ft: number, miles: number): string {
  if (ceiling_ft < 500 || miles < 1) return 'LIFR'
  if (ceiling_ft < 1000 || miles < 3) return 'IFR'
  return ceiling_ft <= 3000 || miles <= 5 ? 'MVFR' : 'VFR'
}

const degrees = (celsius: number): string => `${celsius < 0 ? 'M' : ''}${String(Math.abs(celsius)).padStart(2, '0')}`

const FIVE_MINUTES = 300_000
const PATH = '/api/data/metar'

/** The Aviation Weather Center: the newest report of each requested airport. */
export const aviationWeather = defineStandIn('metar', {
  path: `${PATH}?format=json&ids=LEMD,LEBL`,
  route: (path, query) => (path === PATH && query.get('format') === 'json' ? (query.get('ids') ?? '') : null),
  publishedAt: (_seed, now) => now - (now % FIVE_MINUTES),
  validators: 'none',
  write(world, { resource, stampedAt, variant }) {
    const wanted = resource.split(',')
    // Airports with hardly any flights have no weather observations.
    const reporting = AIRPORTS.filter(({ icao, movements_k }) => wanted.includes(icao) && movements_k > 1)
    return metarJson(keptOf(reporting, variant), { seed: world.seed, at: stampedAt, hasUnknownCodes: variant.hasUnknownCodes })
  },
  captures: {
    folder: 'metar',
    // awc_metar_LEBA_20260903.json: one report, of midnight, that was received at 00:05:25.
    capturedAt: capturesNamed(/^awc_metar_LEBA_20260903\.json$/, '2026-09-03T00:05:26Z'),
  },
})
