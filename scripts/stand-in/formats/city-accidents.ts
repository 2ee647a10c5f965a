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

/** Which file is written. */
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

/** The persons of Madrid's accidents, one after the other. */
function involvedIn({ accidents, hasUnknownCodes }: CityFile): Involved[] {
  return accidents.flatMap((accident) => {
    const { dice, index } = accident
    const district = between(1, DISTRICTS.length, dice())
    const street = `CALL. ${pick(MADRID_STREETS, dice()).toUpperCase()}`
    const type = hasUnknownCodes && index % 50 === 3 ? 'Meteorito' : pick(TYPES, dice())
    const place = { accident, district, street, number: between(1, 200, dice()), type, weather: pick(WEATHER, dice()) }
    // More than half of what the police attends hurts nobody.
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

/** Madrid's file: a row for each person, byte order mark, CRLF, `;`, whole coordinates, hours of one digit or two. */
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

/** Madrid's file in its older layout, a workbook dated by `at` (ms): days and times as numbers, no coordinates, `-` for no number. */
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

/** Barcelona's file as published today: UTF-8, commas, decimal points, stray blanks in the header, ids padded, ED50 coordinates. */
export function barcelonaAccidentFile({ year, accidents, hasUnknownCodes }: CityFile): string {
  const header =
    'Numero_expedient,Codi_districte,Nom_districte,Codi_barri,Nom_barri,Codi_carrer,Nom_carrer,Num_postal,Descripcio_dia_setmana,NK_ Any,Mes_ any,Nom_mes,Dia_mes,Hora_dia,Descripcio_torn,Descripcio_causa_vianant,Numero_morts,Numero_lesionats_lleus,Numero_lesionats_greus,Numero_victimes,Numero_vehicles_implicats,Coordenada_UTM_X_ED50,Coordenada_UTM_Y_ED50,Longitud_WGS84,Latitud_WGS84'
  const lines = accidents.map(({ dice, index, killed, serious, slight, ...accident }) => {
    const cause = hasUnknownCodes && index % 50 === 3 ? 'Meteorit' : 'No és causa del  vianant'
    const place = pick(['2,Eixample,"Sant Pere, Santa Caterina i la Ribera"', '10,Sant Martí,el Clot', '-1,Desconegut,Desconegut'], dice())
    const [code, district, ...barri] = place.split(',')
    return [
      `${year}S${String(index).padStart(6, '0')}    `,
      ...[
        code,
        district,
        7,
        barri.join(','),
        '018505',
        'Aragó                ',
        between(1, 300, dice()),
        'Dimarts',
        year,
        accident.month,
        'Gener',
      ],
      ...[accident.day, accident.hour, 'Tarda', cause, killed, slight, serious, killed + slight + serious, accident.vehicles],
      ...[accident.x.toFixed(3), accident.y.toFixed(3), '2.16099940', '41.36198056'],
    ].join(',')
  })
  return `${[header, ...lines].join('\n')}\n`
}
