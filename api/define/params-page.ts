import { DISTANCE, POINT } from './around.ts'
import type { Endpoint, ListReturn } from './endpoint.ts'
import { type Fields, LANGS, type Lang } from './fields.ts'
import { CODECS, type Codec, DIALECTS, type Dialect, type Format, formatsOf, TABLE_ROWS_MOST } from './formats.ts'
import { chosen, integerParam, listOf, oneOf, type Param, param, textParam, withDefault } from './params.ts'
import { instantParam } from './params-time.ts'
import { membersOf } from './shape.ts'

/** Languages that records have texts in unless they tell. */
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
  /** The language to answer in: the one asked for, by parameter or else by header, where the record has texts in it, else Spanish. */
  readonly lang: Lang
  readonly format: Format | null
  /** Of CSV and of Parquet only; null where the request does not say. */
  readonly dialect: Dialect | null
  readonly codec: Codec | null
  readonly total: 'exact' | null
  readonly snapshot: string | null
}

/** What `PageValues` holds where an endpoint takes no such parameter. */
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
  total: null,
  snapshot: null,
})

/** Longest cursor that can be one of ours. */
const CURSOR_MAX = 2000

/** The parameters that an endpoint takes beside its own, by what it returns and how it reads. */
export function pageParams(endpoint: Pick<Endpoint, 'returns' | 'read' | 'around'>): Readonly<Record<string, Param>> {
  const { returns, read } = endpoint
  const lists = returns.kind === 'list' ? listParams(endpoint, returns) : {}
  const formats = formatsOf(returns)
  return {
    ...lists,
    fields: listOf(fieldParam(returns.record.fields)),
    lang: langParam(returns.record.languages),
    format: oneOf(`Representation; goes before the Accept header. \`${formats[0]}\` unless either says otherwise.`, formats),
    dialect: oneOf(
      'Of CSV: `excel` puts an apostrophe before texts that begin with = + - @, a tab or a carriage return, which spreadsheets would take for formulas. `exact` unless given.',
      DIALECTS,
    ),
    codec: oneOf(
      'Of Parquet: `snappy` for older readers, which know neither zstd nor decimals: these are then doubles. `zstd` unless given.',
      CODECS,
    ),
    ...(read.kind === 'lake' ? { snapshot: snapshotParam } : {}),
  }
}

/** What a `limit` has to be of a list that has at most so many records in JSON. */
export function limitExpected(max: number): string {
  return `a whole number from 1 to ${max} in JSON and GeoJSON, 1 to ${TABLE_ROWS_MOST} in csv, ndjson, parquet and arrow`
}

/** The parameter `lang` of what has texts in these languages; null where it is not given. */
export function langParam(languages: readonly Lang[] = SPOKEN): Param<Lang | null> {
  const others = LANGS.every((lang) => languages.includes(lang)) ? '' : '; the others are answered in Spanish, and Content-Language says so'
  const about = `Language of texts that there are in several: ${languages.slice(0, -1).join(', ')} or ${languages.at(-1)}${others}. Spanish unless given, whatever Accept-Language says.`
  const parse = (text: string): Lang => {
    const lang = chosen(text, LANGS)
    return languages.includes(lang) ? lang : 'es'
  }
  return param({ about, schema: { type: 'string', enum: LANGS }, parse })
}

/** The parameters without which a field of a list has no value: one of several sets, all of a set; none for a field that needs none. */
export function neededBy({ returns, around }: Pick<Endpoint, 'returns' | 'around'>, field: string): readonly (readonly string[])[] {
  const own = returns.kind === 'list' ? returns.needs?.[field] : undefined
  const point = around && field === DISTANCE && own?.join() !== POINT.join() ? [POINT] : []
  return [...(own ? [own] : []), ...point]
}

/** Those sets in words. */
export function neededText(ways: readonly (readonly string[])[]): string {
  return ways.map((names) => names.join(' and ')).join(', or ')
}

function listParams(endpoint: Pick<Endpoint, 'read' | 'around'>, returns: ListReturn): Record<string, Param> {
  const { limit, id } = returns
  const { kind } = endpoint.read
  const about = `Records per reply${limit.default === null ? '; all unless given' : ''}. At most ${limit.max} in JSON and GeoJSON, ${TABLE_ROWS_MOST} in the other formats.`
  const count = integerParam(about, { min: 1, max: TABLE_ROWS_MOST, example: '10', expected: limitExpected(limit.max) })
  const page = {
    limit: limit.default === null ? count : withDefault(count, limit.default),
    cursor: textParam(
      'The `next_cursor` of the reply before: goes on after its last record. Valid 24 h (of changes 7 days) with the same filters and sort.',
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
      ? { total: oneOf('`exact` counts all records of the answer, which takes longer; otherwise total is null.', ['exact']) }
      : {}),
  }
}

const snapshotParam = textParam(
  'State of the lake to read, as `meta.snapshot` named it. Every state is kept for 24 hours, then the last of each hour for 7 days.',
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
  const order = around && !returns.orderAround ? `${DISTANCE} around a point, else ${returns.order},` : returns.order
  return param({
    about: `Order: a field, or - and a field for falling. ${order} unless given; nulls come last.${needs.join('')}`,
    schema: { type: 'string', enum: values },
    parse: (text) => chosen(text, values),
  })
}

function fieldParam(fields: Fields): Param<string | null> {
  const names = membersOf(fields).map((member) => member.name)
  return param({
    about: 'Only these members of each record.',
    schema: { type: 'string', enum: names },
    parse: (text) => chosen(text, names),
    example: names.slice(0, 3).join(','),
  })
}
