import { BARCELONA_VARIABLES } from '../../../lake/datasets/safety/accident-codebook.ts'
import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import { barcelona } from '../../../lake/datasets/safety/sources.ts'
import { listRequest } from '../../formats/ckan.ts'
import { ED50_ERROR_M, ed50UtmToPoint } from '../../formats/ed50.ts'
import { FormatError } from '../define.ts'
import { csvFeed } from '../kit/record-feed.ts'
import { type Accident, accidentOf, codedBy, editionOf, listedYears, RECENT_YEARS, spanOf, weekdayOf } from './accident.ts'

/** UTM 31N box (ED50) of the city with a margin, metres. */
const BOX = { west: 418_000, east: 440_000, south: 4_570_000, north: 4_595_000 }
/** The table of accidents, among those of persons, vehicles and causes; the year is before or after. */
const ACCIDENTS = /\/(?:(\d{4})_accidents_gu_bcn(?:_\d{4})?|accidents_gu_bcn_(\d{4}))\.csv$/i
const FIRST_YEAR = 2010

/**
 * Accidents attended by the Guàrdia Urbana of Barcelona: a file per year, a row per accident, listed by the city's portal
 * (CKAN). Coordinates are ED50 / UTM 31N, whatever the header states; the files of 2010 to 2015 have the northing under X.
 */
export const barcelonaAccidents = csvFeed({
  id: 'barcelona_accidents',
  source: barcelona,
  into: roadAccidents,
  every_s: 7 * 86_400,
  freshBy: 'fetch',
  get: {
    name: 'accidents',
    url: 'https://opendata-ajuntament.barcelona.cat/data/dataset/e769eb9d-d778-4cd7-9e3a-5858bba49b20/resource/bcfc0866-7e2a-4054-9a93-fb3f371fc5eb/download/2025_accidents_gu_bcn.csv',
    maxBytes: 32_000_000,
    timeout_ms: 120_000,
  },
  archive: {
    unit: 'year',
    index: [listRequest('https://opendata-ajuntament.barcelona.cat/data/api/3/action/package_show?id=accidents-gu-bcn')],
    files: (index) => listedYears(index, { path: ACCIDENTS, first: FIRST_YEAR, prefers: () => 0 }),
    recent: RECENT_YEARS,
  },
  band: { atLeast: 100, minRatio: 0.9 },
  columns: {
    id: "Numero_expedient | Número d'expedient",
    street: 'Nom_carrer',
    number: 'Num_postal | Num_postal_caption',
    district: 'Nom_districte',
    year: 'NK_Any | Any',
    month: 'Mes_any | Mes de any',
    day: 'Dia_mes | Dia de mes',
    hour: 'Hora_dia | Hora de dia',
    killed: 'Numero_morts | Número de morts',
    slight: 'Numero_lesionats_lleus | Número de lesionats lleus',
    serious: 'Numero_lesionats_greus | Número de lesionats greus',
    vehicles: 'Numero_vehicles_implicats | Número de vehicles implicats',
    cause: 'Descripcio_causa_vianant',
    x: 'Coordenada_UTM_X | Coordenada_UTM_X_ED50',
    y: 'Coordenada_UTM_Y | Coordenada_UTM_Y_ED50',
  },
  knows: [
    ...['Codi_districte', 'Codi_barri | NK barri', 'Nom_barri', 'Codi_carrer', 'Nom_mes', 'Descripcio_torn'],
    ...['Descripcio_dia_setmana', 'Dia_setmana | Dia de setmana', 'Descripcio_tipus_dia', 'Numero_victimes | Número de víctimes'],
    ...['Longitud | Longitud_WGS84', 'Latitud | Latitud_WGS84'],
  ],
  needs: ['id', 'year', 'month', 'day', 'killed', 'serious', 'slight'],
  decimal: 'either',
  emptyValues: ['-1', 'Desconegut'],
  file: ({ name, column }) => ({ edition: editionOf('barcelona', { name }, column('year').filter(Boolean).map(Number)) }),
  duplicateWarning: 'an accident that is in the file twice',
  requireAny: {
    'a position in Barcelona': ({ position }) => position !== null,
    'somebody hurt': ({ is_casualty }) => is_casualty,
  },
  row(r, { edition }) {
    const [year, month, day, hour] = [r.integer('year'), r.integer('month'), r.integer('day'), r.integer('hour')]
    const date = `${year}-${twoDigits(month)}-${twoDigits(day)}`
    const span = spanOf(date, hour === null ? null : twoDigits(hour))
    if (span === null) throw new FormatError('year, month, day and hour are no time')
    const harm = { killed: r.count('killed'), hospitalised: r.count('serious'), slight: r.count('slight') }
    const at = positionOf(r.number('x'), r.number('y'))
    if (at.isOutside) r.warn('coordinates outside the UTM box of Barcelona: position left out')
    return accidentOf(
      {
        source: barcelona.id,
        edition,
        accident_id: r.text('id'),
        year,
        month,
        weekday_iso: weekdayOf(date),
        hour_local: hour,
        province_code: '08',
        municipality_code: '08019',
        is_urban: true,
        street: [r.text('street'), r.text('number')].filter((part) => part !== null).join(', ') || null,
        district: r.text('district'),
        position: at.position,
        location_method: at.position && 'PUBLISHED',
        location_error_m: at.position && ED50_ERROR_M,
        killed_24h: harm.killed,
        hospitalised_24h: harm.hospitalised,
        slight_24h: harm.slight,
        vehicles: r.integer('vehicles'),
        pedestrian_cause: codedBy(BARCELONA_VARIABLES.pedestrian_cause, r.text('cause'), {}).code,
      },
      { span, harm, absent: at.isOutside ? { position: 'OUTSIDE' } : {} },
    )
  },
})

const twoDigits = (part: number): string => String(part).padStart(2, '0')

/** The position of easting and northing, in either order: in this city their ranges do not overlap. */
function positionOf(x: number | null, y: number | null): { readonly position: Accident['position']; readonly isOutside: boolean } {
  // One coordinate without the other is an error; a missing pair is not.
  if (x === null || y === null) return { position: null, isOutside: (x === null) !== (y === null) }
  const [easting, northing] = x > y ? [y, x] : [x, y]
  const isInside = easting > BOX.west && easting < BOX.east && northing > BOX.south && northing < BOX.north
  return { position: isInside ? ed50UtmToPoint(easting, northing, 31) : null, isOutside: !isInside }
}
