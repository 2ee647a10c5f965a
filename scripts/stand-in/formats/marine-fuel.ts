import { utils, write } from '@e965/xlsx'
import { MARINE_COLUMNS, type MarinePost } from '../world/marine-posts.ts'
import { localTime } from '../world/rhythm.ts'
import { members } from './ministry-json.ts'

/** A post, with the texts of its prices by their JSON names. */
export interface PricedPost {
  readonly post: MarinePost
  readonly prices: Readonly<Record<string, string>>
}

const coordinate = (value: number | undefined): string => value?.toFixed(6).replace('.', ',') ?? ''

/** One post in the REST service's format: its fields in the order of 2026. */
export function marinePostJson({ post, prices }: PricedPost): string {
  const { position } = post
  return `{${members([
    ['C.P.', post.postalCode],
    ['Dirección', post.address],
    ['Horario', post.hours],
    ['Latitud', coordinate(position?.lat)],
    ['Localidad', post.municipalityName],
    ['Longitud (WGS84)', coordinate(position?.lon)],
    ['Municipio', post.municipalityName],
    ...MARINE_COLUMNS.map(({ json }) => [json, prices[json] ?? ''] as const),
    ['Provincia', post.provinceName],
    ['Puerto', post.port],
    ['Remisión', post.reporter],
    ['Rótulo', post.sign],
    ['Tipo Venta', post.sale],
    ['IDPosteMaritimo', String(post.id)],
    ['IDMunicipio', String(post.id + 4000)],
    ['IDProvincia', post.municipality.province],
    ['IDCCAA', post.communityId],
  ])}}`
}

/** The spreadsheet of all posts: an Excel 97 workbook, text cells only, column names in the fourth row, one of them empty. */
export function marineSpreadsheet(
  posts: readonly PricedPost[],
  of: { readonly publishedAt: number; readonly unknownColumn: string | null },
): Buffer {
  const { day, month, year, hour, minute } = localTime(of.publishedAt)
  const two = (value: number): string => String(value).padStart(2, '0')
  const header = ['Provincia', 'Municipio', '', 'Localidad', 'Código postal', 'Dirección', 'Longitud', 'Latitud']
  const names = [...header, ...MARINE_COLUMNS.map(({ sheet }) => sheet), 'Rótulo', 'Tipo venta', 'Rem.', 'Horario', of.unknownColumn ?? '']
  const rows = posts.map(({ post, prices }) => [
    ...[post.provinceName, post.municipalityName, '', post.municipalityName, post.postalCode, post.address],
    ...[coordinate(post.position?.lon), coordinate(post.position?.lat)],
    ...MARINE_COLUMNS.map(({ json }) => prices[json] ?? ''),
    ...[post.sign, post.sale, post.reporter, post.hours, of.unknownColumn === null ? '' : 'X'],
  ])
  const about = [
    ['Fecha:', `${two(day)}/${two(month)}/${year} ${two(hour)}:${two(minute)}`],
    ['Descripción:', 'Archivo de todos los productos en todos los postes marítimos.'],
    ['Siglas:', 'Tipo venta - P: Suministro a pesqueros, R: Suministro a barcos deportivos y de recreo, M: Mixta'],
  ]
  const sheet = utils.aoa_to_sheet([...about, names, ...rows])
  return write({ SheetNames: ['Page 1'], Sheets: { 'Page 1': sheet } }, { type: 'buffer', bookType: 'biff8' }) as Buffer
}
