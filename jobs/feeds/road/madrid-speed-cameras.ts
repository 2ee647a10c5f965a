import { speedCameras } from '../../../lake/datasets/road/cameras.ts'
import { madrid } from '../../../lake/datasets/road/sources.ts'
import { utmToPoint } from '../../../lake/places/utm.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import { csvFeed } from '../kit/record-feed.ts'
import { isDesignation } from './designation.ts'
import { namedPlace } from './named-place.ts'

/** A box around the city, in degrees: cells of a few rows are shifted, so other numbers may be in the columns of positions. */
const CITY = { south: 40.3, north: 40.65, west: -3.9, east: -3.5 } as const
const UTM_ZONE = 30
/** A kilometre: `0+500`, `4+000`. */
const KILOMETRE = /(\d{1,3})\+(\d{3})/g

/** The speed cameras of Madrid's streets, fixed and of sections. */
export const madridSpeedCameras = csvFeed({
  id: 'madrid_speed_cameras',
  source: madrid,
  into: speedCameras,
  every_s: 86_400,
  get: { url: 'https://datos.madrid.es/egob/catalogo/300049-0-radares-fijos-moviles.csv', maxBytes: 2_000_000 },
  band: { atLeast: 1 },
  freshBy: 'fetch',
  decimal: 'either',
  // The header of 2024 is `RADAR`; `Carretara` is the publisher's own spelling.
  columns: {
    ...{ id: 'Nº RADAR | RADAR', name: 'Ubicacion', road: 'Carretara o vial | Carretera o vial', km: 'PK', towards: 'Sentido' },
    ...{ type: 'Tipo', lanes: 'Carril', fromLon: 'Longitud inicio tramo', fromLat: 'Latitud inicio tramo' },
    ...{ x: 'X (WGS84)', y: 'Y (WGS84)', lon: 'Longitud', lat: 'Latitud', limit: 'Velocidad límite' },
  },
  knows: ['UBICACIÓN Calle 30', 'Responsable', 'Coordenadas'],
  needs: ['id'],
  nonEmptyFields: ['name', 'road', 'type', 'lon', 'lat'],
  requireAny: { 'a position in Madrid': ({ position }) => position !== null },
  row: (r) => {
    const tipo = r.text('type') ?? ''
    const isSection = /tramo/i.test(tipo)
    if (!isSection && !/^fijo/i.test(tipo) && tipo !== '') r.unknownCode('madrid_tipo', tipo)
    const here = inCity(r.number('lat'), r.number('lon')) ?? inCity(...degreesOf(r.number('x'), r.number('y')))
    if (here === null) r.warn('no position in the city: left out')
    const begin = isSection ? inCity(r.number('fromLat'), r.number('fromLon')) : here
    const street = r.text('road')
    const road = street !== null && isDesignation(street) ? street : null
    const [km = null, km_to = null] = road === null ? [] : kilometresOf(r.cell('km') ?? '')
    return {
      source: madrid.id,
      speed_camera_id: r.text('id'),
      type: isSection ? 'SECTION' : 'FIXED',
      name: r.text('name'),
      ...{ road, km, km_to, direction: km === null || km_to === null ? 'UNKNOWN' : km < km_to ? 'POSITIVE' : 'NEGATIVE' },
      source_direction: r.text('towards'),
      lanes: r.text('lanes'),
      speed_limit_kmh: r.integer('limit'),
      ...namedPlace(r.place({ position: begin ?? here })),
      to: isSection && begin !== null ? here : null,
    }
  },
})

/** A position in the city; null for any other numbers. */
function inCity(lat: number | null, lon: number | null): Point | null {
  if (lat === null || lon === null) return null
  return lat >= CITY.south && lat <= CITY.north && lon >= CITY.west && lon <= CITY.east ? { lat, lon } : null
}

/** Degrees of UTM coordinates, which the header calls WGS84. */
function degreesOf(x: number | null, y: number | null): [number | null, number | null] {
  if (x === null || y === null) return [null, null]
  const { lat, lon } = utmToPoint(x, y, UTM_ZONE)
  return [lat, lon]
}

/** The kilometres of a cell: one, or both ends of a section. A number alone is a kilometre of a road. */
function kilometresOf(text: string): number[] {
  const found = [...text.matchAll(KILOMETRE)].map(([, km, metres]) => Number(km) + Number(metres) / 1000)
  return found.length === 0 && /^\d{1,3}$/.test(text) ? [Number(text)] : found
}
