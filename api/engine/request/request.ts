import { type Endpoint, pathParams } from '../../kernel/endpoint.ts'
import { type Format, isTable } from '../../kernel/formats.ts'
import { shortened, ValidationErrors } from '../../kernel/http/validation-errors.ts'
import { circleOf, DISTANCE } from '../../kernel/params/around.ts'
import type { Group, Param, Params, ValuesOf } from '../../kernel/params/params.ts'
import { limitExpected, NO_PAGE, neededBy, neededText, type PageValues, pageParams } from '../../kernel/params/params-page.ts'
import { InvalidParam, type ProblemError } from '../../kernel/problems.ts'
import { redacted } from '../../kernel/redact.ts'

/** A request's parameters, read and validated. */
export interface RequestValues {
  /** The path in its canonical form, and the query string (without `?`) as it was sent. */
  readonly path: string
  readonly query: string
  /** Values of the endpoint's own parameters, as `read` takes them. */
  readonly own: Readonly<Record<string, unknown>>
  readonly page: PageValues
  /** Identifies the requests that select the same records in the same order. Cursors are bound to it. */
  readonly filterKey: string
  /** Identifies the requests with the same answer, regardless of representation. */
  readonly key: string
  /** Step of the clock that the answer depends on, in seconds; 0 if it does not. */
  readonly clockGranularity_s: number
}

/** Reads a request from its raw URL and the decoded path parameters. Throws a 400 problem that names every mistake. */
export type RequestReader = (url: string, inPath: Readonly<Record<string, string>>) => RequestValues

/** Returns every parameter of an endpoint by its public name: its own, those of its groups, and those common to its kind. */
export function allParams(endpoint: Endpoint): ReadonlyMap<string, Param> {
  const own = Object.entries(endpoint.params as Params).flatMap(([name, one]) =>
    one.kind === 'group' ? Object.entries(one.members) : [[name, one] as const],
  )
  return new Map([...own, ...Object.entries(pageParams(endpoint))])
}

/** Makes the reader of an endpoint's requests. */
export function requestReader(endpoint: Endpoint): RequestReader {
  const params = allParams(endpoint)
  const pathNames = new Set(pathParams(endpoint.path))
  const queryNames = [...params.keys()].filter((name) => !pathNames.has(name))
  const pageNames = Object.keys(pageParams(endpoint))
  const paged = pageNames.includes('cursor')

  return (url, inPath) => {
    const mark = url.indexOf('?')
    const query = mark === -1 ? '' : url.slice(mark + 1)
    // Not as it was sent: others may get the same answer, whose link to the next page must not lead to another host.
    const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(inPath[name] ?? ''))
    const errors = new ValidationErrors()
    const texts = new Map<string, string[]>(Object.entries(inPath).map(([name, text]) => [name, [text]]))
    addTexts(texts, query, queryNames, errors)
    const read = new Map<string, unknown>()
    let clockGranularity_s = 0
    for (const [name, one] of params) {
      const given = texts.get(name)
      read.set(name, readParam(name, one, given, errors))
      if (given && one.clockGranularity_s)
        clockGranularity_s = clockGranularity_s === 0 ? one.clockGranularity_s : Math.min(clockGranularity_s, one.clockGranularity_s)
    }
    errors.throwIfAny()
    const own: Record<string, unknown> = {}
    for (const [name, one] of Object.entries(endpoint.params as Params)) {
      own[name] = one.kind === 'group' ? combine(one, read, texts, errors) : read.get(name)
    }
    const given = Object.fromEntries(pageNames.map((name) => [name, read.get(name)]))
    const page = {
      ...NO_PAGE,
      ...given,
      sort: given['sort'] ?? specialOrder(endpoint, own, texts),
      lang: given['lang'] ?? 'es',
    } as PageValues
    if (page.ids && page.ids.length > 500)
      errors.add('invalid-parameter', { parameter: 'ids', detail: `ids: expected at most 500, got ${page.ids.length}` })
    for (const error of missingForSort(endpoint, page.sort, texts)) errors.add('invalid-parameter', error)
    errors.throwIfAny()
    // A reply with a cursor contains the hour in which the cursor expires.
    if (paged && (page.limit !== null || page.cursor !== null)) clockGranularity_s = Math.min(clockGranularity_s || 3600, 3600)
    const filterKey = JSON.stringify([own, page.ids, page.updated_since, page.sort])
    const key = JSON.stringify([filterKey, page.limit, page.cursor, page.since, page.fields, page.lang, page.total, page.snapshot])
    return { path, query, own, page, filterKey, key, clockGranularity_s }
  }
}

/** Makes the reader of a query for a path that is not an endpoint. It throws a 400 problem that names every mistake. */
export function queryReader<P extends Readonly<Record<string, Param>>>(params: P): (url: string) => ValuesOf<P> {
  const names = Object.keys(params)
  return (url) => {
    const mark = url.indexOf('?')
    const errors = new ValidationErrors()
    const texts = new Map<string, string[]>()
    addTexts(texts, mark === -1 ? '' : url.slice(mark + 1), names, errors)
    const values = Object.entries(params).map(([name, one]) => [name, readParam(name, one, texts.get(name), errors)])
    errors.throwIfAny()
    return Object.fromEntries(values) as ValuesOf<P>
  }
}

/** A key in the URL: every server on the way logs it. */
const KEY_IN_URL = Object.freeze({
  detail:
    'Send the key in the header X-API-Key: a URL is logged on its way. Rotate a key that was sent in a URL, with POST /api/keys/{id}/rotate.',
})

/** True for what is probably meant as a key. */
function isKey(name: string, text: string): boolean {
  return /^(x[-_])?(api[-_]?)?key$|^(access[-_]?)?token$/i.test(name) || redacted(text) !== text
}

/** Collects the texts that a query gives to these names. */
function addTexts(texts: Map<string, string[]>, query: string, names: readonly string[], errors: ValidationErrors): void {
  if (query.includes('%')) checkEncoding(query, errors)
  for (const [name, text] of new URLSearchParams(query)) {
    if (!names.includes(name) && isKey(name, text)) errors.add('unknown-parameter', KEY_IN_URL)
    else if (!names.includes(name)) errors.unknown(name, names)
    else texts.set(name, [...(texts.get(name) ?? []), text])
  }
}

/** Refuses parameters that a representation does not take. The representation is only known from the headers. */
export function checkRepresentation({ returns }: Endpoint, page: PageValues, format: Format): void {
  const errors = new ValidationErrors()
  const refuse = (parameter: string, value: string, expected: string): void =>
    errors.add('invalid-parameter', { parameter, value, detail: `${parameter}: expected ${expected}, got ${JSON.stringify(value)}` })
  if (returns.kind === 'list' && !isTable(format) && page.limit !== null && page.limit > returns.limit.max)
    refuse('limit', String(page.limit), limitExpected(returns.limit.max))
  if (page.dialect !== null && format !== 'csv') refuse('dialect', page.dialect, 'none but with format=csv')
  if (page.codec !== null && format !== 'parquet') refuse('codec', page.codec, 'none but with format=parquet')
  if (page.decimals !== null && format !== 'parquet' && format !== 'arrow')
    refuse('decimals', page.decimals, 'none but with format=parquet or arrow')
  if (page.decimals === 'exact' && page.codec === 'snappy') refuse('decimals', page.decimals, '`double` with codec=snappy')
  errors.throwIfAny()
}

/** Finds what URLSearchParams silently accepts: a % without two hexadecimal digits, or invalid UTF-8. */
function checkEncoding(query: string, errors: ValidationErrors): void {
  for (const pair of query.split('&')) {
    try {
      decodeURIComponent(pair)
    } catch {
      const parameter = shortened(pair.split('=')[0] ?? '')
      const detail = `${parameter}: a % has to be followed by two hexadecimal digits of UTF-8, got ${JSON.stringify(shortened(pair))}`
      errors.add('invalid-parameter', { parameter, detail })
    }
  }
}

/** Returns the mistakes of a sort by a field that needs other parameters: the sort, and each missing parameter. */
function missingForSort(endpoint: Endpoint, sort: string | null, given: ReadonlyMap<string, unknown>): ProblemError[] {
  const ways = sort === null ? [] : neededBy(endpoint, sort.replace(/^-/, ''))
  if (sort === null || ways.length === 0 || ways.some((names) => names.every((name) => given.has(name)))) return []
  const needs = `${sort} needs ${neededText(ways)}`
  const missing = new Set(ways.flat().filter((name) => !given.has(name)))
  return [
    { parameter: 'sort', detail: `sort: ${needs}`, value: sort },
    ...[...missing].map((name) => ({ parameter: name, detail: `${name} is not given; sort=${needs}` })),
  ]
}

/** Returns the order of a search around a point or with a parameter; null for other requests, which have the list's own. */
function specialOrder(
  { around, returns }: Endpoint,
  own: Readonly<Record<string, unknown>>,
  given: ReadonlyMap<string, unknown>,
): string | null {
  if (returns.kind !== 'list') return null
  const [, withParam] = Object.entries(returns.orderWith ?? {}).find(([name]) => given.has(name)) ?? []
  return withParam ?? (circleOf(around, own) ? (returns.orderAround ?? DISTANCE) : null)
}

function readParam(name: string, one: Param, given: readonly string[] | undefined, errors: ValidationErrors): unknown {
  if (given === undefined) {
    if (one.required) errors.add('invalid-parameter', { parameter: name, detail: `${name} is required`, ...allowedBy(one) })
    return one.fallback
  }
  if (given.length > 1 && !one.list) {
    errors.add('invalid-parameter', { parameter: name, detail: `${name} is given ${given.length} times; expected once` })
    return one.fallback
  }
  const parts = one.list ? new Set(given.flatMap((text) => text.split(','))) : given
  const values: unknown[] = []
  for (const part of parts) {
    try {
      if (part === '') throw nothingGiven(one)
      values.push(one.parse(part))
    } catch (error) {
      errors.refused(error, name, part)
    }
  }
  return one.list ? [...new Set(values)] : values[0]
}

function combine(
  one: Group,
  read: ReadonlyMap<string, unknown>,
  texts: ReadonlyMap<string, readonly string[]>,
  errors: ValidationErrors,
): unknown {
  const names = Object.keys(one.members)
  const values = Object.fromEntries(names.map((name) => [name, read.get(name)]))
  try {
    return one.combine(values as never)
  } catch (error) {
    const name = (error instanceof InvalidParam && error.parameter) || (names[0] as string)
    errors.refused(error, name, texts.get(name)?.join(',') ?? '')
    return null
  }
}

function nothingGiven(one: Param): InvalidParam {
  const { allowed } = allowedBy(one)
  return new InvalidParam(`expected a value, got none${allowed ? `; allowed: ${allowed.join(', ')}` : ''}`, allowed ? { allowed } : {})
}

function allowedBy(one: Param): { allowed?: readonly string[] } {
  const allowed = one.schema['enum']
  return Array.isArray(allowed) ? { allowed: allowed as string[] } : {}
}
