import { gzipSync } from 'node:zlib'
import { capturesNamed, defineStandIn } from '../../define.ts'
import { fixtureStandIn } from '../../fixture.ts'
import { aemetPackage, stampOf } from '../../formats/aemet-cap.ts'
import { dailyForecastJson, hourlyForecastJson } from '../../formats/aemet-forecast.ts'
import { dailyJson, type HourOfStation, noDataJson, observationsJson, slipJson } from '../../formats/aemet-json.ts'
import { type FeedStandIn, keptOf } from '../../publisher.ts'
import { chance } from '../../random.ts'
import { forecastPlace, municipalityOf } from '../../world/forecasts.ts'
import { warningsAt } from '../../world/warnings.ts'
import { weatherOf } from '../../world/weather.ts'
import { SHOWN_ID, weatherStations } from '../../world/weather-stations.ts'

const HOUR = 3_600_000
const QUARTER = 900_000
const HALF_HOUR = 1_800_000
const DAY = 86_400_000
const HOST = 'opendata.aemet.es'

type Slip = Required<Pick<FeedStandIn, 'slip'>>

/** The two steps of a document: a path whose answer names a second path. The real second path differs each time. */
function twoSteps(api: string, resource: string, number: string): Pick<FeedStandIn, 'hosts' | 'path' | 'route'> & Slip {
  const [asked, named] = [`/opendata/api/${api}`, `/opendata/sh/${number}`]
  return {
    hosts: [HOST],
    path: asked,
    route(path) {
      if (path.replace(/\/$/, '') === asked) return { slip: named }
      return path === named ? resource : null
    },
    slip: (to) => ({ bytes: slipJson(`https://${HOST}${to}`, `https://${HOST}/opendata/sh/55c2971b`), contentType: SLIP_TYPE }),
  }
}

const SLIP_TYPE = 'application/json;charset=ISO-8859-15'

const OPEN_DATA = { contentType: 'text/plain;charset=ISO-8859-15', validators: 'none' } as const

const observation = defineStandIn('aemet_observation', {
  ...twoSteps('observacion/convencional/todas', 'observations', '0b5e7a1c'),
  publishedAt: (_seed, now) => Math.floor(now / QUARTER) * QUARTER,
  ...OPEN_DATA,
  hasOldLayout: true,
  write(world, { publishedAt, stampedAt, variant }) {
    const stations = keptOf(
      world.part(weatherStations).filter(({ isObserved }) => isObserved),
      variant,
    )
    const last = Math.floor(publishedAt / HOUR) * HOUR
    const hours: HourOfStation[] = []
    for (let end = last - 11 * HOUR; end <= last; end += HOUR)
      for (const station of stations) {
        // Most stations report within the hour, some a few hours later: the newest hours are incomplete.
        const after = HOUR * (0.05 + 2.8 * chance(world.seed, 'aemet report', station.id, end / HOUR) ** 3)
        if (end + after > publishedAt) continue
        hours.push({ station, end: end + stampedAt - publishedAt, weather: weatherOf(world.seed, station, end) })
      }
    return observationsJson(hours, variant)
  },
  captures: {
    folder: 'aemet-observacion',
    // observacion_convencional_todas_20251205T22-20251206T09.json.gz: from the first hour to the last, in UTC.
    capturedAt: capturesNamed(/^observacion_convencional_todas_.*-(\d{4})(\d\d)(\d\d)T(\d\d)\.json.*/, '$1-$2-$3T$4:30Z'),
  },
})

const stations = fixtureStandIn('aemet_stations', {
  ...twoSteps('valores/climatologicos/inventarioestaciones/todasestaciones', 'stations', '2d9c41f7'),
  file: 'stations.json',
  // Each repetition's stations are 200 m south of the previous ones.
  fields: {
    indicativo: (id, { round }) => (round === 0 ? id : `${id}${round}`),
    nombre: (name, { round }) => (round === 0 ? name : `${name.trim()} ${round}`),
    latitud: (dms, { round }) => southOf(dms, 6 * round),
  },
  ...OPEN_DATA,
  captures: {
    folder: 'aemet-climatologia',
    // inventario_todasestaciones_2023-09-27.json; the file of 2026 is not in the publisher's format.
    capturedAt: capturesNamed(/^inventario_todasestaciones_[\d-]+\.json$/),
  },
})

/** Degrees, minutes and seconds (`402443N`), moved south by some seconds. */
function southOf(dms: string, seconds: number): string {
  const [degrees = 0, minutes = 0, rest = 0] = (dms.match(/\d\d/g) ?? []).map(Number)
  const total = 3600 * degrees + 60 * minutes + rest - seconds
  return `${[total / 3600, (total / 60) % 60, total % 60].map((part) => String(Math.floor(part)).padStart(2, '0')).join('')}N`
}

/** Time between two issues of a forecast. */
const FORECAST_MS = 3 * HOUR
/** Delay of a day's publication, in days. */
const PUBLISHED_AFTER = 4
const DAILY = '/opendata/api/valores/climatologicos/diarios/datos'

const daily = defineStandIn('aemet_daily', {
  ...OPEN_DATA,
  route(path) {
    const [, begin, end] =
      /^.*\/fechaini\/(\d{4}-\d\d-\d\d)T00:00:00UTC\/fechafin\/(\d{4}-\d\d-\d\d)T23:59:59UTC\/todasestaciones$/.exec(path) ?? []
    if (begin !== undefined && begin === end && path.startsWith(DAILY)) return { slip: `/opendata/sh/daily-${begin}` }
    const [, day] = /^\/opendata\/sh\/daily-(\d{4}-\d\d-\d\d)$/.exec(path) ?? []
    return day === undefined ? null : day
  },
  slip(to, now) {
    const published = Date.parse(to.slice(-10)) + (1 + PUBLISHED_AFTER) * DAY <= now
    const bytes = published ? slipJson(`https://${HOST}${to}`, `https://${HOST}/opendata/sh/b3aa9d28`) : noDataJson()
    return { bytes, contentType: SLIP_TYPE }
  },
  // The publisher corrects days at irregular times; here all days change at the start of each month in UTC.
  publishedAt: (_seed, now) => Date.parse(`${new Date(now).toISOString().slice(0, 7)}-01`),
  write(world, { resource: day, publishedAt, variant }) {
    const start = Date.parse(day)
    const stations = world
      .part(weatherStations)
      .filter(({ id, isListed }) => isListed && (id === SHOWN_ID || chance(world.seed, 'aemet daily', id, day, publishedAt / DAY) > 0.01))
    const days = keptOf(stations, variant).map((station) => {
      const all = Array.from({ length: 31 }, (_, at) => weatherOf(world.seed, station, start + (at + 1) * HOUR))
      return { station, day, hours: all.slice(0, 24), rainHours: all.slice(7) }
    })
    return dailyJson(days, variant)
  },
})

/** A forecast by municipality: its kind in the path, its interval, and its document. */
function forecast(kind: 'horaria' | 'diaria', write: typeof hourlyForecastJson): FeedStandIn {
  const [asked, named] = [`/opendata/api/prediccion/especifica/municipio/${kind}/`, `/opendata/sh/${kind}-`]
  return defineStandIn(kind === 'horaria' ? 'aemet_forecast_hourly' : 'aemet_forecast_daily', {
    ...OPEN_DATA,
    path: `${asked}28079`,
    route(path) {
      if (path.startsWith(asked)) return { slip: `${named}${path.slice(asked.length)}` }
      return path.startsWith(named) ? path.slice(named.length) : null
    },
    slip(to) {
      const isThere = municipalityOf(to.slice(named.length)) !== undefined
      return {
        bytes: isThere ? slipJson(`https://${HOST}${to}`, `https://${HOST}/opendata/sh/93a7c63d`) : noDataJson(),
        contentType: SLIP_TYPE,
      }
    },
    publishedAt: (_seed, now) => Math.floor(now / FORECAST_MS) * FORECAST_MS,
    write(world, { resource, publishedAt, stampedAt, variant }) {
      const place = forecastPlace(world, resource)
      if (!place) return noDataJson()
      const at = { ...place, hour: (begin: number) => place.hour(begin - stampedAt + publishedAt) }
      return write(at, { issuedAt: stampedAt, hasUnknownCodes: variant.hasUnknownCodes })
    },
  })
}

const SITE = 'www.aemet.es'
const WARNINGS = '/documentos_d/eltiempo/prediccion/avisos'
const RSS = `${WARNINGS}/rss/CAP_AFAE_RSS.xml`
const PACKED = `${WARNINGS}/cap/Z_CAP_C_LEMM_`
const openData = twoSteps('avisos_cap/ultimoelaborado/area/esp', 'tar', '9f3c2a10')

/** The package of warnings: packed on the website, with a list of packages, and plain in OpenData. */
const warnings: FeedStandIn = defineStandIn('aemet_warnings', {
  validators: 'none',
  hosts: [SITE, HOST],
  route(path) {
    if (path === RSS) return { slip: `${PACKED}19700101000000_AFAE.tar.gz` }
    if (path.startsWith(PACKED)) return 'tar.gz'
    return openData.route(path, new URLSearchParams())
  },
  slip(to, now) {
    if (!to.startsWith(PACKED)) return openData.slip(to, now)
    const link = `https://${SITE}${PACKED}${stampOf(warnings.publishedAt(0, now))}_AFAE.tar.gz`
    return { bytes: Buffer.from(rssText(link)), contentType: 'application/xml' }
  },
  publishedAt: (_seed, now) => Math.floor(now / HALF_HOUR) * HALF_HOUR,
  contentType: 'application/x-gtar;charset=ISO-8859-15',
  contentTypes: { 'tar.gz': 'application/x-gzip' },
  write(world, { resource, publishedAt, stampedAt, variant }) {
    const messages = keptOf(warningsAt(world, publishedAt), variant)
    const about = { publishedAt, shift_ms: stampedAt - publishedAt, hasUnknownCodes: variant.hasUnknownCodes }
    const tar = aemetPackage(messages, about)
    return resource === 'tar' ? tar : gzipSync(tar)
  },
})

/** The newest package is the first item; packages of communities follow. */
function rssText(link: string): string {
  const item = (title: string, to: string): string => `<item><title>${title}</title><link>${to}</link><guid>${to}</guid></item>`
  const community = link.replace('_AFAE', '_AFAC61')
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0"><channel><title>AEMET. Avisos de fenómenos meteorológicos adversos. España</title><language>es</language>
${item('Avisos. España', link)}
${item('Avisos. Andalucía', community)}
</channel></rss>
`
}

/** Agencia Estatal de Meteorología: OpenData, with every document in two steps and any key, and the warnings of its website. */
export const aemet: readonly FeedStandIn[] = [
  observation,
  stations,
  daily,
  warnings,
  forecast('horaria', hourlyForecastJson),
  forecast('diaria', dailyForecastJson),
]
