import { FormatError } from '../feeds/define.ts'
import { child, textAt, type XmlElement, xsiType } from './xml.ts'

/** Labels that one set of conditions of a zone names; what the set means is the council's to say. */
export interface LabelCondition {
  readonly is_negated: boolean
  readonly labels: readonly string[]
}

/** Hours of a zone, in local time whatever the time zone that is written. */
export interface ZoneHours {
  /** Days of the week as published, in upper case; none if none are stated. */
  readonly days: readonly string[]
  readonly from: string
  readonly until: string
}

const HOUR = /^([01]\d|2[0-4]):([0-5]\d):([0-5]\d)(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?$/
const LINK = /<a\s[^>]*?href\s*=\s*["']([^"'?#]+\.xml)["']/gi

/** An element and all elements in it, with the sets of conditions that hold them, in document order. */
function* within(element: XmlElement, path: readonly XmlElement[] = []): Generator<{ element: XmlElement; path: readonly XmlElement[] }> {
  yield { element, path }
  for (const one of element.children) yield* within(one, [...path, element])
}

/** The elements of a name in an element, at any depth. */
export function everyIn(element: XmlElement, name: string): XmlElement[] {
  return [...within(element)].flatMap((found) => (found.element.name === name ? [found.element] : []))
}

/** The corners of the zone's rings as published: latitude and longitude as texts. */
export function ringsOf(zone: XmlElement): { readonly lat: string; readonly lon: string }[][] {
  return everyIn(zone, 'openlrPolygonCorners').map(({ children }) =>
    children
      .filter(({ name }) => name === 'openlrCoordinates')
      .map((corner) => ({ lat: textAt(corner, 'latitude') ?? '', lon: textAt(corner, 'longitude') ?? '' })),
  )
}

/**
 * The label conditions, one for each set. A condition is one of labels if its type, or a text in it, is `stickerCondition`; its
 * other texts are the labels.
 */
export function labelConditionsOf(zone: XmlElement): LabelCondition[] {
  const sets = new Map<XmlElement, { is_negated: boolean; labels: string[] }>()
  for (const { element, path } of within(zone)) {
    const isTyped = xsiType(element) === 'stickerCondition'
    if (!isTyped && !element.children.some(({ text }) => text === 'stickerCondition')) continue
    const set = path.findLast((one) => one.children.some(({ name }) => name === 'negate')) ?? (path.at(-1) as XmlElement)
    const negations = [...path, element].filter((one) => textAt(one, 'negate') === 'true').length
    const known = sets.get(set) ?? { is_negated: negations % 2 === 1, labels: [] }
    sets.set(set, known)
    const leaves = [...within(element)].filter(
      ({ element: one }) => one.children.length === 0 && one.name !== 'negate' && one.name !== 'operator',
    )
    for (const { element: leaf } of leaves)
      if (leaf.text !== '' && leaf.text !== 'stickerCondition' && !known.labels.includes(leaf.text)) known.labels.push(leaf.text)
  }
  return [...sets.values()]
}

/** The recurring hours; an unreadable one is reported and left out. */
export function hoursOf(zone: XmlElement, warn: (text: string) => void): ZoneHours[] {
  const found: ZoneHours[] = []
  for (const { element, path } of within(zone)) {
    const [from, until] = [textAt(element, 'startTimeOfPeriod'), textAt(element, 'endTimeOfPeriod')]
    if (from === null && until === null) continue
    const [begin, end] = [clockTime(from), clockTime(until)]
    if (begin === null || end === null) {
      warn('hours that cannot be read: left out')
      continue
    }
    const days = everyIn(path.at(-1) ?? element, 'applicableDay').map(({ text }) => text.toUpperCase())
    const hours = { days: [...new Set(days)], from: begin, until: end }
    if (!found.some((one) => JSON.stringify(one) === JSON.stringify(hours))) found.push(hours)
  }
  return found
}

function clockTime(text: string | null): string | null {
  const [, hour, minute, second] = HOUR.exec(text ?? '') ?? []
  return hour === undefined ? null : `${hour}:${minute}:${second}`
}

/** The first text of a name in the zone, at any depth; null if it has none. */
export function firstText(zone: XmlElement, name: string): string | null {
  return everyIn(zone, name).find(({ text }) => text !== '')?.text ?? null
}

/** The zone's name: its first value. */
export function zoneName(zone: XmlElement): string | null {
  return textAt(child(zone, 'name', 'values'), 'value') ?? textAt(zone, 'name')
}

/** The XML files of a web server's directory page, each once. Throws `FormatError` if the page lists none. */
export function xmlFiles(page: { readonly bytes: Buffer }, url: string): { readonly name: string; readonly url: string }[] {
  const { origin, pathname } = new URL('.', url)
  const files = new Map<string, string>()
  for (const [, link = ''] of page.bytes.toString('utf8').matchAll(LINK)) {
    const target = URL.parse(link.replaceAll('&amp;', '&'), url)
    if (target?.origin !== origin || !target.pathname.startsWith(pathname)) continue
    const name = decoded(target.pathname.slice(pathname.length))
    if (name !== null && !name.includes('/')) files.set(name, target.href)
  }
  if (files.size === 0) throw new FormatError('a directory without XML files')
  return [...files].map(([name, href]) => ({ name, url: href }))
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
