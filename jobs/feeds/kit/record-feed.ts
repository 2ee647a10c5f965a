import type { AnyRow, Dataset, FeedRow } from '../../../lake/schema/dataset.ts'
import { type CsvTable, delimiterOf, readCsv } from '../../formats/csv.ts'
import { readJson } from '../../formats/json.ts'
import { decodeText } from '../../formats/text.ts'
import { type XmlElement, xmlElements } from '../../formats/xml.ts'
import {
  type Band,
  type Batch,
  batch,
  type Diagnostics,
  defineFeed,
  type Feed,
  type FeedBody,
  type FeedClock,
  type FeedSpec,
  FormatError,
  type Get,
} from '../define.ts'
import { watchPresence } from '../presence.ts'
import { Binder, type Columns, columnsOf, type RawRecord } from './binder.ts'
import { type DecimalMark, RecordReader } from './reader.ts'

/** Rows per batch. */
const BATCH = 2048
const SAMPLE_LENGTH = 300

/** An opened part of a publication: a CSV file, a JSON list, the elements of an XML document. */
export interface RecordFile {
  readonly name: string
  /** The columns of every record; null if each record names its own. */
  readonly header: readonly string[] | null
  readonly records: Iterable<RawRecord>
  /** Incomplete records, for a person to look at. */
  readonly misshapen?: readonly string[]
}

/** Opens the bodies of a publication, file by file. Throws `FormatError`. */
export type Open = (bodies: readonly FeedBody[], diagnostics: Diagnostics, clock: FeedClock) => Iterable<RecordFile>

/** The input of `file`: the name of the body, and all texts of a column. */
export interface FileTexts<F extends string> {
  readonly name: string
  column(field: F): readonly string[]
}

/** The declaration of a feed of records. */
export interface RecordFeedSpec<D extends Dataset, F extends string, N extends F, T>
  extends Omit<FeedSpec, 'into' | 'bands' | 'bulk' | 'rows'> {
  readonly into: D
  /** Minimum rows, and minimum and maximum ratio to the last publication: 0.8 and 1000 by default. */
  readonly band: Pick<Band, 'atLeast'> & Partial<Band>
  /**
   * The publisher's column for each field, with synonyms: `number: 'Num_postal | Num postal caption'`. Accents, case and marks
   * are ignored.
   */
  readonly columns: Readonly<Record<F, string>>
  /** Fields that every row needs: a record without the value is rejected, a file without the column too. */
  readonly needs: readonly N[]
  /** Known columns that are not read; any other column is counted as unknown. */
  readonly knows?: readonly string[]
  /** How decimals are written; `point` by default. */
  readonly decimal?: DecimalMark
  /** Texts that mean no value, in addition to the empty text. */
  readonly emptyValues?: readonly string[]
  /** Computes values that all rows of a file share. */
  readonly file?: (file: FileTexts<F>) => T
  /** Makes the row of a record; null for one that is left out, which it counts. Throws `FormatError` to reject it. */
  readonly row: (reader: RecordReader<F, N>, file: T) => FeedRow<D> | null
  /** The warning that counts duplicate keys within a file; by default a duplicate is rejected. */
  readonly duplicateWarning?: string
  /**
   * Fields that at least one record must fill, otherwise the file is rejected: a renamed column would replace good values with
   * nulls.
   */
  readonly nonEmptyFields?: readonly NoInfer<F>[]
  /** Conditions, by description, that at least one row must meet; otherwise the file is rejected. */
  readonly requireAny?: Readonly<Record<string, (row: FeedRow<D>) => boolean>>
}

/**
 * Declares a feed whose publication is a list of records, read by `open`. `csvFeed`, `jsonFeed` and `xmlFeed` are built on it.
 */
export function recordFeed<D extends Dataset, F extends string, const N extends F, T = undefined>(
  spec: RecordFeedSpec<D, F, N, T>,
  open: Open,
): Feed {
  const {
    into,
    band,
    columns,
    needs,
    knows = [],
    decimal,
    emptyValues,
    file,
    row,
    duplicateWarning,
    nonEmptyFields,
    requireAny,
    ...feed
  } = spec
  const found = columnsOf(columns, knows)
  return defineFeed({
    ...feed,
    into: [into],
    bands: { [into.id]: { minRatio: 0.8, maxRatio: 1000, ...band } },
    *rows(bodies, clock, diagnostics) {
      for (const opened of open(bodies, diagnostics, clock)) yield* rowsOf(spec, { columns: found, opened, diagnostics, clock })
    },
  })
}

function* rowsOf<D extends Dataset, F extends string, N extends F, T>(
  spec: RecordFeedSpec<D, F, N, T>,
  given: { readonly columns: Columns<F>; readonly opened: RecordFile; readonly diagnostics: Diagnostics; readonly clock: FeedClock },
): Generator<Batch> {
  const { into, needs, decimal = 'point', emptyValues = [], duplicateWarning, nonEmptyFields = [], requireAny = {} } = spec
  const { columns, opened, diagnostics, clock } = given
  const binder = new Binder(columns)
  const refuseWithoutNeeded = (): void => {
    const missing = binder.missing(needs)
    if (missing.length > 0) throw new FormatError(`${opened.name} has no ${missing.join(', ')}`)
  }
  const reject = (reason: string, sample: string): void => diagnostics.reject(into, reason, sample.slice(0, SAMPLE_LENGTH))
  if (opened.header) {
    binder.bind(opened.header)
    refuseWithoutNeeded()
  }
  for (const text of opened.misshapen ?? []) reject('another number of fields', text)
  const about = spec.file?.({ name: opened.name, column: (field) => textsOf(opened, columns, field) }) as T
  const reader = new RecordReader<F, N>({ columns, needs, decimal, emptyValues, diagnostics, clock })
  const presence = watchPresence<FeedRow<D>>(opened.name, requireAny)
  const seen = new Set<string>()
  let isEmpty = true
  let rows: FeedRow<D>[] = []
  for (const record of opened.records) {
    isEmpty = false
    reader.turnTo(binder.valuesOf(record))
    try {
      const row = spec.row(reader, about)
      if (row === null) continue
      presence.see(row)
      if (duplicateWarning !== undefined && isRepeated(seen, into, row)) diagnostics.warn(duplicateWarning)
      else rows.push(row)
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
      reject(error.message, JSON.stringify(record.values))
    }
    if (rows.length < BATCH) continue
    yield batch(into, rows)
    rows = []
  }
  if (!isEmpty) {
    refuseWithoutNeeded()
    const lost = binder.empty().filter((name) => nonEmptyFields.some((field) => columns.nameOf(field) === name))
    if (lost.length > 0) throw new FormatError(`none of the ${opened.name} has ${lost.join(', ')}`)
    for (const name of binder.empty()) diagnostics.warn(`no record has ${name}`)
  }
  presence.end()
  binder.countUnknown(spec.id, diagnostics)
  yield batch(into, rows)
}

function textsOf<F extends string>({ records }: RecordFile, columns: Columns<F>, field: F): readonly string[] {
  const binder = new Binder(columns)
  const at = columns.fields.indexOf(field)
  return Array.from(records, (record) => String(binder.valuesOf(record)[at] ?? '').trim())
}

function isRepeated(seen: Set<string>, dataset: Dataset, row: AnyRow): boolean {
  const key = JSON.stringify(dataset.entity.map((column) => row[column]))
  if (seen.has(key)) return true
  seen.add(key)
  return false
}

/** A feed whose request has the format of its kind. */
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
