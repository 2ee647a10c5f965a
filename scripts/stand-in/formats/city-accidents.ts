import { between, pick } from '../random.ts'
import type { CityAccident } from '../world/accidents.ts'
import { MADRID_STREETS } from '../world/madrid-streets.ts'
import { writeXlsx } from './xlsx.ts'

const TYPES = [
  'Alcance',
  'Colisión fronto-lateral',
  'Colisión lateral',
  'Choque contra obstáculo fijo',
  'Atropello a persona',
  'Caída',
  'Otro',
]
const WEATHER = ['Despejado', 'Despejado', 'Despejado', 'Nublado', 'Lluvia débil', 'LLuvia intensa', 'Se desconoce', '']
const DISTRICTS = ['CENTRO', 'ARGANZUELA', 'RETIRO', 'SALAMANCA', 'CHAMARTÍN', 'TETUÁN', 'CHAMBERÍ']
const SLIGHT = ['1', '2', '5', '6', '7']
const two = (part: number): string => String(part).padStart(2, '0')

/** Content of the file. */
interface CityFile {
  readonly year: number
  readonly accidents: readonly CityAccident[]
  readonly hasUnknownCodes: boolean
}

/** A person in an accident of Madrid. */
interface Involved {
  readonly accident: CityAccident
  readonly district: number
  readonly street: string
  readonly number: number
  readonly type: string
  readonly weather: string
  readonly harm: string
  readonly isLocated: boolean
}

/** The persons in Madrid's accidents, in order. */
function involvedIn({ accidents, hasUnknownCodes }: CityFile): Involved[] {
  return accidents.flatMap((accident) => {
    const { dice, index } = accident
    const district = between(1, DISTRICTS.length, dice())
    const street = `CALL. ${pick(MADRID_STREETS, dice()).toUpperCase()}`
    const type = hasUnknownCodes && index % 50 === 3 ? 'Meteorito' : pick(TYPES, dice())
    const place = { accident, district, street, number: between(1, 200, dice()), type, weather: pick(WEATHER, dice()) }
    // More than half of the accidents that the police attends injure nobody.
    const isHarmless = dice() < 0.55
    const harmed = isHarmless
      ? []
      : [
          ...Array<string>(accident.killed).fill('4'),
          ...Array<string>(accident.serious).fill('3'),
          ...Array.from({ length: accident.slight }, () => pick(SLIGHT, dice())),
        ]
    const others = Array.from({ length: accident.vehicles }, () => pick(['14', ''], dice()))
    const isLocated = dice() >= 0.002
    return [...harmed, ...others].map((harm) => ({ ...place, harm, isLocated }))
  })
}

const MADRID_HEADER =
  'num_expediente;fecha;hora;localizacion;numero;cod_distrito;distrito;tipo_accidente;estado_meteorológico;tipo_vehiculo;tipo_persona;rango_edad;sexo;cod_lesividad;lesividad;coordenada_x_utm;coordenada_y_utm;positiva_alcohol;positiva_droga'
const idOf = (year: number, { index }: CityAccident): string => `${year}S${String(index).padStart(6, '0')}`

/** Madrid's file: a row for each person, byte order mark, CRLF, `;`, integer coordinates, hours of one or two digits. */
export function madridAccidentFile(file: CityFile): string {
  const { year } = file
  const lines = involvedIn(file).map(({ accident, district, street, number, type, weather, harm, isLocated }) => {
    const when = `${two(accident.day)}/${two(accident.month)}/${year};${accident.hour}:${two(accident.minute)}:00`
    const at = isLocated ? `${Math.round(accident.x)};${Math.round(accident.y)}` : ';'
    const place = `${street};${number};${district};${DISTRICTS[district - 1]};${type};${weather}`
    return `${idOf(year, accident)};${when};${place};Turismo;Conductor;De 30 a 34 años;Hombre;${harm};;${at};N;`
  })
  return `\ufeff${[MADRID_HEADER, ...lines].join('\r\n')}\r\n`
}

const MADRID_OLD_HEADER = [
  ...['Nº  EXPEDIENTE', 'FECHA', 'HORA', 'CALLE', 'NÚMERO', 'DISTRITO', 'TIPO ACCIDENTE', 'ESTADO METEREOLÓGICO', 'TIPO VEHÍCULO'],
  ...['TIPO PERSONA', 'RANGO DE EDAD', 'SEXO', 'LESIVIDAD*'],
]

/**
 * Madrid's file in its older layout, a workbook dated `at` (ms): dates and times as numbers, no coordinates, `-` for a missing
 * number.
 */
export function madridAccidentWorkbook(file: CityFile, at: number): Buffer {
  const { year } = file
  const dayZero = Date.UTC(1899, 11, 30)
  const rows = involvedIn(file).map(({ accident, district, street, number, type, weather, harm }) => [
    idOf(year, accident),
    (Date.UTC(year, accident.month - 1, accident.day) - dayZero) / 86_400_000,
    (60 * accident.hour + accident.minute) / 1440,
    street,
    number % 3 === 0 ? '-' : number,
    DISTRICTS[district - 1],
    type,
    weather || null,
    ...['Turismo', 'Conductor', 'DE 30 A 34 AÑOS', 'Hombre', harm === '' ? null : Number(harm)],
  ])
  return writeXlsx([{ name: `${year}_Accidentalidad`, rows: [MADRID_OLD_HEADER, ...rows] }], at)
}
