import type { StreetLevel, StreetSection } from '../world/city-sections.ts'
import { localText } from '../world/rhythm.ts'

/** Barcelona's local time without offset, such as `20260824195056`. */
export const BARCELONA_TIME = 'YYYYMMDDhhmmss'

const BARCELONA: Readonly<Record<StreetLevel, string>> = {
  ...{ NONE: '0', VERY_FREE: '1', FREE: '2', DENSE: '3', VERY_DENSE: '4', CONGESTED: '5', CLOSED: '6' },
}

type LevelOf = (section: StreetSection) => StreetLevel

/**
 * Barcelona's live states: a line for each section without a header. With `hasUnknownCodes`, one section in fifty has an unknown
 * state.
 */
export function barcelonaStates(
  sections: readonly StreetSection[],
  { now, soon, stampedAt, hasUnknownCodes }: { now: LevelOf; soon: LevelOf; stampedAt: number; hasUnknownCodes: boolean },
): string {
  const stamp = localText(stampedAt, BARCELONA_TIME)
  return sections
    .map((section) => {
      const state = hasUnknownCodes && section.index % 50 === 3 ? '9' : BARCELONA[now(section)]
      return `${section.id}#${stamp}#${state}#${BARCELONA[soon(section)]}\n`
    })
    .join('')
}

/** A line of Barcelona's archive. */
export function barcelonaArchiveLine({ id }: StreetSection, stamp: string, now: StreetLevel | null, soon: StreetLevel): string {
  return `${id},${stamp},${now === null ? '9' : BARCELONA[now]},${BARCELONA[soon]}`
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`

/** Barcelona's catalogue: a row for each point; in the older edition a row for each section. */
export function barcelonaCatalogue(
  sections: readonly StreetSection[],
  { isOldLayout, hasUnknownCodes }: { isOldLayout: boolean; hasUnknownCodes: boolean },
): string {
  const [more, cell] = hasUnknownCodes ? [',Sentit', ',A'] : ['', '']
  if (isOldLayout) {
    const rows = sections.map(({ id, name, line }) => `${id},${quoted(name)},"${line.flat().join(',')}"${cell}\n`)
    return `Tram,Descripció,Coordenades${more}\n${rows.join('')}`
  }
  const rows = sections.flatMap(({ id, name, line }) =>
    line.map(([lon, lat], at) => `${id},${at + 1},${quoted(name)},${lon},${lat}${cell}\n`),
  )
  return `Tram,Tram_Components,Descripció,Longitud,Latitud${more}\n${rows.join('')}`
}

const VALENCIA: Readonly<Record<StreetLevel, number>> = {
  ...{ NONE: 4, VERY_FREE: 0, FREE: 0, DENSE: 1, VERY_DENSE: 1, CONGESTED: 2, CLOSED: 3 },
}

/**
 * València's layer as GeoJSON, with the features in a different order each time. Underpasses of the older edition have their own
 * codes.
 */
export function valenciaLayer(
  sections: readonly StreetSection[],
  { now, order, isOldLayout, hasUnknownCodes }: { now: LevelOf; order: number; isOldLayout: boolean; hasUnknownCodes: boolean },
): string {
  const features = sections.map((section) => {
    const { index, id, name, line } = section
    const isUnderpass = isOldLayout && name.startsWith('PASO INFERIOR')
    const estado = hasUnknownCodes && index % 50 === 3 ? 12 : index === 7 ? null : VALENCIA[now(section)] + (isUnderpass ? 5 : 0)
    const gid = Number(id)
    return {
      type: 'Feature',
      id: gid,
      geometry: index === 11 ? null : { type: 'LineString', coordinates: line },
      properties: { gid, denominacion: name, estado, idtramo: index % 60 === 0 ? 17 : index, fiwareid: `EstadoTrafico_${index}` },
    }
  })
  const from = order % Math.max(1, features.length)
  return JSON.stringify({ type: 'FeatureCollection', features: [...features.slice(from), ...features.slice(0, from)] })
}

/** Old timestamps of sections whose data is frozen, as for eleven of Bilbao's. */
const FROZEN = ['2016-04-11 14:30:00.0', '2018-05-23 10:10:00.0', '2019-03-05 12:45:00.0', '2023-11-14 13:40:00.0']
const FROZEN_SECTIONS = 11

/** The measurements of a section of Bilbao. */
export interface BilbaoReading {
  readonly intensity: number
  readonly occupancy: number
  readonly speed: number
}

/** Bilbao's sections as GeoJSON: a polygon around each, all values as text. */
export function bilbaoLayer(
  sections: readonly StreetSection[],
  { read, stampedAt, hasUnknownCodes }: { read: (section: StreetSection) => BilbaoReading; stampedAt: number; hasUnknownCodes: boolean },
): string {
  const features = sections.map((section) => {
    const { index, id } = section
    const isFrozen = index < FROZEN_SECTIONS
    const { intensity, occupancy, speed } = isFrozen ? { intensity: 0, occupancy: 0, speed: 0 } : read(section)
    const properties = {
      CodigoSeccion: id,
      Ocupacion: String(occupancy),
      Intensidad: String(intensity),
      Velocidad: String(speed),
      FechaHora: isFrozen ? (FROZEN[index % FROZEN.length] as string) : localText(stampedAt, 'YYYY-MM-DD hh:mm:ss.0'),
      ...(hasUnknownCodes ? { Sentido: '1' } : {}),
    }
    const ring = ringAround(section)
    const geometry =
      index === 12
        ? { type: 'MultiPolygon', coordinates: [[ring], [ring.map(([lon, lat]) => [lon + 0.002, lat] as const)]] }
        : { type: 'Polygon', coordinates: [ring] }
    return { type: 'Feature', properties, geometry }
  })
  return JSON.stringify({ type: 'FeatureCollection', features })
}

/** A narrow polygon around a section, clockwise as in Bilbao's data. */
function ringAround({ line }: StreetSection): readonly (readonly [number, number])[] {
  const [[lon, lat], [toLon, toLat]] = [line[0], line[1]] as unknown as [[number, number], [number, number]]
  const [dx, dy] = [(toLat - lat) * 0.05, (lon - toLon) * 0.05]
  const corners = [
    [lon - dx, lat - dy],
    [toLon - dx, toLat - dy],
    [toLon + dx, toLat + dy],
    [lon + dx, lat + dy],
    [lon - dx, lat - dy],
  ] as const
  return corners.toReversed()
}
