import { hash } from 'node:crypto'
import type { Dataset } from '../../lake/schema/dataset.ts'
import type { InLease } from '../access/limits/in-lease.ts'
import { datasetsOf, type Endpoint } from '../define/endpoint.ts'
import { FORMAT_KINDS, type Format, isTable } from '../define/formats.ts'
import { type Problem, problem } from '../define/problems.ts'
import type { Cursors } from './cursor.ts'
import { deprecationLinks } from './deprecation.ts'
import { type ReplyHead, stepOf } from './replies.ts'
import type { RequestValues } from './request.ts'
import type { ServiceState } from './state.ts'
import type { Spooled } from './tables/spool.ts'
import type { Tables } from './tables/tables.ts'

/** What every way of answering works with. */
export interface AnswerContext {
  readonly endpoint: Endpoint
  readonly state: ServiceState
  readonly cursors: Cursors
  readonly tables: Tables
  /** Changes if the form of the endpoint's replies does. */
  readonly replyVersion: () => string
}

/** A request that is understood, before any work is done. */
export interface Prepared {
  /** Its links are those that are known before the answer is. */
  readonly head: ReplyHead
  /** Makes the body; `signal` is aborted when nobody waits for it any more. */
  readonly answer: (signal: AbortSignal) => Body | Promise<Body>
  /** False where even the head of a HEAD request would cost a query. */
  readonly isCheap: boolean
  /** True where only the answer shows whether there is anything at all under the path. */
  readonly mayNotExist?: boolean
  /** True where only the answer shows whether all that it rests on could be read (see `Body.isPartial`). */
  readonly mayBePartial?: boolean
}

/** A body and what its head says of it. */
export interface Body {
  /** Its text, in pieces that follow each other. */
  readonly pieces: readonly string[]
  /** What it is where it is no text; whoever takes the body closes it. */
  readonly file?: Spooled
  readonly links: readonly string[]
  /** True where a part of what it rests on could not be read: another answer may come as soon as it can. */
  readonly isPartial?: boolean
}

/** One way of answering: reads the request, finds out its tag, and can then make the body. Throws problems. */
export type Answerer = (
  values: RequestValues,
  options: { readonly format: Format; readonly now: number; readonly lease: InLease },
) => Prepared | Promise<Prepared>

/** When newer data is expected (ms), as far as is known when it is asked, and how many seconds lie between two publications. */
export interface Refresh {
  readonly at: () => number
  readonly cadence_s: number
}

/** What a tag is made from, besides the request. */
export interface Versions {
  /** Datasets whose state the reply says something of. */
  readonly datasets: readonly Dataset[]
  /** Versions or snapshot ids of what is read. */
  readonly of: readonly (string | number | null)[]
  /** When what is read last changed (ms), where that may be later than the time of the data. */
  readonly changed_at?: number | null
}

/** The weak tag of an answer, known before it is made. */
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
    [options.format, values.page.dialect, values.page.codec],
    options.step,
    versions.of,
    state.contextVersion(versions.datasets),
  ])
  return weakTag(text)
}

/** The weak tag of a text, or of what tells it from others. */
export function weakTag(text: string): string {
  return `W/"${hash('sha256', text, 'base64url').slice(0, 22)}"`
}

/** The head of an answer; see `ReplyHead`. */
export function headOf(
  context: AnswerContext,
  values: RequestValues,
  options: {
    readonly format: Format
    readonly now: number
    readonly versions: Versions
    readonly data_time: number | null
    readonly refresh: Refresh
    readonly clock_s?: number
    /** The datasets that are answered from, where not all of the endpoint's. */
    readonly from?: readonly Dataset[]
  },
): ReplyHead {
  const clock_s = smallest(values.clock_s, options.clock_s ?? 0)
  const step = stepOf(clock_s, options.now)
  return {
    etag: etagOf(context, values, { format: options.format, step, versions: options.versions }),
    content_type: FORMAT_KINDS[options.format].type,
    format: options.format,
    isText: FORMAT_KINDS[options.format].isText,
    links: [
      ...(isTable(options.format) ? tableLinks(context.endpoint, options.from ?? datasetsOf(context.endpoint)) : []),
      ...deprecationLinks(context.endpoint),
    ],
    language: context.endpoint.returns.record.localise ? values.page.lang : null,
    data_time: options.data_time,
    refreshAt: options.refresh.at,
    cadence_s: options.refresh.cadence_s,
    clock_s,
    step,
    modified_at: modifiedAt(context, { ...options, begin: step * clock_s * 1000 }),
  }
}

/**
 * When the answer last changed: with its data, the step of the clock, or what replies say besides; never in the future. What has this
 * time is the same answer, so that If-Modified-Since may go by it.
 */
function modifiedAt(
  { state }: AnswerContext,
  options: { readonly now: number; readonly versions: Versions; readonly data_time: number | null; readonly begin: number },
): number | null {
  const { now, versions, data_time, begin } = options
  const newest = Math.max(data_time ?? 0, versions.changed_at ?? 0, begin, state.contextChangedAt(versions.datasets))
  return newest === 0 ? null : Math.min(newest, now)
}

/** What a table cannot say in itself: the schema of its rows, and the licences of its sources with their attribution (RFC 8288, RFC 8187). */
function tableLinks(endpoint: Endpoint, datasets: readonly Dataset[]): string[] {
  const sources = new Map(datasets.flatMap((dataset) => dataset.sources).map((source) => [source.id, source]))
  const licences = [...sources.values()].map(
    ({ licence_url, attribution }) => `<${new URL(licence_url).href}>; rel="license"; title*=UTF-8''${extendedValue(attribution)}`,
  )
  return [`<${schemaPath(endpoint.returns.record.name)}>; rel="describedby"; type="application/schema+json"`, ...licences]
}

/** The path of the JSON Schema of a record's rows in tables. */
export function schemaPath(record: string): string {
  return `/schemas/${record}`
}

/** A text as a parameter of a header (RFC 8187). */
function extendedValue(text: string): string {
  return encodeURIComponent(text).replaceAll(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** The problem of a path under which there is nothing; `near` is what was probably meant. */
export function unknownThing(path: string, near: string | null = null): Problem {
  return problem('not-found', `Nothing is known under ${path.slice(0, 200)}${near === null ? '.' : `; did you mean ${near}?`}`)
}

/** The Link header's entry for the next page, of the path and query as they were sent. */
export function nextLink(path: string, query: string, cursor: string): string {
  const params = new URLSearchParams(query)
  params.set('cursor', cursor)
  // `since` began the feed of changes; the cursor now says where it is.
  params.delete('since')
  return `<${path}?${params}>; rel="next"`
}

/** The clock as an answer may see it: the begin of its step; 0 where it may not see it at all. */
export function steppedNow(clock_s: number, now: number): number {
  return clock_s === 0 ? 0 : Math.floor(now / (clock_s * 1000)) * clock_s * 1000
}

function smallest(one: number, other: number): number {
  return one === 0 || other === 0 ? Math.max(one, other) : Math.min(one, other)
}
