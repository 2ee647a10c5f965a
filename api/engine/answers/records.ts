import type { AnyRow } from '../../../lake/schema/dataset.ts'
import type { ListReturn, OneReturn } from '../../kernel/endpoint.ts'
import type { Fields, Lang, RecordShape } from '../../kernel/fields.ts'
import type { Format } from '../../kernel/formats.ts'
import { Turn } from '../../kernel/http/turns.ts'
import type { PageValues } from '../../kernel/params/params-page.ts'
import { type JsonObject, recordTextWriter, recordWriter } from '../../kernel/reads/shape.ts'
import { type Feature, featureOf, featurePieces, featureTextWriter, type ListPage, listPieces } from './compose.ts'

/** Writes the records of one endpoint. */
export interface RecordTexts {
  readonly fields: Fields
  /** Returns the JSON text of a record, with the requested members and language. */
  text(record: AnyRow, page: PageValues): string
  /** Returns the JSON text of its GeoJSON feature. */
  featureText(record: AnyRow, page: PageValues): string
  /** Returns the record as a JSON object. */
  object(record: AnyRow, page: PageValues): JsonObject
  /** Returns the record as a GeoJSON feature. */
  feature(record: AnyRow, page: PageValues): Feature
}

/**
 * Makes the writer of an endpoint's records. Whole texts in Spanish are cached as long as their live records, which many replies
 * contain. Rows of a query appear in one reply only, and caching them costs half as much as writing them.
 */
export function recordTexts(returns: ListReturn | OneReturn, { remember = true }: { readonly remember?: boolean } = {}): RecordTexts {
  const shape = returns.record
  const whole = recordWriter(shape)
  const kept = remember ? remembering : <T>(write: T): T => write
  const wholeText = kept(recordTextWriter(shape))
  const wholeFeature = kept(featureTextWriter(returns))
  let some: { readonly fields: readonly string[]; readonly write: typeof whole } | null = null
  const writerOf = (fields: readonly string[] | null): typeof whole => {
    if (!fields) return whole
    // One list writes the records of a reply one after the other.
    if (some?.fields !== fields) some = { fields, write: recordWriter(shape, new Set(fields)) }
    return some.write
  }
  const localised = (record: AnyRow, lang: Lang): AnyRow =>
    lang === 'es' || !shape.localise ? record : (shape.localise(record as never, lang) as AnyRow)
  const object = (record: AnyRow, page: PageValues): JsonObject => writerOf(page.fields)(localised(record, page.lang))
  const feature = (record: AnyRow, page: PageValues): Feature => featureOf(returns, record, object(record, page))
  const isWhole = ({ fields, lang }: PageValues): boolean => !fields && (lang === 'es' || !shape.localise)
  return {
    fields: shape.fields,
    object,
    feature,
    text: (record, page) => (isWhole(page) ? wholeText(record) : JSON.stringify(object(record, page))),
    featureText: (record, page) => (isWhole(page) ? wholeFeature(record) : JSON.stringify(feature(record, page))),
  }
}

function remembering(write: (record: AnyRow) => string): (record: AnyRow) => string {
  const known = new WeakMap<AnyRow, string>()
  return (record) => {
    const there = known.get(record)
    if (there !== undefined) return there
    const made = write(record)
    known.set(record, made)
    return made
  }
}

/** Makes the function that returns the writer of each record shape of an endpoint; the same shape gets the same writer. */
export function textsOfShapes(
  returns: ListReturn | OneReturn,
  options: { readonly remember?: boolean } = {},
): (shape: RecordShape) => RecordTexts {
  const made = new Map<RecordShape, RecordTexts>()
  return (shape) => {
    const texts = made.get(shape) ?? recordTexts({ ...returns, record: shape }, options)
    made.set(shape, texts)
    return texts
  }
}

/** Writes a list in a representation, in pieces. A long one takes several turns of the event loop. */
export async function listBody(
  list: ListPage,
  records: readonly AnyRow[],
  options: { readonly texts: RecordTexts; readonly page: PageValues; readonly format: Format },
): Promise<string[]> {
  const { texts, page, format } = options
  const turn = new Turn()
  const made: string[] = []
  const all =
    format === 'geojson'
      ? featurePieces(list, records, { fields: texts.fields, write: (record) => texts.featureText(record, page) })
      : listPieces(list, records, (record) => texts.text(record, page))
  for (const piece of all) {
    made.push(piece)
    if (turn.isOver) await turn.next()
  }
  return made
}
