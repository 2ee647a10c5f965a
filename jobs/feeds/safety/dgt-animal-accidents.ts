import { DGT_VARIABLES } from '../../../lake/datasets/safety/accident-codebook.ts'
import { animalAccidents } from '../../../lake/datasets/safety/animal-accidents.ts'
import { dgtAccidentFiles } from '../../../lake/datasets/safety/sources.ts'
import { zoneOf } from '../../../lake/places/clocks.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { instantOf } from '../../../lake/schema/time.ts'
import { FormatError, lookUp } from '../define.ts'
import type { RecordReader } from '../kit/reader.ts'
import { csvFeed } from '../kit/record-feed.ts'
import { yearsFrom } from '../periods.ts'
import { editionOf, RECENT_YEARS, severityOf } from './accident.ts'

type AnimalAccident = FeedRow<typeof animalAccidents>

const COLUMNS = {
  id: 'ID_NUM',
  casualty: 'IND_ACCIV',
  killed: 'TOTAL_MU30DF',
  hospitalised: 'TOTAL_HG30DF',
  slight: 'TOTAL_HL30DF',
  date: 'FECHA_ACCIDENTE',
  time: 'HORA_ACCIDENTE',
  year: 'ANYO',
  province: 'PROVINCIA_1F',
  municipality: 'COD_MUNICIPIO',
  road: 'CARRETERA',
  km: 'KM',
  direction: 'SENTIDO_1F',
  road_type: 'TIPO_VIA_3F',
  road_owner: 'TITULARIDAD_VIA_2F',
  animal: 'TIPO_ANIMAL_1F',
  animal_kind: 'TIPO_ANIMAL_2F',
} as const
const NEEDS = ['id', 'killed', 'hospitalised', 'slight', 'date', 'time', 'province'] as const

/** By the names of the roads of either. */
const ROAD_KINDS: Readonly<Record<string, string>> = { '1': 'MOTORWAY', '2': 'OTHER' }
/** By how many there are of either. */
const ANIMALS: Readonly<Record<string, string>> = { '1': 'WILD', '2': 'DOMESTIC' }
const NO_CODE = '0'

const FOLDER =
  'https://www.dgt.es/export/sites/web-DGT/.galleries/downloads/dgt-en-cifras/publicaciones/Ficheros_microdatos_de_accidentalidad_con_animales'
/** The first requested year; it is not known whether files before 2024 exist, whose addresses are known. */
const FIRST_YEAR = 2020

/** Accidents with animals on interurban roads, with victims or only damage: a file per year, DGT's only one with dates. */
export const dgtAnimalAccidents = csvFeed({
  id: 'dgt_animal_accidents',
  source: dgtAccidentFiles,
  into: animalAccidents,
  every_s: 7 * 86_400,
  freshBy: 'fetch',
  get: { name: 'accidents', url: `${FOLDER}/ACC_ANIMALES_2024.csv`, maxBytes: 32_000_000, timeout_ms: 120_000 },
  archive: {
    unit: 'year',
    index: [],
    files: yearsFrom(FIRST_YEAR, (year) => `${FOLDER}/ACC_ANIMALES_${year}.csv`),
    recent: RECENT_YEARS,
  },
  band: { atLeast: 100, minRatio: 0.5 },
  // The edition of 2024 does not end its last line.
  endsLines: false,
  columns: COLUMNS,
  knows: ['IND_ACCDA', 'MES_1F', 'CCAA_1F'],
  needs: NEEDS,
  decimal: 'comma',
  file: ({ name, column }) => ({ edition: editionOf('animals', { name }, column('year').filter(Boolean).map(Number)) }),
  requireAny: {
    'a CARRETERA': ({ road }) => road !== null,
    'a KM': ({ km }) => km !== null,
    'a TIPO_ANIMAL_1F': ({ animal_code }) => animal_code !== null,
  },
  row: (r, { edition }) => rowOf(r, edition),
})

function rowOf(r: RecordReader<keyof typeof COLUMNS, (typeof NEEDS)[number]>, edition: string): AnimalAccident {
  const province_code = r.text('province').padStart(2, '0')
  const [local_date, time] = [r.date('date'), r.text('time')]
  const occurred_at = instantOf(local_date, time, { zone: zoneOf(province_code) })
  if (Number.isNaN(occurred_at)) throw new FormatError('FECHA_ACCIDENTE and HORA_ACCIDENTE are no date and time')
  const harm = { killed: r.integer('killed'), hospitalised: r.integer('hospitalised'), slight: r.integer('slight') }
  const severity = severityOf(harm)
  const is_casualty = severity !== 'NONE'
  const casualty = r.text('casualty')
  if (casualty !== null && is_casualty !== (casualty === '1')) r.warn('IND_ACCIV and the counts of persons disagree')
  const [animal, kind, owner] = [r.text('animal'), r.text('animal_kind'), r.text('road_owner')]
  const [municipality, road, direction] = [r.text('municipality')?.padStart(5, '0') ?? null, r.text('road'), r.text('direction')]
  return {
    source: dgtAccidentFiles.id,
    edition,
    accident_id: r.text('id'),
    occurred_at,
    local_date,
    hour_local: Number(time.split(':')[0]),
    province_code,
    municipality_code: municipality === null || Number(municipality) === 0 ? null : municipality,
    road: road === null || /^no inventariada$/i.test(road) ? null : road,
    km: r.number('km'),
    direction: direction === null ? 'UNKNOWN' : (lookUp(DGT_VARIABLES.direction.values, direction) ?? direction),
    road_type: r.code('road_type', ROAD_KINDS) ?? 'OTHER',
    road_owner: owner === null ? 'OTHER' : (lookUp(DGT_VARIABLES.road_owner.values, owner) ?? owner),
    animal_code: animal === NO_CODE ? null : animal,
    animal_kind: kind === null || kind === NO_CODE ? null : (lookUp(ANIMALS, kind) ?? kind),
    severity,
    is_casualty,
    killed_30d: harm.killed,
    hospitalised_30d: harm.hospitalised,
    slight_30d: harm.slight,
  }
}
