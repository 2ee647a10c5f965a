import { between, pick } from '../random.ts'
import type { CityAccident, SpanishAccident } from '../world/accidents.ts'
import { MADRID_STREETS } from '../world/madrid-streets.ts'

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

/** Madrid's file: a row for each person, byte order mark, CRLF, `;`, whole coordinates, hours of one digit or two. */
export function madridAccidentFile({ year, accidents, hasUnknownCodes }: CityFile): string {
  const header =
    'num_expediente;fecha;hora;localizacion;numero;cod_distrito;distrito;tipo_accidente;estado_meteorológico;tipo_vehiculo;tipo_persona;rango_edad;sexo;cod_lesividad;lesividad;coordenada_x_utm;coordenada_y_utm;positiva_alcohol;positiva_droga'
  const lines = accidents.flatMap((accident) => {
    const { dice, index } = accident
    const district = between(1, DISTRICTS.length, dice())
    const street = `CALL. ${pick(MADRID_STREETS, dice()).toUpperCase()}`
    const type = hasUnknownCodes && index % 50 === 3 ? 'Meteorito' : pick(TYPES, dice())
    const place = `${street};${between(1, 200, dice())};${district};${DISTRICTS[district - 1]};${type};${pick(WEATHER, dice())}`
    // More than half of what the police attends hurts nobody.
    const isHarmless = dice() < 0.55
    const harmed = isHarmless
      ? []
      : [
          ...Array(accident.killed).fill('4'),
          ...Array(accident.serious).fill('3'),
          ...Array.from({ length: accident.slight }, () => pick(SLIGHT, dice())),
        ]
    const others = Array.from({ length: accident.vehicles }, () => pick(['14', ''], dice()))
    const at = dice() < 0.002 ? ';' : `${Math.round(accident.x)};${Math.round(accident.y)}`
    return [...harmed, ...others].map(
      (code) =>
        `${year}S${String(index).padStart(6, '0')};${two(accident.day)}/${two(accident.month)}/${year};${accident.hour}:${two(accident.minute)}:00;${place};Turismo;Conductor;De 30 a 34 años;Hombre;${code};;${at};N;`,
    )
  })
  return `\ufeff${[header, ...lines].join('\r\n')}\r\n`
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

const CATALAN_HEADER =
  'Any,zona,dat,via,pk,nomMun,nomCom,nomDem,F_MORTS,F_FERITS_GREUS,F_FERITS_LLEUS,F_VICTIMES,F_UNITATS_IMPLICADES,F_VIANANTS_IMPLICADES,F_BICICLETES_IMPLICADES,F_CICLOMOTORS_IMPLICADES,F_MOTOCICLETES_IMPLICADES,F_VEH_LLEUGERS_IMPLICADES,F_VEH_PESANTS_IMPLICADES,F_ALTRES_UNIT_IMPLICADES,F_UNIT_DESC_IMPLICADES,C_VELOCITAT_VIA,D_ACC_AMB_FUGA,D_BOIRA,D_CARACT_ENTORN,D_CARRIL_ESPECIAL,D_CIRCULACIO_MESURES_ESP,D_CLIMATOLOGIA,D_FUNC_ESP_VIA,D_GRAVETAT,D_INFLUIT_BOIRA,D_INFLUIT_CARACT_ENTORN,D_INFLUIT_CIRCULACIO,D_INFLUIT_ESTAT_CLIMA,D_INFLUIT_INTEN_VENT,D_INFLUIT_LLUMINOSITAT,D_INFLUIT_MESU_ESP,D_INFLUIT_OBJ_CALCADA,D_INFLUIT_SOLCS_RASES,D_INFLUIT_VISIBILITAT,D_INTER_SECCIO,D_LIMIT_VELOCITAT,D_LLUMINOSITAT,D_REGULACIO_PRIORITAT,D_SENTITS_VIA,D_SUBTIPUS_ACCIDENT,D_SUBTIPUS_TRAM,D_SUBZONA,D_SUPERFICIE,D_TIPUS_VIA,D_TITULARITAT_VIA,D_TRACAT_ALTIMETRIC,D_VENT,grupDiaLab,hor,grupHor,tipAcc,tipDia'
const CATALAN_COLUMNS = CATALAN_HEADER.split(',')
const DEMARCATIONS: Readonly<Record<string, string>> = { '08': 'Barcelona', '17': 'Girona', '25': 'Lleida', '43': 'Tarragona' }

/** A year's accidents of the Catalan list. */
interface CatalanYear {
  readonly year: number
  readonly accidents: readonly SpanishAccident[]
}

/** Catalonia's file of all years: 58 columns, commas, times as decimals that lost their zeros, kilometres with a comma. */
export function catalanAccidentFile(years: readonly CatalanYear[], hasUnknownCodes: boolean): string {
  const lines = years.flatMap(({ year, accidents }) =>
    accidents
      .filter(({ municipality }) => DEMARCATIONS[municipality.province] !== undefined)
      .map(({ dice, municipality, road, ...accident }) => {
        const [killed, serious] = accident.killed > 0 ? [1, 0] : [0, Math.max(1, accident.serious)]
        const values: Record<string, string | number> = {
          Any: year,
          zona: road ? 'Carretera' : 'Zona urbana',
          dat: `${two(accident.day)}/${two(accident.month)}/${year}`,
          via: road?.name ?? 'SE',
          pk: road ? quoted(String(road.km).replace('.', ',')) : 999_999,
          nomMun: quoted(municipality.name),
          nomCom: 'Comarca',
          nomDem: DEMARCATIONS[municipality.province] as string,
          F_MORTS: killed,
          F_FERITS_GREUS: serious,
          F_FERITS_LLEUS: accident.slight,
          F_VICTIMES: killed + serious + accident.slight,
          F_UNITATS_IMPLICADES: accident.vehicles,
          F_VIANANTS_IMPLICADES: 0,
          C_VELOCITAT_VIA: 100,
          D_BOIRA: "No n'hi ha",
          D_CLIMATOLOGIA: pick(['Bon temps', 'Pluja forta', 'Sense Especificar'], dice()),
          D_GRAVETAT: killed > 0 ? 'Accident mortal' : 'Accident greu',
          D_INTER_SECCIO: pick(['En secció', 'Dintre intersecció', 'Arribant o eixint intersecció fins 50m'], dice()),
          D_LLUMINOSITAT: quoted(
            pick(['De dia, dia clar', 'De nit, sense llum artificial', 'De nit, il·luminació artificial suficient'], dice()),
          ),
          D_SUBTIPUS_ACCIDENT:
            hasUnknownCodes && accident.index % 10 === 3 ? 'Meteorit' : pick(['Encalç', 'Atropellament', 'Col·lisió frontal'], dice()),
          D_SUBZONA: road ? 'Carretera' : 'Zona urbana',
          D_SUPERFICIE: pick(['Sec i net', 'Mullat'], dice()),
          D_TIPUS_VIA: road ? 'Carretera convencional' : 'Via urbana( inclou carrer i carrer residencial)',
          D_TITULARITAT_VIA: road ? 'Estatal' : 'NA',
          hor: hourOf(accident.hour, accident.minute),
        }
        return CATALAN_COLUMNS.map((name) => values[name] ?? 'NA').join(',')
      }),
  )
  return `${[CATALAN_HEADER, ...lines].join('\n')}\n`
}

/** As a number: 9.1 is 09:10, 8 is 08:00. */
function hourOf(hour: number, minute: number): string {
  return String(Number(`${hour}.${two(minute)}`))
}

const quoted = (text: string): string => (text.includes(',') ? `"${text}"` : text)
