import { gzipSync } from 'node:zlib'
import { indexAreas } from '../../../../lake/places/areas.ts'
import { loadAtlas } from '../../../../lake/places/atlas.ts'
import { locate } from '../../../../lake/places/locate.ts'
import { foldName } from '../../../../lake/places/names.ts'
import { provinceByName } from '../../../../lake/places/provinces.ts'
import { decimalNumber } from '../../../formats/numbers.ts'
import { FormatError } from '../../define.ts'
import type { Layer, NetworkLayers } from './layers.ts'

/** The whole network, or that of one province. */
export type Scope = 'national' | 'province'

/** Which part of the network a part file has. */
export interface PartHead {
  /** Province, edition and scope: `28-2026-07-province`. */
  readonly part: string
  readonly province_code: string
  /** YYYY-MM. */
  readonly edition: string
  readonly scope: Scope
}

/** A part of the network as it is stored: gzipped lines of JSON. `partLines` reads it. */
export interface NetworkPart extends PartHead {
  readonly bytes: Buffer
  readonly sections: number
  readonly posts: number
}

/** The parts of a file, and how many rows are not in them, by reason. */
export interface NetworkParts {
  readonly parts: readonly NetworkPart[]
  readonly leftOut: ReadonlyMap<string, number>
}

/** Names that mean "no code". */
const NO_CODE = new Set(['', 'desconocido', 'no aplicable', 'sin nombre', '997', '998'])
/** A-7, N-634, BV-4023, TE-V-8301, Ma-1, RM-F36, N-121-A, ARA-A1, AS-I, C-1412b. */
const ROAD_CODE = /^[A-Za-zÑñ]{1,4}(?:-[A-Za-z]{1,2})*-?[A-Za-z]?\d{1,5}[A-Za-z]{0,3}(?:-[A-Za-z0-9]{1,3})?$|^[A-Z]{1,3}-[IVX]{1,4}[a-z]?$/
const SECTION_COLUMNS = [
  ...['id_tramo', 'id_vial', 'nombre', 'nombre_alt', 'codigo', 'tipo_tramo', 'tipo_tramd'],
  ...['sentido', 'ncarriles', 'titular', 'estadofisd', 'calzada'],
]
const POST_COLUMNS = ['id_porpk', 'id_ppkk', 'id_vial', 'nombre', 'numero']
const NEEDED = { sections: ['nombre', 'sentido'], posts: ['numero'] }
const MOST_KM = 2000
/** Characters collected before they are packed. */
const PIECE = 1_000_000
/** Coast and borders of the atlas are accurate to some 200 m. */
const COAST_M = 3000
/** Six decimals: a tenth of a metre. */
const FINE = 1e6

/** The province in the name of a provincial file (`RT_ALICANTE_ALACANT_gpkg.zip`); null for other names. */
export function provinceOfFile(name: string): string | null {
  const [, words] = /^rt_(.+?)(?:_(?:gpkg|shp))?(?:\.\w+)?$/i.exec(name) ?? []
  if (words === undefined) return null
  const parts = words.split('_')
  // Both official names, in any order: one of the shares of the words is a name.
  for (let at = parts.length; at > 0; at--) {
    const found = provinceByName(parts.slice(0, at).join(' ')) ?? provinceByName(parts.slice(-at).join(' '))
    if (found) return found.code
  }
  return null
}

/** A road's code, or null if the text is none: empty, a word for "none", or the name of a street. */
export function roadCode(text: string): string | null {
  return NO_CODE.has(foldName(text)) || !ROAD_CODE.test(text) ? null : text
}

/** The kilometre of a post: a number with a decimal comma or point, or `12+300`; null for a house number with letters. */
export function postKm(text: string): number | null {
  const [, whole, metres] = /^(\d{1,4})\+(\d{3})$/.exec(text) ?? []
  const km = whole === undefined ? decimalNumber(text.replace(',', '.')) : Number(whole) + Number(metres) / 1000
  return km >= 0 && km <= MOST_KM ? Math.round(1000 * km) / 1000 : null
}

/**
 * Cuts a network into one part per province: by its file for a provincial file, else by the middle of each section and the
 * position of each post. Only sections with a road code and posts of such roads are kept. `onRow` counts rows as they are read.
 * Throws `FormatError`.
 */
export function partsOf(
  { sections, posts }: Pick<NetworkLayers, 'sections' | 'posts'>,
  from: { readonly province: string | null; readonly edition: string; readonly onRow?: () => void },
): NetworkParts {
  const { province, onRow = () => {} } = from
  const leftOut = new Map<string, number>()
  const leave = (reason: string): void => void leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1)
  const writers = new Map<string, PartWriter>()
  const provinceAt = province === null ? provinceFinder() : () => province
  const writerAt = (at: readonly [number, number]): PartWriter | null => {
    const { position } = locate({ lon: at[0], lat: at[1] })
    const code = position && provinceAt(at)
    if (code === null) return null
    const known = writers.get(code) ?? new PartWriter()
    writers.set(code, known)
    return known
  }
  const roads = new Map<string, string>()
  need(sections, NEEDED.sections)
  for (const { texts, geometry } of sections.rows(SECTION_COLUMNS)) {
    onRow()
    const [
      id = '',
      vial = '',
      name = '',
      other = '',
      code = '',
      type = '',
      typeText = '',
      sense = '',
      lanes = '',
      holder = '',
      state = '',
    ] = texts
    const road = roadCode(name) ?? roadCode(code) ?? roadCode(other)
    if (road === null) {
      leave('sections without a road code')
      continue
    }
    if (vial !== '') roads.set(vial, road)
    const lines = (geometry ?? []).map(rounded).filter((line) => line.length >= 2)
    if (lines.length === 0) leave('sections without a line')
    for (const [part, line] of lines.entries()) {
      const writer = writerAt(line[line.length >> 1] as [number, number])
      if (writer === null) {
        leave('sections outside Spain')
        continue
      }
      const isThere = state === '' || foldName(state) === 'en servicio'
      writer.section([
        's',
        part === 0 ? id : `${id}/${part + 1}`,
        ...[road, typeText || type, numberOf(sense), numberOf(lanes), numberOf(holder), isThere, line.flat()],
      ])
    }
  }
  if (posts) {
    need(posts, NEEDED.posts)
    let number = 0
    for (const { texts, geometry } of posts.rows(POST_COLUMNS)) {
      onRow()
      number++
      const [own = '', other = '', vial = '', name = '', numero = ''] = texts
      const road = roads.get(vial) ?? roadCode(name)
      const km = road === undefined || road === null ? null : postKm(numero)
      const at = geometry?.[0]?.[0]
      const writer = km === null || !at ? null : writerAt(at)
      if (writer && at) writer.post(['p', own || other || String(number), road, km, ...(rounded([at])[0] as [number, number])])
      else if (road === undefined || road === null) leave('house numbers and posts of no road')
      else leave(km === null ? 'posts without a kilometre' : 'posts outside Spain')
    }
  }
  const scope: Scope = province === null ? 'national' : 'province'
  const parts = [...writers].sort(([one], [two]) => (one < two ? -1 : 1))
  return { parts: parts.map(([code, writer]) => writer.part(headOf(code, from.edition, scope))), leftOut }
}

/** What the first line of a part file says. */
export function headOf(province_code: string, edition: string, scope: Scope): PartHead {
  return { part: `${province_code}-${edition}-${scope}`, province_code, edition, scope }
}

/** The edition of a network, YYYY-MM: the last change of its sections. Throws `FormatError` if the file states none. */
export function editionOf({ sections }: Pick<NetworkLayers, 'sections'>): string {
  if (sections.changed === null) throw new FormatError(`${sections.name} states no date; name the edition (--edition 2026-07)`)
  return sections.changed.slice(0, 7)
}

class PartWriter {
  #lines: string[] = []
  #size = 0
  readonly #packed: Buffer[] = []
  #sections = 0
  #posts = 0

  section(values: readonly unknown[]): void {
    this.#sections++
    this.#line(values)
  }

  post(values: readonly unknown[]): void {
    this.#posts++
    this.#line(values)
  }

  part(head: PartHead): NetworkPart {
    this.#pack()
    const first = gzipSync(`${JSON.stringify({ ...head, sections: this.#sections, posts: this.#posts })}\n`)
    return { ...head, bytes: Buffer.concat([first, ...this.#packed]), sections: this.#sections, posts: this.#posts }
  }

  #line(values: readonly unknown[]): void {
    const line = JSON.stringify(values)
    this.#lines.push(line, '\n')
    this.#size += line.length
    if (this.#size > PIECE) this.#pack()
  }

  /** A gzip file may have several members (RFC 1952, 2.2). */
  #pack(): void {
    if (this.#size > 0) this.#packed.push(gzipSync(this.#lines.join(''), { level: 1 }))
    this.#lines = []
    this.#size = 0
  }
}

function need(layer: Layer, columns: readonly string[]): void {
  for (const column of columns)
    if (!layer.columns.has(column))
      throw new FormatError(`${layer.name} has no column ${column}; it has ${[...layer.columns].join(', ').slice(0, 300)}`)
}

/** Codes of "unknown" and "not applicable" (-997, -998) are none. */
function numberOf(text: string): number | null {
  const value = decimalNumber(text.replace(',', '.'))
  return Number.isInteger(value) && value >= 0 ? value : null
}

function rounded(line: readonly (readonly [number, number])[]): [number, number][] {
  const fine = line.map(([lon, lat]): [number, number] => [Math.round(lon * FINE) / FINE, Math.round(lat * FINE) / FINE])
  return fine.filter(([lon, lat], at) => at === 0 || lon !== fine[at - 1]?.[0] || lat !== fine[at - 1]?.[1])
}

/** Finds the province of a position by its municipality; land shared by municipalities is in none of their lists. */
function provinceFinder(): (at: readonly [number, number]) => string | null {
  const { municipalities, provinces } = loadAtlas()
  const [small, large] = [indexAreas(municipalities.filter(({ code }) => code < '53')), indexAreas(provinces)]
  return ([lon, lat]) => {
    const point = { lon, lat }
    const found = small.at(point) ?? large.at(point) ?? small.nearest(point, COAST_M)?.area
    return found ? found.code.slice(0, 2) : null
  }
}
