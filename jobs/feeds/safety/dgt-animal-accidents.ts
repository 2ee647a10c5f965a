import { animalAccidents } from '../../../lake/datasets/safety/animal-accidents.ts'
import { dgtAccidentFiles } from '../../../lake/datasets/safety/sources.ts'
import { DGT_VARIABLES } from '../../../lake/datasets/safety/variables.ts'
import { zoneOf } from '../../../lake/places/clocks.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { instantOf } from '../../../lake/schema/time.ts'
import { type CsvTable, readCsv } from '../../formats/csv.ts'
import { commaNumber, wholeNumber } from '../../formats/numbers.ts'
import { decodeText } from '../../formats/text.ts'
import { type Batch, batch, defineFeed, type FeedBody, type FeedClock, FormatError, type Notes } from '../define.ts'
import { lookUp } from '../look-up.ts'
import { watchPresence } from '../presence.ts'
import { severityOf } from './accident.ts'
import { accidentFile, editionOf, RECENT_YEARS, yearsIn } from './yearly-file.ts'

type AnimalAccident = FeedRow<typeof animalAccidents>

const REQUIRED = [
  ...['ID_NUM', 'IND_ACCIV', 'TOTAL_MU30DF', 'TOTAL_HG30DF', 'TOTAL_HL30DF', 'FECHA_ACCIDENTE', 'HORA_ACCIDENTE', 'ANYO', 'PROVINCIA_1F'],
  ...['COD_MUNICIPIO', 'CARRETERA', 'KM', 'SENTIDO_1F', 'TIPO_VIA_3F', 'TITULARIDAD_VIA_2F', 'TIPO_ANIMAL_1F', 'TIPO_ANIMAL_2F'],
] as const
type Field = (typeof REQUIRED)[number]

/** By the names of the roads of either. */
const ROAD_KINDS: Readonly<Record<string, string>> = { '1': 'MOTORWAY', '2': 'OTHER' }
/** By how many there are of either. */
const ANIMALS: Readonly<Record<string, string>> = { '1': 'WILD', '2': 'DOMESTIC' }
const NO_CODE = '0'
const BATCH = 4096

const FOLDER =
  'https://www.dgt.es/export/sites/web-DGT/.galleries/downloads/dgt-en-cifras/publicaciones/Ficheros_microdatos_de_accidentalidad_con_animales'
/** The first year that is asked for; that there are files before 2024, whose address is known, is not. */
const FIRST_YEAR = 2020

/** Accidents with animals on interurban roads, with victims or with damage alone: a file a year, the only one of the DGT that has dates. */
export const dgtAnimalAccidents = defineFeed({
  id: 'dgt_animal_accidents',
  source: dgtAccidentFiles,
  ...accidentFile({
    into: animalAccidents,
    url: `${FOLDER}/ACC_ANIMALES_2024.csv`,
    expects: 'csv',
    maxBytes: 32_000_000,
    atLeast: 100,
    minRatio: 0.5,
  }),
  archive: {
    unit: 'year',
    index: [],
    files: (_index, range) =>
      yearsIn(range, FIRST_YEAR).map((year) => ({ period: String(year), url: `${FOLDER}/ACC_ANIMALES_${year}.csv` })),
    recent: RECENT_YEARS,
  },
  rows: readAccidents,
})

function* readAccidents(bodies: readonly FeedBody[], _clock: FeedClock, notes: Notes): Generator<Batch> {
  for (const body of bodies) {
    // The edition of 2024 does not end its last line.
    const table = readCsv(decodeText(body.bytes), { delimiter: ',', requires: REQUIRED })
    for (const { line, text } of table.misshapen) notes.quarantine(animalAccidents, 'another number of fields', `line ${line}: ${text}`)
    const edition = editionOf(
      'animals',
      body,
      table.records.map((record) => Number(record[table.at('ANYO')])),
    )
    const presence = watchPresence<AnimalAccident>('accidents', {
      'a CARRETERA': (one) => one.road !== null,
      'a KM': (one) => one.km !== null,
      'a TIPO_ANIMAL_1F': (one) => one.animal_code !== null,
    })
    let rows: AnimalAccident[] = []
    for (const record of table.records) {
      try {
        const row = rowOf(record, { table, edition, notes })
        presence.see(row)
        rows.push(row)
      } catch (error) {
        if (!(error instanceof FormatError)) throw error
        notes.quarantine(animalAccidents, error.message, record.join(','))
      }
      if (rows.length < BATCH) continue
      yield batch(animalAccidents, rows)
      rows = []
    }
    presence.end()
    yield batch(animalAccidents, rows)
  }
}

const DATE = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/

function rowOf(
  record: readonly string[],
  { table, edition, notes }: { readonly table: CsvTable; readonly edition: string; readonly notes: Notes },
): AnimalAccident {
  const text = (field: Field): string => record[table.at(field)]?.trim() ?? ''
  const whole = (field: Field): number => {
    const value = wholeNumber(text(field))
    if (value === null || Number.isNaN(value)) throw new FormatError(`${field} is no whole number`)
    return value
  }
  const province_code = text('PROVINCIA_1F').padStart(2, '0')
  const [, day = '', month = '', year = ''] = DATE.exec(text('FECHA_ACCIDENTE')) ?? []
  const local_date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const occurred_at = instantOf(local_date, text('HORA_ACCIDENTE'), { zone: zoneOf(province_code) })
  if (Number.isNaN(occurred_at)) throw new FormatError('FECHA_ACCIDENTE and HORA_ACCIDENTE are no date and time')
  const harm = { killed: whole('TOTAL_MU30DF'), hospitalised: whole('TOTAL_HG30DF'), slight: whole('TOTAL_HL30DF') }
  const severity = severityOf(harm)
  const is_casualty = severity !== 'NONE'
  if (is_casualty !== (text('IND_ACCIV') === '1')) notes.warn('IND_ACCIV and the counts of persons disagree')
  const km = text('KM') === '' ? null : commaNumber(text('KM'))
  const [animal, kind] = [text('TIPO_ANIMAL_1F'), text('TIPO_ANIMAL_2F')]
  const municipality = text('COD_MUNICIPIO').padStart(5, '0')
  return {
    source: dgtAccidentFiles.id,
    edition,
    accident_id: text('ID_NUM'),
    occurred_at,
    local_date,
    hour_local: Number(text('HORA_ACCIDENTE').split(':')[0]),
    province_code,
    municipality_code: Number(municipality) === 0 ? null : municipality,
    road: text('CARRETERA') === '' || /^no inventariada$/i.test(text('CARRETERA')) ? null : text('CARRETERA'),
    km,
    direction: lookUp(DGT_VARIABLES.direction.values, text('SENTIDO_1F')) ?? text('SENTIDO_1F'),
    road_type: lookUp(ROAD_KINDS, text('TIPO_VIA_3F')) ?? text('TIPO_VIA_3F'),
    road_owner: lookUp(DGT_VARIABLES.road_owner.values, text('TITULARIDAD_VIA_2F')) ?? text('TITULARIDAD_VIA_2F'),
    animal_code: animal === NO_CODE ? null : animal,
    animal_kind: kind === NO_CODE ? null : (lookUp(ANIMALS, kind) ?? kind),
    severity,
    is_casualty,
    killed_30d: harm.killed,
    hospitalised_30d: harm.hospitalised,
    slight_30d: harm.slight,
  }
}
