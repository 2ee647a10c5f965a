import { isUtf8 } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { feedById } from '../../jobs/feeds/catalog.ts'
import { defineStandIn } from './define.ts'
import { escapeText } from './formats/xml.ts'
import { type Edition, type FeedStandIn, keptOf } from './publisher.ts'
import { isoLocal } from './world/rhythm.ts'
import type { World } from './world/world.ts'

/** A column or element that is unknown to the feeds, for the fault `unknown_codes`. */
const UNKNOWN = 'desconocida'
/**
 * Factor over the minimum number of records of the feed's accepted range, so that a document with half of the records is
 * rejected.
 */
const ROOM = 1.2

/** The position of a record: its number in the document and the number of earlier repetitions of the fixture, both from 0. */
export interface RecordPlace<T> {
  readonly nth: number
  readonly round: number
  readonly edition: Edition
  /** The thing that the record is about; its number without `items`. */
  readonly item: T
  /** The number of earlier fields of the same name in the record. */
  readonly occurrence: number
}

/** How fields vary between repetitions of a fixture, by column, member, element (`loc:latitude`) or attribute (`@id`). */
type Fields<T> = Readonly<Record<string, (text: string, place: RecordPlace<T>) => string | number>>

/** How a fixture becomes a publication. */
interface FixtureOptions<T> extends Partial<Omit<FeedStandIn, 'feed' | 'write'>> {
  /** The file in the feed's folder of fixtures: CSV, JSON or XML. */
  readonly file: string | ((edition: Edition) => string)
  /** The element of a record in XML, or the list of records in JSON; by default the document is a list of flat objects. */
  readonly element?: string
  /** At least the id. */
  readonly fields: Fields<T>
  /** Records of a document; by default slightly more than the minimum of the feed's accepted range. */
  readonly records?: number | ((world: World, edition: Edition) => number)
  /** One record for each of these, in place of a number of records. */
  readonly items?: (world: World, edition: Edition) => readonly T[]
  /** Which record of the fixture an item resembles, from 0; by default each in turn. */
  readonly like?: (item: T, nth: number) => number
  /** Changes the text of a record before its fields, such as how often a part is repeated. */
  readonly shape?: (record: string, item: T) => string
  /** True if the feed refuses unknown columns. */
  readonly hasFixedColumns?: boolean
  /** True if no edition omits a record. */
  readonly isComplete?: boolean
  /** True for a document that is too large for memory: its text is packed by gzip while it is sent. */
  readonly isPacked?: boolean
  /** Changes the text around the records, such as the time of publication. */
  readonly around?: (text: string, edition: Edition) => string
}

/**
 * A feed that is published daily or less often: the records of a test fixture, repeated up to the required number. Each edition
 * omits one record that others have. The feed's declaration determines its URL.
 */
export function fixtureStandIn<T = number>(id: string, options: FixtureOptions<T>): FeedStandIn {
  const { file, element, fields, records, items, around = publishedNow, ...others } = options
  const { like, shape, hasFixedColumns, isComplete, isPacked, ...rest } = others
  const feed = feedById(id)
  const atLeast = feed.bands[feed.into[0]?.id as string]?.atLeast ?? 1
  const templates = new Map<string, Template>()
  return defineStandIn(id, {
    write(world, edition) {
      const name = typeof file === 'string' ? file : file(edition)
      const template = templates.get(name) ?? templateOf(`${id}/${name}`, element)
      templates.set(name, template)
      const { variant, publishedAt } = edition
      const hasUnknown = variant.hasUnknownCodes && !hasFixedColumns
      const count = typeof records === 'function' ? records(world, edition) : (records ?? Math.ceil(ROOM * atLeast))
      const all = items?.(world, edition) ?? (Array.from({ length: count }, (_, nth) => nth) as readonly unknown[] as readonly T[])
      const absent = isComplete ? Number.NaN : 1 + (Math.floor(publishedAt / 86_400_000) % (all.length - 1))
      const listed = all.map((item, nth) => ({ item, nth })).filter(({ nth }) => nth !== absent)
      const made = keptOf(listed, variant)
        .values()
        .map(({ item, nth }) => {
          const text = template.records[like?.(item, nth) ?? nth % template.records.length] as string
          const place = { nth, round: Math.floor(nth / template.records.length), edition, item }
          const seen = new Map<string, number>()
          const to = (field: string, value: string): string => {
            const occurrence = seen.get(field) ?? 0
            seen.set(field, occurrence + 1)
            return String(fields[field]?.(value, { ...place, occurrence }) ?? value)
          }
          return template.change(shape?.(text, item) ?? text, to, hasUnknown)
        })
      const [head, tail] = template.around(hasUnknown).map((text) => around(text, edition)) as [string, string]
      if (isPacked) return { text: [[head], made, [tail]].values().flatMap((texts) => texts) }
      return Buffer.from([head, [...made].join(template.between), tail].join(''), template.encoding)
    },
    ...rest,
  })
}

/** The text around the records with the time of publication, in DATEX II. */
function publishedNow(text: string, { stampedAt }: Edition): string {
  return text.replace(/(?<=:publicationTime>)[^<]+/, isoLocal(stampedAt))
}

/** A fixture whose records can be replaced. */
interface Template {
  readonly encoding: 'utf8' | 'latin1'
  /** The texts before and after the records, with or without an unknown column. */
  readonly around: (hasUnknown: boolean) => readonly [head: string, tail: string]
  readonly records: readonly string[]
  readonly between: string
  /** A record with changed values, and with an unknown one if so. */
  readonly change: (record: string, to: (field: string, value: string) => string, hasUnknown: boolean) => string
}

function templateOf(path: string, element: string | undefined): Template {
  const bytes = readFileSync(new URL(`../../test/fixtures/${path}`, import.meta.url))
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1'
  const text = bytes.toString(encoding)
  if (/^\s*[[{]/.test(text)) return { ...jsonTemplate(text, element), encoding }
  return { ...(element === undefined ? csvTemplate(text) : xmlTemplate(text, element)), encoding }
}

type Parts = Omit<Template, 'encoding'>

/** The parts of a text with some matches as records. */
function partsOf(text: string, found: readonly RegExpExecArray[]): Pick<Parts, 'around' | 'records' | 'between'> {
  const [first, last] = [found[0], found.at(-1)] as [RegExpExecArray, RegExpExecArray]
  const begin = first.index + first[0].length
  const around = [text.slice(0, first.index), text.slice(last.index + last[0].length)] as const
  return { around: () => around, records: found.map(([record]) => record), between: text.slice(begin, found[1]?.index ?? begin) }
}

function jsonTemplate(text: string, list: string | undefined): Parts {
  const from = list === undefined ? 0 : text.indexOf(`"${list}"`)
  const found = [...text.matchAll(/\{[^{}]*\}/g)].filter(({ index }) => index >= from)
  return {
    ...partsOf(text, found),
    change(record, to, hasUnknown) {
      const changed = record.replaceAll(/"([^"]*)"(\s*:\s*)("[^"]*"|[^",\s}]+)/g, (_all, name, colon, value) =>
        value.startsWith('"') ? `"${name}"${colon}"${to(name, value.slice(1, -1))}"` : `"${name}"${colon}${to(name, value)}`,
      )
      return hasUnknown ? changed.replace('{', `{"${UNKNOWN}" : "X",`) : changed
    },
  }
}

function xmlTemplate(text: string, element: string): Parts {
  return {
    ...partsOf(text, [...text.matchAll(new RegExp(`<${element}[ >].*?</${element}>`, 'gs'))]),
    change(record, to, hasUnknown) {
      const put = (field: string, value: string): string => {
        const changed = to(field, value)
        return changed === value ? value : escapeText(changed)
      }
      // The unknown one follows the last field.
      const whole = hasUnknown ? record.replace(/<\/[\w:]+>(?=(?:\s*<\/[\w:]+>)+$)/, `$&<${UNKNOWN}>X</${UNKNOWN}>`) : record
      return whole.replaceAll(/<([\w:]+)([^<>]*)>(?:([^<>]+)(?=<\/))?/g, (_all, name, attributes, value) => {
        const changed = attributes.replaceAll(
          /([\w:]+)="([^"]*)"/g,
          (_pair: string, key: string, old: string) => `${key}="${put(`@${key}`, old)}"`,
        )
        return `<${name}${changed}>${value === undefined ? '' : put(name, value)}`
      })
    },
  }
}

function csvTemplate(text: string): Parts {
  const [header = '', ...records] = text.split(/\r?\n/).filter((line) => line !== '')
  const end = text.includes('\r\n') ? '\r\n' : '\n'
  const delimiter = [';', '\t'].find((mark) => header.includes(mark)) ?? ','
  // A field with its delimiter or line end; quoted if it contains a delimiter.
  const field = new RegExp(`("(?:[^"]|"")*"|[^${delimiter}"]*)(${delimiter}|$)`, 'g')
  const names = header.replace('\uFEFF', '').replaceAll('"', '').split(delimiter)
  return {
    records,
    between: end,
    around: (hasUnknown) => [header + (hasUnknown ? delimiter + UNKNOWN : '') + end, end],
    change(record, to, hasUnknown) {
      const values = [...record.matchAll(field)].map(([, value = '']) => value).slice(0, names.length)
      const changed = values.map((value, at) => {
        const isQuoted = value.startsWith('"')
        const text = to(names[at] as string, isQuoted ? value.slice(1, -1) : value)
        return isQuoted || text.includes(delimiter) ? `"${text}"` : text
      })
      return [...changed, ...(hasUnknown ? ['X'] : [])].join(delimiter)
    },
  }
}
