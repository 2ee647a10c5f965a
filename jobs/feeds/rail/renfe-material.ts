import { renfe } from '../../../lake/datasets/rail/sources.ts'
import { railStock } from '../../../lake/datasets/rail/stock.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { readCsv } from '../../formats/csv.ts'
import { commaNumber } from '../../formats/numbers.ts'
import { decodeText } from '../../formats/text.ts'
import { type Batch, batch, defineFeed, type FeedBody, type FeedClock, FormatError, type Notes } from '../define.ts'
import { lookUp } from '../look-up.ts'
import { watchPresence } from '../presence.ts'

type Model = FeedRow<typeof railStock>

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
type Field = keyof typeof COLUMNS

const TYPES: Readonly<Record<string, string>> = {
  'Pasajeros - Alta Velocidad': 'HIGH_SPEED',
  'Pasajeros - Larga distancia': 'LONG_DISTANCE',
  'Pasajeros - Media distancia - Alta Velocidad': 'MEDIUM_DISTANCE_HIGH_SPEED',
  'Pasajeros - Media distancia': 'MEDIUM_DISTANCE',
  'Pasajeros - Cercanías - Media distancia': 'COMMUTER_MEDIUM_DISTANCE',
  'Pasajeros - Cercanías': 'COMMUTER',
  Mercancías: 'FREIGHT',
}
/** Units that values end in, and what one of them is of the column's unit. */
const UNITS = { gauge: ['m', 1000], speed: ['km/h', 1], power: ['kw', 1], voltage: ['kv', 1000], mass: ['t', 1], length: ['m', 1] } as const
/** What stands in the place of seats where the formation varies. */
const VARIES = 'variable'

/** Renfe's list of its models of trains. It is of years ago and hardly changes. */
export const renfeMaterial = defineFeed({
  id: 'renfe_material',
  domain: 'rail',
  source: renfe,
  into: [railStock],
  every_s: 7 * 86_400,
  plans: [
    {
      requests: [
        {
          name: 'models',
          url: 'https://data.renfe.com/dataset/d5524151-d959-40a0-a3ba-4546e7533b11/resource/4877096a-160f-4fb2-925d-d261b51a065f/download/informacion-trenes.csv',
          accept: 'text/csv',
          maxBytes: 2_000_000,
          maxDecodedBytes: 2_000_000,
          timeout_ms: 60_000,
          expects: 'csv',
        },
      ],
    },
  ],
  freshBy: 'fetch',
  bands: { rail_stock: { atLeast: 10, minRatio: 0.7, maxRatio: 1000 } },
  rows: readModels,
})

function* readModels(bodies: readonly FeedBody[], _clock: FeedClock, notes: Notes): Generator<Batch> {
  for (const body of bodies) {
    const table = readCsv(decodeText(body.bytes), { delimiter: ';', requires: Object.values(COLUMNS), endsLines: true })
    for (const { line, text } of table.misshapen) notes.quarantine(railStock, 'another number of fields', `line ${line}: ${text}`)
    const at = Object.fromEntries(Object.entries(COLUMNS).map(([field, name]) => [field, table.at(name)])) as Record<Field, number>
    const presence = watchPresence<Model>('models', {
      'a series in its name': (model) => model.series !== null,
      'a gauge': (model) => model.gauges_mm.length > 0,
      'a top speed': (model) => model.top_speeds_kmh.length > 0,
      'a power': (model) => model.powers_kw.length > 0,
      'a voltage': (model) => model.voltages_v.length > 0,
      'a mass': (model) => model.mass_t !== null,
      'a length': (model) => model.length_m !== null,
      'a number of seats': (model) => model.seats_min !== null,
      'a number built': (model) => model.units_built !== null,
    })
    const models: Model[] = []
    for (const record of table.records) {
      try {
        const model = modelOf((field) => record[at[field]]?.trim() || null)
        presence.see(model)
        models.push(model)
      } catch (error) {
        if (!(error instanceof FormatError)) throw error
        notes.quarantine(railStock, error.message, record.join(';'))
      }
    }
    presence.end()
    yield batch(railStock, models)
  }
}

function modelOf(text: (field: Field) => string | null): Model {
  const [model, purpose] = [text('model'), text('purpose')]
  if (model === null || purpose === null) throw new FormatError(`no ${model === null ? COLUMNS.model : COLUMNS.purpose}`)
  const measured = (field: keyof typeof UNITS): number[] => measuresOf(text(field), field)
  const seats = text('seats')
  const places = seatsOf(seats)
  const built = text('built')
  if (built !== null && !/^\d+$/.test(built)) throw new FormatError(`${COLUMNS.built} is no whole number`)
  return {
    source: renfe.id,
    model,
    purpose,
    series: /\d{3,4}/.exec(model)?.[0] ?? null,
    stock_type: lookUp(TYPES, purpose) ?? purpose,
    gauges_mm: measured('gauge'),
    top_speeds_kmh: measured('speed'),
    powers_kw: measured('power'),
    voltages_v: measured('voltage'),
    motors: text('motors'),
    mass_t: onlyOne(measured('mass'), 'mass'),
    length_m: onlyOne(measured('length'), 'length'),
    seats_min: places.length > 0 ? Math.min(...places) : null,
    seats_max: places.length > 0 ? Math.max(...places) : null,
    seats,
    signalling: text('signalling'),
    manufacturer: text('manufacturer'),
    units_built: built === null ? null : Number(built),
    is_accessible: null,
    photos_url: text('photos'),
    features_url: text('features'),
    sheet_url: text('sheet'),
  }
}

/** The numbers of `1,435 m - 1,668 m` in the column's unit. Blanks stand anywhere (`70, 21 m`, `180 Km /h`), and case differs. */
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

function onlyOne(values: readonly number[], field: Field): number | null {
  if (values.length > 1) throw new FormatError(`${COLUMNS[field]} has several values`)
  return values[0] ?? null
}

/** Numbers of seats: one, two with a slash, or none where it varies or nothing is said. */
function seatsOf(text: string | null): number[] {
  if (text === null || text.toLowerCase() === VARIES) return []
  if (!/^\d+(\/\d+)*$/.test(text)) throw new FormatError(`${COLUMNS.seats} is no number of seats`)
  return text.split('/').map(Number)
}
