import { gzipSync } from 'node:zlib'
import { roadPosts, roadSections } from '../../../../lake/datasets/road/road-network.ts'
import { indexAreas } from '../../../../lake/places/areas.ts'
import { loadAtlas } from '../../../../lake/places/atlas.ts'
import { locate } from '../../../../lake/places/locate.ts'
import { foldName } from '../../../../lake/places/names.ts'
import { provinceByName } from '../../../../lake/places/provinces.ts'
import type { FeedRow } from '../../../../lake/schema/dataset.ts'
import { decimalNumber } from '../../../formats/numbers.ts'
import { type Batch, batch, type Diagnostics, FormatError } from '../../define.ts'
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

type Section = FeedRow<typeof roadSections>
type Post = FeedRow<typeof roadPosts>

const LINE_FEED = 10
const AT_ONCE = 2000
const TYPES: Readonly<Record<string, string>> = {
  troncal: 'MAIN_LINE',
  enlace: 'LINK',
  rotonda: 'ROUNDABOUT',
  glorieta: 'ROUNDABOUT',
  'via de servicio': 'SERVICE_ROAD',
}
/** Direction of the traffic against the growing kilometres, by the publisher's code; other codes are both ways. */
const DIRECTIONS = new Map([
  [1, 'POSITIVE'],
  [2, 'NEGATIVE'],
])
const STATE = 1

/** The rows of a part file. Throws `FormatError` if it is none, or is cut off. */
export function* partRows(bytes: Buffer, diagnostics: Diagnostics): Generator<Batch> {
  const lines = linesOf(bytes)
  const first = lines.next()
  const head = readHead(first.done ? '' : first.value)
  const { part, province_code } = head
  const common = { part, province_code, published_at: Date.parse(`${head.edition}-01T00:00:00Z`) }
  let [sections, posts]: [Section[], Post[]] = [[], []]
  const counted = { sections: 0, posts: 0 }
  for (const line of lines) {
    const [kind, id, road, ...values] = readLine(line)
    if (kind === 's') {
      counted.sections++
      const [type, sense, lanes, holder, is_in_service, flat] = values as [
        string,
        number | null,
        number | null,
        number | null,
        boolean,
        number[],
      ]
      const geometry = Array.from({ length: flat.length / 2 }, (_, at) => [flat[2 * at] as number, flat[2 * at + 1] as number] as const)
      const section_type = TYPES[foldName(type)] ?? (type === '' ? 'OTHER' : type)
      const direction = DIRECTIONS.get(sense ?? 0) ?? 'BOTH'
      const is_state_road = holder === null ? null : holder === STATE
      sections.push({ ...common, section_id: id, road, section_type, direction, lanes, is_state_road, is_in_service, geometry } as Section)
    } else {
      counted.posts++
      const [km, lon, lat] = values as [number, number, number]
      posts.push({ ...common, post_id: id, road, km, position: { lat, lon } } as Post)
    }
    if (sections.length >= AT_ONCE) {
      yield batch(roadSections, sections)
      sections = []
    }
    if (posts.length >= AT_ONCE) {
      yield batch(roadPosts, posts)
      posts = []
    }
  }
  for (const name of ['sections', 'posts'] as const)
    if (counted[name] !== head[name]) throw new FormatError(`the part file says ${head[name]} ${name}, there are ${counted[name]}`)
  if (head.posts === 0) diagnostics.warn('no kilometre post: roads have no kilometres')
  yield batch(roadSections, sections)
  yield batch(roadPosts, posts)
}

function readHead(line: string): PartHead & { readonly sections: number; readonly posts: number } {
  const head = parsed(line) as Partial<PartHead & { readonly sections: number; readonly posts: number }> | null
  const { province_code = '', edition = '', scope } = head ?? {}
  if (!/^\d\d$/.test(province_code) || !/^\d{4}-(0[1-9]|1[0-2])$/.test(edition) || (scope !== 'national' && scope !== 'province'))
    throw new FormatError(`no part of a road network: it begins with ${line.slice(0, 100)}`)
  return { ...headOf(province_code, edition, scope), sections: Number(head?.sections), posts: Number(head?.posts) }
}

function readLine(line: string): readonly [string, string, string, ...unknown[]] {
  const values = parsed(line)
  if (!Array.isArray(values) || !['s', 'p'].includes(values[0]))
    throw new FormatError(`a line is no section and no post: ${line.slice(0, 100)}`)
  return values as unknown as readonly [string, string, string, ...unknown[]]
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

function* linesOf(bytes: Buffer): Generator<string> {
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(LINE_FEED, from)
    const until = end < 0 ? bytes.length : end
    if (until > from) yield bytes.toString('utf8', from, until)
    from = until + 1
  }
}
