import { aemet } from '../../../lake/datasets/weather/sources.ts'
import { weatherStations } from '../../../lake/datasets/weather/weather-stations.ts'
import { resolvePlace } from '../../../lake/places/resolve.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { commaNumber } from '../../formats/numbers.ts'
import { type Batch, batch, defineFeed, type FeedBody, type FeedClock, type Notes } from '../define.ts'
import { watchPresence } from '../presence.ts'
import { type AemetRecord, aemetRequest, readRecords, textOf, watchKeys } from './aemet.ts'

type Station = FeedRow<typeof weatherStations>

/** Degrees, minutes and seconds without marks, then the half of the globe: `413515N`, `023224E`. */
const DMS = /^(\d{2,3})(\d{2})(\d{2})([NSEW])$/
const KNOWN = new Set(['latitud', 'longitud', 'altitud', 'indicativo', 'nombre', 'indsinop', 'provincia'])

/** AEMET's inventory of stations: everything is text, provinces are spelt in several ways, and it has no date. */
export const aemetStations = defineFeed({
  id: 'aemet_stations',
  domain: 'weather',
  source: aemet,
  into: [weatherStations],
  every_s: 86_400,
  plans: [{ requests: [aemetRequest('stations', 'valores/climatologicos/inventarioestaciones/todasestaciones', 8_000_000)] }],
  freshBy: 'fetch',
  // It has grown from 291 stations in 2023 to 947 in 2026.
  bands: { weather_stations: { atLeast: 100, minRatio: 0.8, maxRatio: 1000 } },
  rows: readInventory,
})

function* readInventory(bodies: readonly FeedBody[], _clock: FeedClock, notes: Notes): Generator<Batch> {
  const presence = watchPresence<Station>('stations', {
    'a province that is known': (station) => station.province_code !== null,
    'an altitud': (station) => station.altitude_m !== null,
    'an indsinop': (station) => station.synop_code !== null,
    'a position': (station) => station.position !== null,
  })
  const watch = watchKeys('aemet_station_key', KNOWN, notes)
  for (const body of bodies) {
    const stations: Station[] = []
    for (const record of readRecords(body)) {
      watch(record)
      const [station_id, name] = [textOf(record, 'indicativo'), textOf(record, 'nombre')]
      if (station_id === null || name === null) {
        notes.quarantine(weatherStations, station_id === null ? 'no indicativo' : 'no nombre', JSON.stringify(record).slice(0, 300))
        continue
      }
      const station = stationOf(record, { station_id, name }, notes)
      presence.see(station)
      stations.push(station)
    }
    yield batch(weatherStations, stations)
  }
  presence.end()
}

function stationOf(record: AemetRecord, { station_id, name }: Pick<Station, 'station_id' | 'name'>, notes: Notes): Station {
  const [lat, lon] = [degrees(textOf(record, 'latitud')), degrees(textOf(record, 'longitud'))]
  if (lat === null || lon === null) notes.warn('station: latitud or longitud is no ddmmss with N, S, E or W')
  const place = resolvePlace(
    { province: textOf(record, 'provincia'), position: lat === null || lon === null ? null : { lat, lon } },
    (problem) => notes.warn(`station: ${problem}`),
  )
  return {
    source: aemet.id,
    listing: 'INVENTORY',
    station_id,
    name,
    province_code: place.province_code,
    municipality_code: place.municipality_code,
    altitude_m: commaNumber(textOf(record, 'altitud') ?? ''),
    synop_code: textOf(record, 'indsinop'),
    position: place.position,
  }
}

/** Decimal degrees to six places, of degrees, minutes and seconds; null for any other text. */
function degrees(text: string | null): number | null {
  const [, whole, minutes, seconds, half] = DMS.exec(text ?? '') ?? []
  if (whole === undefined || Number(minutes) > 59 || Number(seconds) > 59) return null
  const value = Math.round((Number(whole) + Number(minutes) / 60 + Number(seconds) / 3600) * 1e6) / 1e6
  return half === 'S' || half === 'W' ? -value : value
}
