import { readFileSync } from 'node:fs'
import { feedById } from '../../jobs/feeds/catalog.ts'
import { defineStandIn } from './define.ts'
import { type Edition, type FeedStandIn, keptOf } from './publisher.ts'
import type { World } from './world/world.ts'

/** A column that is unknown to the feeds, for the fault `unknown_codes`. */
const UNKNOWN = 'desconocida'
/**
 * Factor over the minimum number of records of the feed's accepted range, so that a document with half of the records is
 * rejected.
 */
const ROOM = 1.2

/** The position of a record: its number in the document and the number of earlier repetitions of the fixture, both from 0. */
interface RecordPlace {
  readonly nth: number
  readonly round: number
  readonly edition: Edition
}

/** How a fixture becomes a publication. */
interface FixtureOptions extends Partial<Omit<FeedStandIn, 'feed' | 'write'>> {
  /** The file in the feed's folder of fixtures: CSV, or a JSON list of flat objects. */
  readonly file: string
  /** By column, how values vary between repetitions of the fixture: at least the id. */
  readonly fields: Readonly<Record<string, (text: string, place: RecordPlace) => string>>
  /** Records of a document; by default slightly more than the minimum of the feed's accepted range. */
  readonly records?: number | ((world: World, edition: Edition) => number)
}

/**
 * A feed that is published daily or less often: the records of a test fixture, repeated up to the required number. Each edition
 * omits one record that others have. The feed's declaration determines its URL.
 */
export function fixtureStandIn(id: string, options: FixtureOptions): FeedStandIn {
  const { file, fields, records, ...rest } = options
  const feed = feedById(id)
  const atLeast = feed.bands[feed.into[0]?.id as string]?.atLeast ?? 1
  let template: Template | null = null
  return defineStandIn(id, {
    write(world, edition) {
      template ??= templateOf(readFileSync(new URL(`../../test/fixtures/${id}/${file}`, import.meta.url)).toString('latin1'))
      const { variant, publishedAt } = edition
      const count = typeof records === 'function' ? records(world, edition) : (records ?? Math.ceil(ROOM * atLeast))
      const places = Array.from({ length: count }, (_, nth) => nth)
      const absent = 1 + (Math.floor(publishedAt / 86_400_000) % (count - 1))
      const made = keptOf(places, variant).filter((nth) => nth !== absent)
      return Buffer.from(template.write(made, { fields, edition }), 'latin1')
    },
    ...rest,
  })
}

/** A fixture whose records can be replaced: byte by byte, so that its encoding does not matter. */
interface Template {
  write(numbers: readonly number[], to: { readonly fields: FixtureOptions['fields']; readonly edition: Edition }): string
}

function templateOf(text: string): Template {
  return /^\s*\[/.test(text) ? jsonTemplate(text) : csvTemplate(text)
}

const FLAT_OBJECT = /\{[^{}]*\}/g

function jsonTemplate(text: string): Template {
  const found = [...text.matchAll(FLAT_OBJECT)]
  const records = found.map(([record]) => record)
  const [first, second, last] = [found[0], found[1], found.at(-1)] as [RegExpExecArray, RegExpExecArray, RegExpExecArray]
  const between = text.slice(first.index + first[0].length, second.index)
  return {
    write(numbers, { fields, edition }) {
      const made = numbers.map((nth) => {
        let record = records[nth % records.length] as string
        const place = { nth, round: Math.floor(nth / records.length), edition }
        for (const [name, change] of Object.entries(fields))
          record = record.replace(new RegExp(`("${name}"\\s*:\\s*")([^"]*)`), (_all, head, value) => head + change(value, place))
        return edition.variant.hasUnknownCodes ? record.replace('{', `{"${UNKNOWN}" : "X",`) : record
      })
      return text.slice(0, first.index) + made.join(between) + text.slice(last.index + last[0].length)
    },
  }
}

/** A field with its delimiter or line end; quoted if it contains a delimiter. */
const FIELD = /("(?:[^"]|"")*"|[^,;"]*)([,;]|$)/g

function csvTemplate(text: string): Template {
  const [header = '', ...lines] = text.split(/\r?\n/).filter((line) => line !== '')
  const end = text.includes('\r\n') ? '\r\n' : '\n'
  const delimiter = header.includes(';') ? ';' : ','
  const names = header.split(delimiter)
  const records = lines.map((line) => [...line.matchAll(FIELD)].map(([, value = '']) => value).slice(0, names.length))
  return {
    write(numbers, { fields, edition }) {
      const more = (value: string): string => (edition.variant.hasUnknownCodes ? `${delimiter}${value}` : '')
      const made = numbers.map((nth) => {
        const values = records[nth % records.length] as readonly string[]
        const place = { nth, round: Math.floor(nth / records.length), edition }
        const changed = values.map((value, at) => fields[names[at] as string]?.(value, place) ?? value)
        return changed.join(delimiter) + more('X')
      })
      return [header + more(UNKNOWN), ...made, ''].join(end)
    },
  }
}
