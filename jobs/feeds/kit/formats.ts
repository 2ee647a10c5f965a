import type { Dataset } from '../../../lake/schema/dataset.ts'
import { type CsvTable, delimiterOf, readCsv } from '../../formats/csv.ts'
import { readJson } from '../../formats/json.ts'
import { decodeText } from '../../formats/text.ts'
import { type XmlElement, xmlElements } from '../../formats/xml.ts'
import { type Feed, type FeedBody, FormatError } from '../define.ts'
import type { Get } from '../request.ts'
import type { RawRecord } from './binder.ts'
import { type RecordFeedSpec, type RecordFile, recordFeed } from './record-feed.ts'

/** A feed whose request is of the kind's format. */
type Spec<D extends Dataset, F extends string, N extends F, T> = Omit<RecordFeedSpec<D, F, N, T>, 'get' | 'plans'> & {
  readonly get: Omit<Get, 'name' | 'expects'> & Partial<Get>
}

/**
 * Declares a feed of CSV files with a header. Detects encoding (UTF-8 with or without a byte order mark, Latin-1) and
 * delimiter. A file whose last line is unterminated was cut off and is rejected, unless `endsLines` is false.
 */
export function csvFeed<D extends Dataset, F extends string, const N extends F, T = undefined>(
  spec: Spec<D, F, N, T> & { readonly endsLines?: boolean },
): Feed {
  const { get, endsLines = true, ...rest } = spec
  const open = ({ name, bytes }: FeedBody): RecordFile => {
    const text = decodeText(bytes)
    return csvFile(name, readCsv(text, { delimiter: delimiterOf(text), requires: [], endsLines }))
  }
  return recordFeed({ ...rest, get: { name: 'records', expects: 'csv', ...get } }, (bodies) => bodies.map(open))
}

/** A parsed CSV file: each line is a record under the header's names. */
export function csvFile(name: string, { header, records, misshapen }: Pick<CsvTable, 'header' | 'records' | 'misshapen'>): RecordFile {
  return {
    name,
    header,
    records: records.map((values) => ({ names: header, values })),
    misshapen: misshapen.map(({ line, text }) => `line ${line}: ${text}`),
  }
}

/** Declares a JSON feed: a list of objects, or the list that `records` finds in a body. */
export function jsonFeed<D extends Dataset, F extends string, const N extends F, T = undefined>(
  spec: Spec<D, F, N, T> & { readonly records?: (body: FeedBody) => readonly object[] },
): Feed {
  const { get, records = jsonList, ...rest } = spec
  const open = (body: FeedBody): RecordFile => ({ name: body.name, header: null, records: records(body).map(rawRecord) })
  return recordFeed({ ...rest, get: { name: 'records', expects: 'json', ...get } }, (bodies) => bodies.map(open))
}

/** The objects of a body that is a JSON list. Throws `FormatError` for any other body. */
export function jsonList({ name, bytes }: FeedBody): readonly Readonly<Record<string, unknown>>[] {
  const list = readJson(bytes, name)
  if (!Array.isArray(list)) throw new FormatError(`${name} is no list`)
  if (list.some((one) => typeof one !== 'object' || one === null)) throw new FormatError(`${name} has a record that is no object`)
  return list
}

/** An object as a record of its members. */
export function rawRecord(record: object): RawRecord {
  return { names: Object.keys(record), values: Object.values(record) }
}

/** Declares an XML feed: the elements of a name, each a record of its children's texts, or what `records` returns for it. */
export function xmlFeed<D extends Dataset, F extends string, const N extends F, T = undefined>(
  spec: Spec<D, F, N, T> & {
    readonly root: string
    readonly each: string
    readonly records?: (element: XmlElement) => readonly RawRecord[]
  },
): Feed {
  const { get, root, each, records = childTexts, ...rest } = spec
  const open = ({ name, bytes }: FeedBody): RecordFile => ({
    name,
    header: null,
    records: {
      *[Symbol.iterator]() {
        for (const elements of xmlElements(bytes, { root, each: [each] })) for (const element of elements) yield* records(element)
      },
    },
  })
  return recordFeed({ ...rest, get: { name: 'records', expects: 'xml', ...get } }, (bodies) => bodies.map(open))
}

function childTexts({ children }: XmlElement): readonly RawRecord[] {
  return [{ names: children.map(({ name }) => name), values: children.map(({ text }) => text) }]
}
