import { capturesNamed, defineStandIn, monthlyOn } from '../../define.ts'
import { fixtureStandIn } from '../../fixture.ts'
import { dgtAccidentTable, dgtDictionary } from '../../formats/dgt-accidents.ts'
import { type Edition, type FeedStandIn, keptOf } from '../../publisher.ts'
import {
  type Accident,
  accidentsOf,
  type CityAccident,
  cityAccidents,
  corrected,
  type SpanishAccident,
  spanishAccidents,
} from '../../world/accidents.ts'
import { localTime } from '../../world/rhythm.ts'

const DGT = '/export/sites/web-DGT/.galleries/downloads/dgt-en-cifras'
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const [FIRST, LAST] = [2010, 2025]
/** Madrid's files have their own numbers in the catalogue entry: 2025 has 34. */
const MADRID_NUMBER = 2025 - 34
const MADRID_FIRST = 2019
const MADRID_ENTRY = '300228-0-accidentes-trafico-detalle'
const madridUrl = (year: number): string =>
  `https://datos.madrid.es/egob/catalogo/300228-${year - MADRID_NUMBER}-accidentes-trafico-detalle.csv`
const BARCELONA_FOLDER = '/data/dataset/e769eb9d-d778-4cd7-9e3a-5858bba49b20/resource'
/** Each file has its own id; that of 2025 is known. */
const barcelonaUrl = (year: number): string =>
  `https://opendata-ajuntament.barcelona.cat${BARCELONA_FOLDER}/${year === LAST ? 'bcfc0866-7e2a-4054-9a93-fb3f371fc5eb' : `00000000-0000-4000-8000-00000000${year}`}/download/${year}_accidents_gu_bcn.csv`

/** A portal's list of files in CKAN's format. */
function ckanList(name: string, files: readonly { readonly name: string; readonly url: string }[]): string {
  return JSON.stringify({
    success: true,
    result: { name, resources: files.map((file) => ({ ...file, format: file.url.split('.').at(-1) })) },
  })
}

function madridList(years: readonly number[]): string {
  // Besides the files of accidents the list has files of their structure.
  const about = {
    name: 'Estructura del conjunto de datos',
    url: 'https://datos.madrid.es/FWProjects/egob/300228/Estructura_Accidentes.pdf',
  }
  return ckanList(MADRID_ENTRY, [about, ...years.map((year) => ({ name: `Accidentes de tráfico. ${year}`, url: madridUrl(year) }))])
}

function barcelonaList(years: readonly number[]): string {
  return ckanList(
    'accidents-gu-bcn',
    years.map((year) => ({ name: `${year}_accidents_gu_bcn.csv`, url: barcelonaUrl(year) })),
  )
}

const yearsFrom = (first: number): number[] => Array.from({ length: LAST - first + 1 }, (_, at) => first + at)

/** The file of a year, if it exists. */
const yearly = (year: number, first: number): ReturnType<FeedStandIn['route']> => (year >= first && year <= LAST ? String(year) : null)

/** Months since 1970 of an edition. */
const numberOf = (publishedAt: number): number => {
  const { year, month } = localTime(publishedAt)
  return 12 * (year - 1970) + month
}

/** The accidents in an edition of a file. */
function editionOf<A extends Accident>(accidents: readonly A[], { publishedAt }: Edition): readonly A[] {
  return corrected(accidents, numberOf(publishedAt))
}

const two = (part: number): string => String(part).padStart(2, '0')

/** Every file is replaced by a corrected one at the first of a month. */
const MONTHLY = { publishedAt: monthlyOn(1) } as const

const table = defineStandIn('dgt_accidents', {
  // The folder, and the case of the extension, differ by year.
  route(path) {
    const [, year] = /\/TABLA[_-]ACCIDENTES[_-](?:20)?(\d\d)\.xlsx$/i.exec(path) ?? []
    return path.startsWith(DGT) && year !== undefined ? yearly(2000 + Number(year), 2016) : null
  },
  ...MONTHLY,
  contentType: XLSX,
  write(world, edition) {
    const year = Number(edition.resource)
    const accidents = keptOf(editionOf(spanishAccidents(world, 'dgt', year, accidentsOf(world, 'spain')), edition), edition.variant)
    return dgtAccidentTable({ year, accidents, at: edition.publishedAt, hasUnknownCodes: edition.variant.hasUnknownCodes })
  },
})

const dictionary = defineStandIn('dgt_accident_dictionary', {
  ...MONTHLY,
  write: (_world, { publishedAt, variant }) => dgtDictionary({ at: publishedAt, variant }),
  captures: {
    folder: 'dgt-accidentes',
    // The date of its commit (provenance in the notes).
    capturedAt: capturesNamed(/^Diccionario_Tabla_Accidentes\.xlsx$/, '2025-12-12'),
  },
})

/** Persons killed, seriously and slightly injured by an animal on the road: nine accidents in ten injure nobody. */
const harmOf = ({ index, killed, serious, slight }: SpanishAccident): readonly number[] =>
  index % 10 === 0 ? [killed, serious, slight] : [0, 0, 0]

const animals = fixtureStandIn<SpanishAccident>('dgt_animal_accidents', {
  ...MONTHLY,
  route(path) {
    const [, year] = /\/ACC_ANIMALES_(\d{4})\.csv$/.exec(path) ?? []
    return path.startsWith(DGT) && year !== undefined ? yearly(Number(year), 2016) : null
  },
  contentType: 'text/csv',
  file: 'ACC_ANIMALES_2024.csv',
  items: (world, edition) =>
    editionOf(spanishAccidents(world, 'animals', Number(edition.resource), accidentsOf(world, 'animals')), edition),
  fields: {
    ID_NUM: (_id, { item, edition }) => Number(edition.resource) * 100_000_000 + item.index,
    IND_ACCDA: (_damageOnly, { item }) => (harmOf(item).some((persons) => persons > 0) ? 0 : 1),
    IND_ACCIV: (_victims, { item }) => (harmOf(item).some((persons) => persons > 0) ? 1 : 0),
    TOTAL_MU30DF: (_killed, { item }) => harmOf(item)[0] as number,
    TOTAL_HG30DF: (_serious, { item }) => harmOf(item)[1] as number,
    TOTAL_HL30DF: (_slight, { item }) => harmOf(item)[2] as number,
    FECHA_ACCIDENTE: (_date, { item, edition }) => `${item.day}/${item.month}/${edition.resource}`,
    HORA_ACCIDENTE: (_time, { item }) => `${item.hour}:${two(item.minute)}`,
    MES_1F: (_month, { item }) => item.month,
    ANYO: (_year, { edition }) => edition.resource,
    PROVINCIA_1F: (_province, { item }) => Number(item.municipality.province),
    COD_MUNICIPIO: (_code, { item }) => (item.index % 3 === 0 ? item.municipality.code : '00000'),
    CARRETERA: (_road, { item }) => (item.road?.name ?? 'No inventariada').slice(0, 15),
    KM: (_km, { item }) => String(item.road?.km ?? 0).replace('.', ','),
  },
  captures: { folder: 'dgt-accidentes', capturedAt: capturesNamed(/^ACC_ANIMALES_2024\.csv/, '2025-12-08') },
})

const madridYears = fixtureStandIn<CityAccident>('madrid_accidents', {
  ...MONTHLY,
  route(path, query) {
    if (path === '/api/3/action/package_show') return query.get('id') === MADRID_ENTRY ? 'list' : null
    const [, number] = /^\/egob\/catalogo\/300228-(\d+)-accidentes-trafico-detalle\.csv$/.exec(path) ?? []
    return number === undefined ? null : yearly(MADRID_NUMBER + Number(number), MADRID_FIRST)
  },
  contentType: 'text/csv',
  contentTypes: { list: 'application/json; charset=utf-8' },
  file: 'accidents.csv',
  items: (world, edition) => editionOf(cityAccidents(world, Number(edition.resource)), edition),
  fields: {
    num_expediente: (_id, { item, edition }) => `${edition.resource}S${String(item.index).padStart(6, '0')}`,
    fecha: (_date, { item, edition }) => `${two(item.day)}/${two(item.month)}/${edition.resource}`,
    hora: (_time, { item }) => `${item.hour}:${two(item.minute)}:00`,
    // More than half of the accidents that the police attends injure nobody.
    cod_lesividad: (_harm, { item }) => (item.killed > 0 ? '4' : item.serious > 0 ? '3' : item.index % 2 === 0 ? '7' : '14'),
    coordenada_x_utm: (_x, { item }) => Math.round(item.x),
    coordenada_y_utm: (_y, { item }) => Math.round(item.y),
  },
  captures: {
    folder: 'madrid-accidentes',
    // Years of an archive, each under its own URL.
    archive: {
      resourceOf: (file) => /^(\d{4})_Accidentalidad/.exec(file)?.[1] ?? null,
      index: 'list',
      list: (years) => madridList(years.map(Number)),
    },
  },
})
const madrid: FeedStandIn = {
  ...madridYears,
  write: (world, edition) => (edition.resource === 'list' ? madridList(yearsFrom(MADRID_FIRST)) : madridYears.write(world, edition)),
}

/** Accidents of a year, at street corners 300 m apart. */
const BARCELONA_ACCIDENTS = 600
const corner = (middle: number, step: number, nth: number): string => (middle + 300 * ((nth % step) - step / 2) + (nth % 7) * 4).toFixed(2)
const barcelonaYears = fixtureStandIn('barcelona_accidents', {
  file: '2025_accidents_gu_bcn.csv',
  records: BARCELONA_ACCIDENTS,
  fields: {
    Numero_expedient: (_id, { nth, edition }) => `${edition.resource}S${String(nth).padStart(6, '0')}    `,
    'NK_ Any': (_year, { edition }) => edition.resource,
    'Mes_ any': (_month, { nth }) => String(1 + (nth % 12)),
    Numero_morts: (_killed, { nth }) => (nth % 40 === 7 ? '1' : '0'),
    Numero_lesionats_greus: (_serious, { nth }) => (nth % 25 === 3 ? '1' : '0'),
    Dia_mes: (_day, { nth }) => String(1 + (nth % 28)),
    Coordenada_UTM_X_ED50: (_x, { nth }) => corner(430_500, 8, nth),
    Coordenada_UTM_Y_ED50: (_y, { nth }) => corner(4_583_000, 9, nth),
  },
  route(path, query) {
    if (path === '/data/api/3/action/package_show') return query.get('id') === 'accidents-gu-bcn' ? 'list' : null
    const [, year] = /^\/data\/dataset\/.*\/download\/(\d{4})_accidents_gu_bcn\.csv$/.exec(path) ?? []
    return year === undefined ? null : yearly(Number(year), FIRST)
  },
  ...MONTHLY,
  contentTypes: { list: 'application/json; charset=utf-8' },
  captures: {
    folder: 'barcelona-accidentes',
    archive: {
      resourceOf: (file) => /^(\d{4})_accidents_gu_bcn\.csv/.exec(file)?.[1] ?? null,
      index: 'list',
      list: (years) => barcelonaList(years.map(Number)),
    },
  },
})
const barcelona: FeedStandIn = {
  ...barcelonaYears,
  write: (world, edition) => (edition.resource === 'list' ? barcelonaList(yearsFrom(FIRST)) : barcelonaYears.write(world, edition)),
}

/** An accident every week from 2010 to 2023. */
const cataloniaDay = (nth: number): string => new Date(Date.UTC(FIRST, 0, 1 + 7 * nth)).toISOString().slice(0, 10)
const catalonia = fixtureStandIn('catalonia_accidents', {
  ...MONTHLY,
  file: 'accidents.csv',
  records: 14 * 52,
  fields: {
    Any: (_year, { nth }) => cataloniaDay(nth).slice(0, 4),
    dat: (_date, { nth }) => cataloniaDay(nth).split('-').toReversed().join('/'),
    pk: (km, { nth }) => (km === '999999' ? km : String(nth % 100)),
    hor: (_hour, { nth }) => String(6 + (nth % 17)),
  },
  captures: { folder: 'catalunya-accidentes', capturedAt: capturesNamed(/^EXCERPT_Accidents_SCT/, '2023-12-01') },
})

/** Publishers of accidents: the traffic authorities of Spain and Catalonia, Madrid and Barcelona. */
export const accidents: readonly FeedStandIn[] = [table, dictionary, animals, madrid, barcelona, catalonia]
