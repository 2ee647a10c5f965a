import { utils, write } from '@e965/xlsx'
import { capturesNamed } from '../../define.ts'
import { fixtureStandIn, type RecordPlace } from '../../fixture.ts'
import { ministryStamp } from '../../formats/ministry-json.ts'
import { everyPeriod, type FeedStandIn } from '../../publisher.ts'
import { MARINE_COLUMNS, type MarinePost, marinePosts, marinePriceText } from '../../world/marine-posts.ts'
import { communityOf, ministryName, provinceOf } from '../../world/provinces.ts'
import { localTime } from '../../world/rhythm.ts'

const HALF_HOUR = 1_800_000
const REST = /^\/serviciosrestcarburantes\/precioscarburantes\/postesmaritimos\/?$/i
const SPREADSHEET = '/resources/files/embarcacionesPrecios_es.xls'
/** Columns of the spreadsheet by their names in JSON; all others have the same name in both. */
const SHEET_NAMES: ReadonlyMap<string, string> = new Map([
  ...MARINE_COLUMNS.map(({ json, sheet }) => [json, sheet] as const),
  ...([
    ['C.P.', 'Código postal'],
    ['Longitud (WGS84)', 'Longitud'],
    ['Tipo Venta', 'Tipo venta'],
    ['Remisión', 'Rem.'],
  ] as const),
])

interface PostOf {
  readonly post: MarinePost
  readonly seed: number
}

const coordinate = (degrees: number | undefined): string => degrees?.toFixed(6).replace('.', ',') ?? ''

const rest = fixtureStandIn<PostOf>('marine_fuel', {
  file: 'posts.json',
  items: (world) => world.part(marinePosts).map((post) => ({ post, seed: world.seed })),
  around: (text, { stampedAt }) =>
    text.replace(/("Fecha"\s*:\s*")[^"]*/, (_all, head) => head + ministryStamp(stampedAt).replaceAll('/', '\\/')),
  fields: {
    IDPosteMaritimo: (_id, { item }) => item.post.id,
    Puerto: (_port, { item }) => item.post.port,
    Latitud: (_lat, { item }) => coordinate(item.post.position?.lat),
    'Longitud (WGS84)': (_lon, { item }) => coordinate(item.post.position?.lon),
    'C.P.': (_code, { item }) => `${item.post.municipality.province}001`,
    Localidad: (_town, { item }) => ministryName(item.post.municipality),
    Municipio: (_town, { item }) => ministryName(item.post.municipality),
    Provincia: (_province, { item }) => provinceOf(item.post.municipality.province).ministry,
    IDProvincia: (_province, { item }) => item.post.municipality.province,
    IDCCAA: (_id, { item }) => communityOf(provinceOf(item.post.municipality.province)).ministryId,
    'Tipo Venta': (_sale, { item }) => item.post.sale,
    Rótulo: (_sign, { item }) => item.post.sign,
    ...Object.fromEntries(
      MARINE_COLUMNS.map(({ json }) => [
        json,
        (_price: string, { item, edition }: RecordPlace<PostOf>) =>
          marinePriceText(item.seed, item.post, json, localTime(edition.publishedAt).dayNumber),
      ]),
    ),
  },
  hosts: ['energia.serviciosmin.gob.es', 'sedeaplicaciones.minetur.gob.es', 'geoportalgasolineras.es'],
  route(path) {
    if (path === SPREADSHEET) return 'spreadsheet'
    return REST.test(path) ? 'national' : null
  },
  publishedAt: everyPeriod(HALF_HOUR, 45, 90),
  contentType: 'application/json; charset=utf-8',
  contentTypes: { spreadsheet: 'application/vnd.ms-excel' },
  validators: 'none',
  headers: { 'Cache-Control': 'private', 'Access-Control-Allow-Origin': '*' },
  captures: {
    folder: 'miteco-postes-maritimos',
    // embarcacionesPrecios_es_20251102T1600.xls, by Madrid's clock. A capture serves both layouts: the parser detects the layout.
    capturedAt: capturesNamed(/^embarcacionesPrecios_es_\w+\.xls$/),
  },
})

/** The ministry's register of marine fuel: the REST service, and the spreadsheet. */
export const marineRegister: FeedStandIn = {
  ...rest,
  write(world, edition) {
    const json = String(rest.write(world, edition))
    return edition.resource === 'spreadsheet' ? spreadsheetOf(json, edition.stampedAt) : json
  },
}

/** The register as an Excel 97 workbook: text cells only, the column names after some lines about the file. */
function spreadsheetOf(json: string, publishedAt: number): Buffer {
  const { ListaEESSPrecio: records } = JSON.parse(json) as { readonly ListaEESSPrecio: readonly Readonly<Record<string, string>>[] }
  const names = ['Provincia', ...new Set(records.flatMap((record) => Object.keys(record)))]
  const columns = [...new Set(names)].filter((name) => !name.startsWith('ID') && name !== 'Puerto')
  const rows = [['Fecha:', ministryStamp(publishedAt)], columns.map((name) => SHEET_NAMES.get(name) ?? name)]
  const sheet = utils.aoa_to_sheet([...rows, ...records.map((record) => columns.map((name) => record[name] ?? ''))])
  return write({ SheetNames: ['Page 1'], Sheets: { 'Page 1': sheet } }, { type: 'buffer', bookType: 'biff8' }) as Buffer
}
