import type { AnyRow } from '../../lake/schema/dataset.ts'
import type { RecordShape } from '../define/fields.ts'
import type { Format, Lang, PageValues } from '../define/params-page.ts'
import { type JsonObject, recordTextWriter, recordWriter } from '../define/shape.ts'
import { type Feature, featureCollectionText, featureOf, type ListPage, listPieces } from './compose.ts'

/** Writes the records of one endpoint. */
export interface RecordTexts {
  /** The JSON text of a record, with the members and in the language asked for. */
  text(record: AnyRow, page: PageValues): string
  /** The record as a JSON object. */
  object(record: AnyRow, page: PageValues): JsonObject
  /** The record as a GeoJSON feature. */
  feature(record: AnyRow, page: PageValues): Feature
}

/**
 * Makes the writer of an endpoint's records. Whole texts in Spanish are remembered as long as their records are: many replies hold the
 * same live record. The rows of a query are in one reply only, and remembering them costs half as much as writing them.
 */
export function recordTexts(shape: RecordShape, { remember = true }: { readonly remember?: boolean } = {}): RecordTexts {
  const whole = recordWriter(shape)
  const wholeText = recordTextWriter(shape)
  const known = new WeakMap<AnyRow, string>()
  let some: { readonly fields: readonly string[]; readonly write: typeof whole } | null = null
  const writerOf = (fields: readonly string[] | null): typeof whole => {
    if (!fields) return whole
    // The records of a reply are written one after the other, by the same list.
    if (some?.fields !== fields) some = { fields, write: recordWriter(shape, new Set(fields)) }
    return some.write
  }
  const localised = (record: AnyRow, lang: Lang): AnyRow =>
    lang === 'es' || !shape.localise ? record : (shape.localise(record as never, lang) as AnyRow)
  const object = (record: AnyRow, page: PageValues): JsonObject => writerOf(page.fields)(localised(record, page.lang))
  return {
    object,
    feature: (record, page) => featureOf(shape, record, object(record, page)),
    text(record, page) {
      if (page.fields || (page.lang !== 'es' && shape.localise)) return JSON.stringify(object(record, page))
      if (!remember) return wholeText(record)
      const there = known.get(record)
      if (there !== undefined) return there
      const made = wholeText(record)
      known.set(record, made)
      return made
    },
  }
}

/** The text of a list in a representation, in pieces. */
export function listBody(
  list: ListPage,
  records: readonly AnyRow[],
  options: { readonly texts: RecordTexts; readonly page: PageValues; readonly format: Format },
): string[] {
  const { texts, page, format } = options
  if (format === 'geojson') {
    const features = records.map((record) => texts.feature(record, page))
    return [featureCollectionText(list, features)]
  }
  return listPieces(
    list,
    records.map((record) => texts.text(record, page)),
  )
}
