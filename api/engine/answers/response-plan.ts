import { hash } from 'node:crypto'
import { foldName } from '../../../lake/places/names.ts'
import type { Dataset, Plan } from '../../../lake/schema/dataset.ts'
import type { Source } from '../../../lake/schema/sources.ts'
import { madridDate } from '../../../lake/schema/time.ts'
import type { InLease } from '../../auth/limits/in-lease.ts'
import { deprecationLinks } from '../../kernel/deprecation.ts'
import { datasetsOf, type Endpoint } from '../../kernel/endpoint.ts'
import { FORMAT_KINDS, type Format, isTable } from '../../kernel/formats.ts'
import { MAX_URL } from '../../kernel/http/headers.ts'
import { type Problem, problem } from '../../kernel/problems.ts'
import { type ResponseHead, stepOf } from '../replies/responses.ts'
import type { Cursors } from '../request/cursor.ts'
import type { RequestValues } from '../request/request.ts'
import type { ServiceState } from '../state/state.ts'
import type { Spooled } from '../tables/spool.ts'
import type { Tables } from '../tables/tables.ts'

/** What every handler works with. */
export interface AnswerContext {
  readonly endpoint: Endpoint
  readonly state: ServiceState
  readonly cursors: Cursors
  readonly tables: Tables
  /** Changes if the form of the endpoint's replies does. */
  readonly replyVersion: () => string
}

/** A request that is validated, before any work is done. */
export interface ResponsePlan {
  /** Contains only the links that are known before the answer is made. */
  readonly head: ResponseHead
  /** Makes the body. `signal` is aborted when no caller waits any more. */
  readonly answer: (signal: AbortSignal) => ResponseBody | Promise<ResponseBody>
  /** False if even the head of a HEAD request would cost a query. */
  readonly isFromMemory: boolean
  /** True if only the answer shows whether anything exists under the path. */
  readonly mayNotExist?: boolean
  /** True if only the answer shows whether all its sources could be read (see `ResponseBody.isPartial`). */
  readonly mayBePartial?: boolean
}

/** A body and the facts about it that the head repeats. */
export interface ResponseBody {
  /** Its text, in consecutive pieces. */
  readonly pieces: readonly string[]
  /** The file of a body that is not text. The receiver closes it. */
  readonly file?: Spooled
  readonly links: readonly string[]
  /** The cursor of the next page, for the header; null on the last. */
  readonly next_cursor: string | null
  /** True if a source could not be read. A complete answer follows as soon as it can be read. */
  readonly isPartial?: boolean
}

/** Answers one kind of request: validates it, computes its tag, and can then make the body. Throws problems. */
export type Handler = (
  values: RequestValues,
  options: {
    readonly format: Format
    readonly now: number
    readonly lease: InLease
    /** The plan of the caller, FREE without a key. Only replies of the search depend on it. */
    readonly plan: Plan
  },
) => ResponsePlan | Promise<ResponsePlan>

/** When newer data is expected (ms), as known at the call, and the seconds between two publications. */
export interface Refresh {
  readonly at: () => number
  readonly cadence_s: number
}

/** What a tag is made from, besides the request. */
export interface Versions {
  /** Datasets whose state the reply describes. */
  readonly datasets: readonly Dataset[]
  /** Versions or snapshot ids of what is read. */
  readonly of: readonly (string | number | null)[]
  /** When the data read last changed (ms), if that may be later than the time of the data. */
  readonly changed_at?: number | null
}

/** Returns the weak tag of an answer, known before the answer is made. */
export function etagOf(
  context: AnswerContext,
  values: RequestValues,
  options: { readonly format: Format; readonly step: number; readonly versions: Versions },
): string {
  const { endpoint, state, replyVersion } = context
  const { versions } = options
  const text = JSON.stringify([
    replyVersion(),
    endpoint.path,
    values.key,
    [options.format, values.page.dialect, values.page.codec, values.page.decimals],
    options.step,
    versions.of,
    state.contextVersion(versions.datasets),
  ])
  return weakTag(text)
}

/** Returns the weak tag of a text, or of a key that identifies it. */
export function weakTag(text: string): string {
  return `W/"${hash('sha256', text, 'base64url').slice(0, 22)}"`
}

/** Returns the head of an answer; see `ResponseHead`. */
export function headOf(
  context: AnswerContext,
  values: RequestValues,
  options: {
    readonly format: Format
    readonly now: number
    readonly versions: Versions
    readonly data_time: number | null
    readonly refresh: Refresh
    readonly clockGranularity_s?: number
    /** The datasets that the answer is read from, if not all of the endpoint's. */
    readonly from?: readonly Dataset[]
    /** Sources of these datasets that the answer is not about. */
    readonly otherSources?: readonly Source[]
  },
): ResponseHead {
  const clockGranularity_s = smallest(values.clockGranularity_s, options.clockGranularity_s ?? 0)
  const step = stepOf(clockGranularity_s, options.now)
  const disposition = dispositionOf(values, options)
  return {
    etag: etagOf(context, values, { format: options.format, step, versions: options.versions }),
    content_type: FORMAT_KINDS[options.format].type,
    format: options.format,
    isText: FORMAT_KINDS[options.format].isText,
    links: [
      ...(isTable(options.format) ? tableLinks(context.endpoint, options.from ?? datasetsOf(context.endpoint), options.otherSources) : []),
      ...deprecationLinks(context.endpoint.deprecated),
    ],
    language: context.endpoint.returns.record.localise ? values.page.lang : null,
    ...(disposition === null ? {} : { more: { 'Content-Disposition': disposition } }),
    data_time: options.data_time,
    refreshAt: options.refresh.at,
    cadence_s: options.refresh.cadence_s,
    clockGranularity_s,
    step,
    modified_at: modifiedAt(context, { ...options, begin: step * clockGranularity_s * 1000 }),
  }
}

/**
 * Returns when the answer last changed: its data, the step of the clock, or the context of the reply; never in the future. Equal
 * times mean equal answers, so If-Modified-Since may compare it.
 */
function modifiedAt(
  { state }: AnswerContext,
  options: { readonly now: number; readonly versions: Versions; readonly data_time: number | null; readonly begin: number },
): number | null {
  const { now, versions, data_time, begin } = options
  const newest = Math.max(data_time ?? 0, versions.changed_at ?? 0, begin, state.contextChangedAt(versions.datasets))
  return newest === 0 ? null : Math.min(newest, now)
}

/**
 * Returns the links that a table needs: the schema of its rows, and its sources' licences with attribution (RFC 8288, RFC 8187).
 */
function tableLinks(endpoint: Endpoint, datasets: readonly Dataset[], otherSources: readonly Source[] = []): string[] {
  const named = datasets.flatMap(({ sources }) => sources.filter((source) => !otherSources.includes(source)))
  const sources = new Map([...named, ...(endpoint.sources ?? [])].map((source) => [source.id, source]))
  const licences = [...sources.values()].map(
    ({ licence_url, attribution }) => `<${new URL(licence_url).href}>; rel="license"; title*=UTF-8''${extendedValue(attribution)}`,
  )
  return [`<${schemaPath(endpoint.returns.record.name)}>; rel="describedby"; type="application/schema+json"`, ...licences]
}

/** Returns the path of the JSON Schema of a record's rows in tables. */
export function schemaPath(record: string): string {
  return `/schemas/${record}`
}

/** A text as a parameter of a header (RFC 8187). */
function extendedValue(text: string): string {
  return encodeURIComponent(text).replaceAll(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** Returns the problem of a path without a resource. `near` is the path that was probably meant. */
export function unknownThing(path: string, near: string | null = null): Problem {
  return problem('not-found', `There is nothing under ${path.slice(0, 200)}${near === null ? '.' : `; did you mean ${near}?`}`)
}

/**
 * Returns the Link header's entries for the next page, with the path and query as they were sent: none if no URL is that long.
 */
export function nextLinks(path: string, query: string, cursor: string): string[] {
  const params = new URLSearchParams(query)
  params.set('cursor', cursor)
  // `since` began the feed of changes; the cursor now has the position.
  params.delete('since')
  const url = `${path}?${params}`
  return url.length > MAX_URL ? [] : [`<${url}>; rel="next"`]
}

/** Returns the clock as an answer may see it: the start of its step, or 0 if the answer does not depend on the clock. */
export function steppedNow(clockGranularity_s: number, now: number): number {
  return clockGranularity_s === 0 ? 0 : Math.floor(now / (clockGranularity_s * 1000)) * clockGranularity_s * 1000
}

function smallest(one: number, other: number): number {
  return one === 0 || other === 0 ? Math.max(one, other) : Math.min(one, other)
}

/** Longest first part of a name: some programs refuse paths of more than 260 characters. */
const MAX_PATH = 100

/**
 * Returns the Content-Disposition (RFC 6266) of a reply that people save: `attachment` with the path, the days in Madrid of the
 * requested period, or else of the data, and the format's ending; null for JSON, which browsers show.
 */
export function dispositionOf(
  { path, own }: Pick<RequestValues, 'path' | 'own'>,
  { format, data_time }: { readonly format: Format; readonly data_time: number | null },
): string | null {
  const { ending } = FORMAT_KINDS[format]
  if (ending === null) return null
  const name = foldName(decodeURIComponent(path.replace(/^\/api\//, '')))
    .replaceAll(' ', '-')
    .slice(0, MAX_PATH)
  return `attachment; filename="${[name, ...daysOf(own, data_time)].join('_')}.${ending}"`
}

/** The first and the last day of the requested period, or the day of the data. */
function daysOf(own: RequestValues['own'], data_time: number | null): readonly string[] {
  const { from, to } = Object.values(own).find(isPeriod) ?? { from: null, to: null }
  const ends = [from, to === null ? data_time : to - 1].filter((instant) => instant !== null)
  return [...new Set(ends.map((instant) => madridDate(instant)))].sort()
}

function isPeriod(value: unknown): value is { readonly from: number | null; readonly to: number | null } {
  if (typeof value !== 'object' || value === null || !('from' in value && 'to' in value)) return false
  return [value.from, value.to].every((end) => end === null || typeof end === 'number')
}
