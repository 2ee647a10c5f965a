import { renfe } from '../../../lake/datasets/rail/sources.ts'
import { railStock } from '../../../lake/datasets/rail/stock.ts'
import { commaNumber } from '../../formats/numbers.ts'
import { FormatError } from '../define.ts'
import { csvFeed } from '../kit/record-feed.ts'

const COLUMNS = {
  model: 'MODELO',
  purpose: 'PROPOSITO',
  gauge: 'ANCHO VIA',
  speed: 'VELOCIDAD MAXIMA',
  motors: 'MOTORES',
  power: 'POTENCIA TOTAL',
  voltage: 'TENSION',
  mass: 'MASA SIN CARGA',
  length: 'LONGITUD TOTAL',
  seats: 'PLAZAS SENTADAS',
  signalling: 'SEÑALIZACION',
  manufacturer: 'CONSTRUCTOR',
  built: 'UNIDADES CONSTRUIDAS',
  photos: 'FOTOS',
  features: 'PRESTACIONES',
  sheet: 'FICHA TECNICA',
} as const
const TYPES: Readonly<Record<string, string>> = {
  'Pasajeros - Alta Velocidad': 'HIGH_SPEED',
  'Pasajeros - Larga distancia': 'LONG_DISTANCE',
  'Pasajeros - Media distancia - Alta Velocidad': 'MEDIUM_DISTANCE_HIGH_SPEED',
  'Pasajeros - Media distancia': 'MEDIUM_DISTANCE',
  'Pasajeros - Cercanías - Media distancia': 'COMMUTER_MEDIUM_DISTANCE',
  'Pasajeros - Cercanías': 'COMMUTER',
  Mercancías: 'FREIGHT',
}
/** Units at the end of values, with the factor to the column's unit. */
const UNITS = { gauge: ['m', 1000], speed: ['km/h', 1], power: ['kw', 1], voltage: ['kv', 1000], mass: ['t', 1], length: ['m', 1] } as const
/** The placeholder for seats if the formation varies. */
const VARIES = 'variable'

/** Renfe's list of train models. It is years old and hardly changes. */
export const renfeMaterial = csvFeed({
  id: 'renfe_material',
  source: renfe,
  into: railStock,
  every_s: 7 * 86_400,
  get: {
    url: 'https://data.renfe.com/dataset/d5524151-d959-40a0-a3ba-4546e7533b11/resource/4877096a-160f-4fb2-925d-d261b51a065f/download/informacion-trenes.csv',
    maxBytes: 2_000_000,
  },
  freshBy: 'fetch',
  band: { atLeast: 10, minRatio: 0.7 },
  columns: COLUMNS,
  knows: ['VIDEO'],
  needs: ['model', 'purpose'],
  nonEmptyFields: ['gauge', 'speed', 'power', 'voltage', 'mass', 'length', 'seats', 'built'],
  requireAny: { 'a series in its name': ({ series }) => series !== null },
  row(r) {
    const measured = (field: keyof typeof UNITS): number[] => measuresOf(r.text(field), field)
    const seats = r.text('seats')
    const places = seatsOf(seats)
    return {
      source: renfe.id,
      model: r.text('model'),
      purpose: r.text('purpose'),
      series: /\d{3,4}/.exec(r.text('model'))?.[0] ?? null,
      stock_type: r.code('purpose', TYPES),
      gauges_mm: measured('gauge'),
      top_speeds_kmh: measured('speed'),
      powers_kw: measured('power'),
      voltages_v: measured('voltage'),
      motors: r.text('motors'),
      mass_t: onlyOne(measured('mass'), 'mass'),
      length_m: onlyOne(measured('length'), 'length'),
      seats_min: places.length > 0 ? Math.min(...places) : null,
      seats_max: places.length > 0 ? Math.max(...places) : null,
      seats,
      signalling: r.text('signalling'),
      manufacturer: r.text('manufacturer'),
      units_built: r.integer('built'),
      is_accessible: null,
      photos_url: r.text('photos'),
      features_url: r.text('features'),
      sheet_url: r.text('sheet'),
    }
  },
})

/**
 * The numbers of `1,435 m - 1,668 m` in the column's unit. Blanks can be anywhere (`70, 21 m`, `180 Km /h`), and case differs.
 */
function measuresOf(text: string | null, field: keyof typeof UNITS): number[] {
  if (text === null) return []
  const [unit, scale] = UNITS[field]
  return text.split(' - ').map((part) => {
    const plain = part.replaceAll(' ', '').toLowerCase()
    const number = plain.endsWith(unit) ? commaNumber(plain.slice(0, -unit.length)) : Number.NaN
    if (number === null || Number.isNaN(number)) throw new FormatError(`${COLUMNS[field]} is no number of ${unit}`)
    return scale === 1 ? number : Math.round(number * scale)
  })
}

function onlyOne(values: readonly number[], field: keyof typeof UNITS): number | null {
  if (values.length > 1) throw new FormatError(`${COLUMNS[field]} has several values`)
  return values[0] ?? null
}

/** Seat counts: one, two with a slash, or none if it varies or is not stated. */
function seatsOf(text: string | null): number[] {
  if (text === null || text.toLowerCase() === VARIES) return []
  if (!/^\d+(\/\d+)*$/.test(text)) throw new FormatError(`${COLUMNS.seats} is no number of seats`)
  return text.split('/').map(Number)
}
