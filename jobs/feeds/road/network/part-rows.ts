import { roadPosts, roadSections } from '../../../../lake/datasets/road/road-network.ts'
import { foldName } from '../../../../lake/places/names.ts'
import type { FeedRow } from '../../../../lake/schema/dataset.ts'
import { type Batch, batch, type Diagnostics, FormatError } from '../../define.ts'
import { headOf, type PartHead } from './parts.ts'

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
