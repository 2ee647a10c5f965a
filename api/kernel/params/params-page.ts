import { DECIMALS, type Decimals } from '../../../lake/schema/precision.ts'
import type { Endpoint, ListReturn } from '../endpoint.ts'
import { type Fields, LANGS, type Lang } from '../fields.ts'
import { CODECS, type Codec, DIALECTS, type Dialect, type Format, formatsOf, isTable, MAX_TABLE_ROWS } from '../formats.ts'
import { membersOf } from '../reads/shape.ts'
import { DISTANCE, POINT } from './around.ts'
import { chosen, integerParam, listOf, oneOf, type Param, param, textParam, withDefault } from './params.ts'
import { instantParam } from './params-time.ts'

/** Default languages of a record's texts. */
export const SPOKEN = ['es', 'en'] as const

/** Values of the parameters that every endpoint of a kind takes. */
export interface PageValues {
  readonly limit: number | null
  readonly cursor: string | null
  readonly sort: string | null
  readonly fields: readonly string[] | null
  readonly ids: readonly string[] | null
  readonly updated_since: number | null
  readonly since: number | null
  /** Language of the reply: from the parameter, else the header, if the record has texts in it; else Spanish. */
  readonly lang: Lang
  readonly format: Format | null
  /** For CSV, Parquet, and both Parquet and Arrow; null if the request does not state it. */
  readonly dialect: Dialect | null
  readonly codec: Codec | null
  readonly decimals: Decimals | null
  readonly total: 'exact' | null
  readonly snapshot: string | null
}

/** The values of `PageValues` for an endpoint without page parameters. */
export const NO_PAGE: PageValues = Object.freeze({
  limit: null,
  cursor: null,
  sort: null,
  fields: null,
  ids: null,
  updated_since: null,
  since: null,
  lang: 'es',
  format: null,
  dialect: null,
  codec: null,
  decimals: null,
  total: null,
  snapshot: null,
})

/** Maximum length of a valid cursor. */
const CURSOR_MAX = 2000

/** The engine's parameters of an endpoint, by what it returns and how it reads. */
export function pageParams(endpoint: Pick<Endpoint, 'returns' | 'read' | 'around'>): Readonly<Record<string, Param>> {
  const { returns, read } = endpoint
  const lists = returns.kind === 'list' ? listParams(endpoint, returns) : {}
  const formats = formatsOf(returns)
  return {
    ...lists,
    fields: listOf(fieldParam(returns.record.fields)),
    lang: langParam(returns.record.languages),
    format: oneOf(`Representation; overrides the Accept header. \`${formats[0]}\` by default.`, formats),
    dialect: oneOf(
      'For CSV: `excel` is what Excel opens by double click with Spanish settings (byte order mark, `;`, decimal comma), `excel-en` the same with `,` and decimal point. Both add an apostrophe before texts that spreadsheets would take for formulas: those that begin with = + - @, a tab or a carriage return. Both write texts that look like numbers, such as postal codes, as `="08796"`. `exact` by default.',
      DIALECTS,
    ),
    codec: oneOf('For Parquet: `snappy` for older readers without zstd and decimals; decimals become doubles. `zstd` by default.', CODECS),
    decimals: oneOf(
      'For Parquet and Arrow: `double` has decimals as 64-bit floating-point numbers, as pandas and R compute with. `exact` by default.',
      DECIMALS,
    ),
    ...(read.kind === 'lake' ? { snapshot: snapshotParam } : {}),
  }
}

/** Keyword with the maximum of `limit` in each representation: its `maximum` is the greatest of them. */
export const LIMIT_BY_FORMAT = 'x-maximum-by-format'

/** The valid range of `limit`, for a list with a maximum number of records in JSON. */
export function limitExpected(max: number): string {
  return `a whole number from 1 to ${max} in JSON and GeoJSON, 1 to ${MAX_TABLE_ROWS} in csv, ndjson, parquet and arrow`
}

/** The parameter `lang` for records with texts in these languages; null if not given. */
export function langParam(languages: readonly Lang[] = SPOKEN): Param<Lang | null> {
  const others = LANGS.every((lang) => languages.includes(lang))
    ? ''
    : '; for the others the reply is in Spanish, as Content-Language states'
  const about = `Language of multilingual texts: ${languages.slice(0, -1).join(', ')} or ${languages.at(-1)}${others}. Spanish by default, regardless of Accept-Language.`
  const parse = (text: string): Lang => {
    const lang = chosen(text, LANGS)
    return languages.includes(lang) ? lang : 'es'
  }
  return param({ about, schema: { type: 'string', enum: LANGS }, parse })
}

/** Parameters that give a field of a list its value: alternative sets, each needed whole; empty if the field needs none. */
export function neededBy({ returns, around }: Pick<Endpoint, 'returns' | 'around'>, field: string): readonly (readonly string[])[] {
  const own = returns.kind === 'list' ? returns.needs?.[field] : undefined
  const point = around && field === DISTANCE && own?.join() !== POINT.join() ? [POINT] : []
  return [...(own ? [own] : []), ...point]
}

/** These sets in words. */
export function neededText(ways: readonly (readonly string[])[]): string {
  return ways.map((names) => names.join(' and ')).join(', or ')
}

function listParams(endpoint: Pick<Endpoint, 'read' | 'around'>, returns: ListReturn): Record<string, Param> {
  const { limit, id } = returns
  const { kind } = endpoint.read
  const about = `Records per reply${limit.default === null ? '; all by default' : ''}. At most ${limit.max} in JSON and GeoJSON, ${MAX_TABLE_ROWS} in the other formats.`
  const any = integerParam(about, { min: 1, max: MAX_TABLE_ROWS, example: '10', expected: limitExpected(limit.max) })
  const byFormat = Object.fromEntries(formatsOf(returns).map((format) => [format, isTable(format) ? MAX_TABLE_ROWS : limit.max]))
  const count = { ...any, schema: { ...any.schema, [LIMIT_BY_FORMAT]: byFormat } }
  const page = {
    limit: limit.default === null ? count : withDefault(count, limit.default),
    cursor: textParam(
      'The `next_cursor` of the previous reply: continues after its last record. Valid 24 h (for changes 7 days) with the same filters and sort.',
      {
        max: CURSOR_MAX,
      },
    ),
  }
  if (kind === 'changes') return { ...page, since: instantParam('Changes from this instant on; not together with cursor.') }
  return {
    ...page,
    sort: sortParam(endpoint, returns),
    ...(id ? { ids: listOf(textParam('Only records with these ids, at most 500.', { max: 60 })) } : {}),
    ...(returns.record.fields['updated_at'] ? { updated_since: instantParam('Only records that changed at or after this instant.') } : {}),
    ...(kind === 'lake'
      ? { total: oneOf('`exact` counts all matching records, which takes longer; otherwise total is null.', ['exact']) }
      : {}),
  }
}

const snapshotParam = textParam(
  'State of the lake to read, from `meta.snapshot`. Every state is stored for 24 hours, then the last of each hour for 7 days.',
  {
    max: 1000,
  },
)

function sortParam({ around }: Pick<Endpoint, 'around'>, returns: ListReturn): Param<string | null> {
  const values = returns.sorts.flatMap((name) => [name, `-${name}`])
  const needs = returns.sorts.flatMap((field) => {
    const ways = neededBy({ returns, around }, field)
    return ways.length === 0 ? [] : [` ${field} needs ${neededText(ways)}.`]
  })
  const special = [
    ...Object.entries(returns.orderWith ?? {}).map(([name, order]) => `${order} with ${name}, `),
    ...(around && !returns.orderAround ? [`${DISTANCE} around a point, `] : []),
  ].join('')
  const order = special === '' ? returns.order : `${special}else ${returns.order},`
  return param({
    about: `Order: a field, or - and a field for falling. ${order} by default; nulls are last.${needs.join('')}`,
    schema: { type: 'string', enum: values },
    parse: (text) => chosen(text, values),
  })
}

function fieldParam(fields: Fields): Param<string | null> {
  const names = membersOf(fields).map((member) => member.name)
  return param({
    about: 'Only these members of each record. The reply then lacks the others, also those that its schema requires.',
    schema: { type: 'string', enum: names },
    parse: (text) => chosen(text, names),
    example: names.slice(0, 3).join(','),
  })
}
