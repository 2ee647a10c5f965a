import { pick } from '../random.ts'
import type { SpanishAccident } from '../world/accidents.ts'

const two = (part: number): string => String(part).padStart(2, '0')

const CATALAN_HEADER =
  'Any,zona,dat,via,pk,nomMun,nomCom,nomDem,F_MORTS,F_FERITS_GREUS,F_FERITS_LLEUS,F_VICTIMES,F_UNITATS_IMPLICADES,F_VIANANTS_IMPLICADES,F_BICICLETES_IMPLICADES,F_CICLOMOTORS_IMPLICADES,F_MOTOCICLETES_IMPLICADES,F_VEH_LLEUGERS_IMPLICADES,F_VEH_PESANTS_IMPLICADES,F_ALTRES_UNIT_IMPLICADES,F_UNIT_DESC_IMPLICADES,C_VELOCITAT_VIA,D_ACC_AMB_FUGA,D_BOIRA,D_CARACT_ENTORN,D_CARRIL_ESPECIAL,D_CIRCULACIO_MESURES_ESP,D_CLIMATOLOGIA,D_FUNC_ESP_VIA,D_GRAVETAT,D_INFLUIT_BOIRA,D_INFLUIT_CARACT_ENTORN,D_INFLUIT_CIRCULACIO,D_INFLUIT_ESTAT_CLIMA,D_INFLUIT_INTEN_VENT,D_INFLUIT_LLUMINOSITAT,D_INFLUIT_MESU_ESP,D_INFLUIT_OBJ_CALCADA,D_INFLUIT_SOLCS_RASES,D_INFLUIT_VISIBILITAT,D_INTER_SECCIO,D_LIMIT_VELOCITAT,D_LLUMINOSITAT,D_REGULACIO_PRIORITAT,D_SENTITS_VIA,D_SUBTIPUS_ACCIDENT,D_SUBTIPUS_TRAM,D_SUBZONA,D_SUPERFICIE,D_TIPUS_VIA,D_TITULARITAT_VIA,D_TRACAT_ALTIMETRIC,D_VENT,grupDiaLab,hor,grupHor,tipAcc,tipDia'
const CATALAN_COLUMNS = CATALAN_HEADER.split(',')
const DEMARCATIONS: Readonly<Record<string, string>> = { '08': 'Barcelona', '17': 'Girona', '25': 'Lleida', '43': 'Tarragona' }

/** A year's accidents in the Catalan list. */
interface CatalanYear {
  readonly year: number
  readonly accidents: readonly SpanishAccident[]
}

/**
 * Catalonia's file of all years: 58 columns, commas, times as decimals without trailing zeros, kilometres with a decimal comma.
 */
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

/** The time as a number: 9.1 is 09:10, 8 is 08:00. */
function hourOf(hour: number, minute: number): string {
  return String(Number(`${hour}.${two(minute)}`))
}

const quoted = (text: string): string => (text.includes(',') ? `"${text}"` : text)
