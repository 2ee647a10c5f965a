import { createHash } from 'node:crypto'
import { CATALAN_VARIABLES } from '../../../lake/datasets/safety/accident-codebook.ts'
import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import { sctAccidentList } from '../../../lake/datasets/safety/sources.ts'
import { municipalityByName } from '../../../lake/places/municipalities.ts'
import { provinceByName } from '../../../lake/places/provinces.ts'
import { FormatError } from '../define.ts'
import type { RecordReader } from '../kit/reader.ts'
import { csvFeed } from '../kit/record-feed.ts'
import { accidentOf, codedBy, codedIf, spanOf, weekdayOf } from './accident.ts'

/** Source columns with a list of values, by our columns. */
const CODED = Object.fromEntries(Object.entries(CATALAN_VARIABLES).map(([column, { variable }]) => [column, variable])) as Readonly<
  Record<keyof typeof CATALAN_VARIABLES, string>
>
const COLUMNS = {
  date: 'dat',
  hour: 'hor',
  road: 'via',
  km: 'pk',
  municipality: 'nomMun',
  province: 'nomDem',
  killed: 'F_MORTS',
  serious: 'F_FERITS_GREUS',
  slight: 'F_FERITS_LLEUS',
  units: 'F_UNITATS_IMPLICADES',
  pedestrians: 'F_VIANANTS_IMPLICADES',
  ...CODED,
} as const
const NEEDS = ['date', 'killed', 'serious', 'slight'] as const
/** The list's texts for "not specified". */
const UNTOLD = ['Sense especificar', 'Sense Especificar'] as const
/** A country track in the place of a road; its kilometre is 0. */
const TRACK = 'CR'
/** Kilometres above this exist on no road. */
const MOST_KM = 2000

/**
 * Accidents in Catalonia with persons killed or seriously injured, since 2010: one file of all years, without ids and
 * coordinates. Deaths are counted within 24 hours, as in the Servei Català de Trànsit's own figures.
 */
export const cataloniaAccidents = csvFeed({
  id: 'catalonia_accidents',
  source: sctAccidentList,
  into: roadAccidents,
  every_s: 7 * 86_400,
  freshBy: 'fetch',
  get: {
    name: 'accidents',
    url: 'https://analisi.transparenciacatalunya.cat/api/views/rmgc-ncpb/rows.csv?accessType=DOWNLOAD',
    maxBytes: 64_000_000,
    timeout_ms: 120_000,
  },
  band: { atLeast: 100, minRatio: 0.9 },
  columns: COLUMNS,
  knows: [
    'Any',
    ...['F_VICTIMES', 'F_BICICLETES_IMPLICADES', 'F_CICLOMOTORS_IMPLICADES', 'F_MOTOCICLETES_IMPLICADES', 'F_VEH_LLEUGERS_IMPLICADES'],
    ...['F_VEH_PESANTS_IMPLICADES', 'F_ALTRES_UNIT_IMPLICADES', 'F_UNIT_DESC_IMPLICADES', 'C_VELOCITAT_VIA', 'nomCom'],
    ...['grupDiaLab', 'grupHor', 'tipAcc', 'tipDia', 'D_ACC_AMB_FUGA', 'D_BOIRA', 'D_CARACT_ENTORN', 'D_CARRIL_ESPECIAL'],
    ...['D_CIRCULACIO_MESURES_ESP', 'D_FUNC_ESP_VIA', 'D_GRAVETAT', 'D_INFLUIT_BOIRA', 'D_INFLUIT_CARACT_ENTORN', 'D_INFLUIT_CIRCULACIO'],
    ...['D_INFLUIT_ESTAT_CLIMA', 'D_INFLUIT_INTEN_VENT', 'D_INFLUIT_LLUMINOSITAT', 'D_INFLUIT_MESU_ESP', 'D_INFLUIT_OBJ_CALCADA'],
    ...['D_INFLUIT_SOLCS_RASES', 'D_INFLUIT_VISIBILITAT', 'D_LIMIT_VELOCITAT', 'D_REGULACIO_PRIORITAT', 'D_SENTITS_VIA'],
    ...['D_TRACAT_ALTIMETRIC', 'D_VENT'],
  ],
  needs: NEEDS,
  decimal: 'comma',
  emptyValues: ['NA', 'SE', '999999', ...UNTOLD],
  file: () => idMaker(),
  requireAny: {
    'a municipality': (one) => one.municipality_code !== null,
    'a D_SUBTIPUS_ACCIDENT': (one) => one.accident_type !== null,
    'a hor': (one) => one.hour_local !== null,
  },
  row: (r, id) => rowOf(r, id(r.record())),
})

type Reader = RecordReader<keyof typeof COLUMNS, (typeof NEEDS)[number]>

/** Makes ids from an accident's fields; identical accidents get a number at the end. */
function idMaker(): (record: readonly unknown[]) => string {
  const seen = new Map<string, number>()
  return (record) => {
    const id = createHash('sha256').update(record.join('\u0000')).digest('hex').slice(0, 16)
    const count = (seen.get(id) ?? 0) + 1
    seen.set(id, count)
    return count === 1 ? id : `${id}-${count}`
  }
}

function rowOf(r: Reader, id: string): ReturnType<typeof accidentOf> {
  const date = r.date('date')
  const time = r.parsed<string | number>('hour', 'time', timeOf) as string | null
  const span = spanOf(date, time)
  if (span === null) throw new FormatError('dat and hor are no date and time')
  const year = date.slice(0, 4)
  const absent: Record<string, string> = {}
  const code = (column: keyof typeof CATALAN_VARIABLES): string | null => codedBy(CATALAN_VARIABLES[column], r.text(column), {}).code
  const flag = (column: 'is_urban' | 'is_junction'): boolean | null => {
    const unknown = (value: string): void => r.unknownCode(`sct_${CODED[column].toLowerCase()}`, value)
    return codedIf(CATALAN_VARIABLES[column], r.text(column), { absent: {}, unknown }).is
  }
  for (const column of Object.keys(CODED) as (keyof typeof CODED)[]) if (r.isOneOf(column, UNTOLD)) absent[column] = 'NOT_SPECIFIED'
  const province = provinceByName(r.text('province') ?? '')?.code ?? null
  const municipality = province === null ? null : (municipalityByName(r.text('municipality') ?? '', province)?.code ?? null)
  if (municipality === null) r.warn(`unknown municipality ${r.text('municipality')}`)
  const harm = { killed: r.integer('killed'), hospitalised: r.integer('serious'), slight: r.integer('slight') }
  const road = r.text('road')
  if (road === TRACK) absent['road'] = 'NOT_APPLICABLE'
  const [units, pedestrians] = [r.integer('units'), r.integer('pedestrians')]
  return accidentOf(
    {
      source: sctAccidentList.id,
      edition: 'catalonia',
      accident_id: `${year}-${id}`,
      year: Number(year),
      month: Number(date.slice(5, 7)),
      weekday_iso: weekdayOf(date),
      hour_local: time === null ? null : Number(time.slice(0, 2)),
      province_code: province,
      municipality_code: municipality,
      zone: code('zone'),
      is_urban: flag('is_urban'),
      road: road === TRACK ? null : road,
      km: road === TRACK ? null : kmOf(r),
      road_owner: code('road_owner'),
      road_type: code('road_type'),
      accident_type: code('accident_type'),
      is_junction: flag('is_junction'),
      junction_type: code('junction_type'),
      surface: code('surface'),
      light: code('light'),
      weather: code('weather'),
      killed_24h: harm.killed,
      hospitalised_24h: harm.hospitalised,
      slight_24h: harm.slight,
      // Pedestrians are units, too.
      vehicles: units === null ? null : Math.max(0, units - (pedestrians ?? 0)),
    },
    { span, harm, absent },
  )
}

/** Hours and minutes of a number that lost its trailing zeros: `9.1` is 09:10, `8` is 08:00; NaN if not a time. */
function timeOf(text: string): string | number {
  const [, hours = '', minutes = ''] = /^(\d{1,2})(?:[.,](\d{1,2}))?$/.exec(text) ?? []
  if (hours === '' || Number(hours) > 23 || Number(minutes.padEnd(2, '0')) > 59) return Number.NaN
  return `${hours.padStart(2, '0')}:${minutes.padEnd(2, '0')}`
}

function kmOf(r: Reader): number | null {
  const km = r.number('km')
  if (km === null || (km >= 0 && km <= MOST_KM)) return km
  r.warn('pk is no kilometre point: left out')
  return null
}
