import { dayBounds, madridDate } from '../../../../lake/schema/time.ts'
import { capturesNamed, defineStandIn } from '../../define.ts'
import { ministryJson, ministryRefusal, stationWriter } from '../../formats/ministry-json.ts'
import { everyPeriod, type FeedStandIn, keptOf } from '../../publisher.ts'
import { chance } from '../../random.ts'
import { nationalPrice } from '../../world/fuel-prices.ts'
import { PROVINCES } from '../../world/provinces.ts'
import { fillingStations, isListed } from '../../world/stations.ts'
import { defineWorldPart } from '../../world/world.ts'

/** Stations' texts, cached until their prices change. */
const stationTexts = defineWorldPart(({ seed }) => stationWriter(seed))

const HALF_HOUR = 1_800_000
/** Both hosts' paths, which differ in case. */
const PATH = /^\/serviciosrestcarburantes\/precioscarburantes\/estacionesterrestres(?:\/filtroprovincia\/([^/]+))?\/?$/i

const REGISTER = {
  hosts: ['energia.serviciosmin.gob.es', 'sedeaplicaciones.minetur.gob.es'],
  contentType: 'application/json; charset=utf-8',
  validators: 'none',
  headers: { 'Cache-Control': 'private', 'Access-Control-Allow-Origin': '*' },
} as const

const stations = defineStandIn('fuel_stations', {
  ...REGISTER,
  route: (path) => {
    const match = PATH.exec(path)
    return match && (match[1] ?? 'national')
  },
  publishedAt: everyPeriod(HALF_HOUR, 45, 90),
  // `restricted` are the stations that sell to members only; the register dropped them on 2026-04-29.
  blocks: { known: /^(restricted|\d\d)$/, usual: ['restricted'] },
  write(world, { resource, publishedAt, stampedAt, variant }) {
    if (resource !== 'national' && !PROVINCES.has(resource)) return ministryRefusal(stampedAt)
    const listed = world.part(fillingStations).filter((station) => {
      const { province } = station.municipality
      if (resource !== 'national' && province !== resource) return false
      if (station.isRestricted && variant.missingBlocks.includes('restricted')) return false
      return !variant.missingBlocks.includes(province) && isListed(world.seed, station, publishedAt)
    })
    const textOf = world.part(stationTexts)
    const texts = keptOf(listed, variant).map((station) => textOf(station, publishedAt))
    return ministryJson(variant.hasUnknownCodes ? texts.map(withUnknownCodes) : texts, stampedAt)
  },
  captures: {
    folder: 'miteco-eess',
    // EstacionesTerrestres_FiltroProvincia_08_20250927T180547.json, by Madrid's clock; one region or province represents the
    // country.
    capturedAt: capturesNamed(/^EstacionesTerrestres_.*\.json/),
  },
})

/** The archive's path of a day, with the day first. */
const DAY_PATH = /^\/serviciosrestcarburantes\/precioscarburantes\/estacionesterrestreshist\/(\d\d)-(\d\d)-(\d{4})\/?$/i
/** Days that the archive does not have. */
const GAPS = new Set(['2025-05-21', '2025-05-22'])

const archive = defineStandIn('fuel_archive', {
  ...REGISTER,
  route(path) {
    const [, day, month, year] = DAY_PATH.exec(path) ?? []
    return year === undefined ? null : `${year}-${month}-${day}`
  },
  // The newest day is yesterday.
  publishedAt: (_seed, now) => dayBounds(madridDate(now)).start,
  write(world, { resource: day, publishedAt, stampedAt, variant }) {
    const { end } = dayBounds(day)
    if (end > publishedAt || GAPS.has(day)) return ministryRefusal(stampedAt)
    // The publisher corrects days at irregular times; here all days change at the start of each month.
    const edition = madridDate(publishedAt).slice(0, 7)
    const listed = world
      .part(fillingStations)
      .filter((station) => isListed(world.seed, station, end - 1) && chance(world.seed, 'fuel archive', station.index, day, edition) > 0.01)
    const write = stationWriter(world.seed)
    const texts = keptOf(listed, variant).map((station) => write(station, end - 1))
    return ministryJson(variant.hasUnknownCodes ? texts.map(withUnknownCodes) : texts, stampedAt)
  },
})

const DAY = 86_400_000
const WINDOW_DAYS = 120
const MEANS = ['Gasolina 95 E5', 'Gasoleo A'] as const
/** The headers of both recorded layouts of the page's table; unknown columns are last. */
const HEADERS = {
  titles: ['fecha', 'Gasolina 95 E5', 'Gasóleo A', 'Queroseno'],
  names: ['fecha', 'gasolina_95_e5', 'gasoleo_a', 'queroseno'],
}

const means = defineStandIn('fuel_ministry_means', {
  ...REGISTER,
  hosts: ['energia.serviciosmin.gob.es'],
  publishedAt: archive.publishedAt,
  route: (path) => (path.toLowerCase() === '/shpcarburantes/vista/shp.aspx' ? 'means' : null),
  contentType: 'text/csv; charset=utf-8',
  hasOldLayout: true,
  write(world, { publishedAt, variant }) {
    const header = variant.isOldLayout ? HEADERS.names : HEADERS.titles
    const days = Array.from({ length: WINDOW_DAYS }, (_, at) => madridDate(publishedAt, at - WINDOW_DAYS))
    const lines = keptOf(days, variant).map((day) => {
      const prices = MEANS.map((name) => `${nationalPrice(world.seed, `Precio ${name}`, Date.parse(day) / DAY).toFixed(3)}000`)
      return [day, ...prices, '1.000000'].slice(0, variant.hasUnknownCodes ? 4 : 3).join()
    })
    const end = variant.isOldLayout ? '\n' : '\r\n'
    return [header.slice(0, variant.hasUnknownCodes ? 4 : 3).join(), ...lines, ''].join(end)
  },
  captures: {
    folder: 'miteco-eess-derived',
    // media_nacional_diaria_geoportal_20260424-20260821.csv: from the first day to the last; it was fetched on the next day.
    capturedAt(file) {
      const [, year, month, day] = /^media_nacional_diaria_geoportal_\d{8}-(\d{4})(\d\d)(\d\d)\.csv$/.exec(file) ?? []
      return year === undefined ? null : dayBounds(`${year}-${month}-${day}`).end
    },
  },
})

/**
 * The ministry's register of fuel prices (the whole country or any of 52 provinces), its archive by day, and its published means.
 */
export const ministry: readonly FeedStandIn[] = [stations, archive, means]

/** Adds an unknown column, and unknown values at one station in fifty. */
function withUnknownCodes(text: string, at: number): string {
  const wider = text.replace('"Provincia":', `"Precio Queroseno":"${at % 50 === 3 ? '0,987' : ''}","Provincia":`)
  return at % 50 === 3 ? wider.replace(/"Margen":"."/, '"Margen":"X"').replace(/"Tipo Venta":"."/, '"Tipo Venta":"Q"') : wider
}
