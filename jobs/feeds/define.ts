import type { Sql } from '../../lake/query/sql.ts'
import type { CodeList } from '../../lake/schema/codes.ts'
import type { AnyRow, Dataset, FeedRow } from '../../lake/schema/dataset.ts'
import type { Source } from '../../lake/schema/sources.ts'
import { type DownloadStep, type FeedRequest, type Get, requestOf } from './request.ts'
import type { StreamIntake, StreamKnown, StreamSetting } from './stream-intake.ts'

export type { ClientCredentials, DownloadStep, FeedRequest, Get, RequestSecret, Withhold } from './request.ts'

/** A body as received and decompressed; formats decode the text themselves. */
export interface FeedBody {
  readonly name: string
  readonly bytes: Buffer
}

/** Instants for a parser: when the bytes were fetched, in ms since the epoch. */
export interface FeedClock {
  readonly fetched_at: number
  /** Latest instant of a local time, ms: decides the hour that October repeats. The fetch time by default. */
  readonly near?: number
}

/** Rows of one dataset, in any number. */
export interface Batch {
  readonly dataset: Dataset
  readonly rows: readonly AnyRow[]
}

/** Parse diagnostics. All counts add up; nothing is dropped silently. */
export interface Diagnostics {
  /**
   * States the publication time (ms since the epoch), if the document has one that identifies its content; otherwise the fetch
   * time counts. Different content under a known time is treated as the same publication and not accepted. See "Publication
   * times" in jobs/README.md.
   */
  publishedAt(instant: number): void
  /** Counts a source code missing from a list; the code itself stays in the row. */
  unknownCode(list: CodeList | string, code: string): void
  /** Counts a row that cannot be made, with the reason; `sample` helps to find the cause. */
  reject(dataset: Dataset, reason: string, sample: string): void
  /** Reports that a block of a dataset (see `CompletenessGroups`) is missing from this publication. */
  missingGroup(dataset: Dataset, block: string): void
  /** Reports something for a person to read: a repaired coordinate, a disagreement, a flag. Equal texts are counted. */
  warn(text: string): void
}

/** The guard's tolerance for one dataset of a feed. */
export interface Band {
  /** Least number of rows of any publication. */
  readonly atLeast: number
  /** Lowest and highest ratio of the row count to that of the last accepted fetch. */
  readonly minRatio: number
  readonly maxRatio: number
  /** Higher minimum ratios for publications soon after the last accepted one, the shortest time first. */
  readonly soon?: readonly SoonBand[]
  /** True if a publication without rows is valid, whatever came before. */
  readonly mayBeEmpty?: true
  /** Completeness groups whose rows do not show how complete a publication is: ratios are computed without them. */
  readonly exceptGroups?: readonly string[]
}

/** The usual ratio for a publication soon after the last accepted one. It must have a row if the last one had any. */
export interface SoonBand {
  readonly within_s: number
  readonly minRatio: number
  /**
   * The ratio applies only if the last publication had at least this many rows; smaller ones may halve. Any number by default.
   */
  readonly ofAtLeast?: number
}

/**
 * The blocks of a dataset that a publication may lose as a whole (a núcleo, the M-30). A block is a value of a column, or each
 * element if the column is a list. A row's absence does not count while any of its blocks is missing.
 * Rules: "Completeness groups" in jobs/README.md.
 */
export interface CompletenessGroups {
  readonly column: string
  /**
   * Rows that the previous publication must have had, or things expected, before an absent block counts as missing; 20 by
   * default.
   */
  readonly least?: number
  /** The same limit for expected things only, where it differs: a timetable is more reliable than the previous publication. */
  readonly leastExpected?: number
  /** Which blocks a publication must have, computed from other tables; by default only the previous publication is used. */
  readonly expected?: ExpectedGroups
  /** Expected blocks that no publication ever has: they do not count as missing. */
  readonly never?: readonly string[]
  /**
   * How long a publication without the block is rejected after one that had it, s; 0 by default. For whole versions, where
   * missing rows are not carried over.
   */
  readonly refusedFor_s?: number
  /**
   * Largest share of blocks that may be missing, including those missing before; above it the publication is incomplete. 0.5
   * by default.
   */
  readonly mostMissing?: number
  /**
   * The dataset whose rows decide whether a block is missing, if this dataset may legitimately have none; itself by default.
   */
  readonly countedIn?: string
}

/**
 * How the lake computes which blocks a publication must have. The answer is recorded in the raw log beside the fetch: a
 * rebuild uses the recorded answer, not a newer one.
 */
export interface ExpectedGroups {
  /** Datasets that the query reads; if one has no table yet, nothing is expected. */
  readonly from: readonly Dataset[]
  /** The answer for an instant is valid for this many seconds; queried instants are multiples of it. */
  readonly every_s: number
  /**
   * The query for the things a publication must have at an instant (ms): a row with `block` and `count` per block that the
   * lake knows, including 0. A block without a row is unknown.
   */
  readonly query: (at: number) => Sql
}

/** A file that a publisher lists in an archive. */
export interface ArchiveFile {
  /** The day, month or year of the file: `2022-03-01`, `2022-03`, `2022`; of a part its name. */
  readonly period: string
  readonly url: string
}

/** Days, both inclusive, YYYY-MM-DD. */
export interface DayRange {
  readonly from: string
  readonly to: string
}

/**
 * A feed that is an archive: one file per period, and one fetch per file. The plan's one request gets each file's address; the
 * body is named by the period. A file is compared only with the previous file of its period, and the newest fetch of a period
 * counts. `publishedAt` is not used.
 */
export interface Archive {
  readonly unit: 'day' | 'month' | 'year' | 'part'
  /** Requests whose answers list the publisher's files; none if file names follow from the calendar. */
  readonly index: readonly FeedRequest[]
  /**
   * The files listed in the answers, in any order; files outside the range are allowed. Pure. Throws `FormatError` if the
   * answers are not a list. Listed periods may have gaps: they are the publisher's, not failures.
   */
  readonly files: (index: readonly FeedBody[], range: DayRange) => readonly ArchiveFile[]
  /**
   * Set if a file has pages: returns the next page's address, why the answer is not a page, or null after the last. Pure. All
   * pages are one fetch, with bodies `<period>`, `<period>.2` and so on; a file with a missing page is rejected.
   */
  readonly next?: (page: FeedBody, url: string) => DownloadStep | null
  /** How many of the newest files are checked in the feed's cadence: files may be corrected later. */
  readonly recent: number
  /** How many of the newest files the service should have; missing ones are fetched in the background. None by default. */
  readonly history?: number
  /** True for an answer with status 200 that means "no such file"; it is handled like a 404. */
  readonly isAbsent?: (body: FeedBody) => boolean
  /**
   * The part of a file's bytes to compare, if the publisher adds varying data such as the request time; all bytes by default.
   */
  readonly contentOf?: (body: FeedBody) => Buffer
}

/** How many requests a minute a publisher allows; feeds that name the same limit share it. */
export interface RequestLimit {
  readonly name: string
  readonly perMinute: number
}

/**
 * A feed of many small documents, each under a key, fetched on request. A fetch has the documents that are due, each a body
 * named by its key. Documents come in any order, so only `append` datasets fit.
 */
export interface OnDemand {
  /** The request of a key's document. */
  readonly request: (key: string) => FeedRequest
  /** Seconds for which a fetched document is not fetched again. */
  readonly keptFor_s: number
  /** Keys that are always fetched, requested or not. */
  readonly always: readonly string[]
  readonly limit: RequestLimit
  /** True for an answer with status 200 that means "no such document". */
  readonly isAbsent?: (body: FeedBody) => boolean
}

/**
 * A feed read from a long-lived connection. Frames go into minute files: each file is one fetch, with one message per line.
 * The feed has no plans; `rows` gets a file as the body `minute`.
 */
export interface Stream {
  /** The address: a fixed WebSocket URL, or the setting that lists the operator's own receivers (`tcp://…`, `udp://…`). */
  readonly connect: { readonly url: string } | { readonly env: StreamSetting }
  /** The first message sent over a WebSocket; `secret` is the value of `secretEnv`, or null against a stand-in. */
  readonly greeting?: (secret: string | null) => string
  readonly secretEnv?: string
  /** Seconds after which a file is accepted, and its size limit in bytes; frames beyond the limit are counted and dropped. */
  readonly file_s: number
  readonly maxFileBytes: number
  /** Starts the intake of frames: lines of TCP and UDP, messages of a WebSocket. Called once connected. */
  readonly intake: (known: StreamKnown) => StreamIntake
}

/** A file that was unpacked for the engine. */
export interface BulkFile {
  readonly path: string
  /** Its first line. */
  readonly header: string
  /** The period of the file. */
  readonly period: string
}

/**
 * Makes the rows of an archive's file with one SQL query, for files too large to parse into row objects. The feed has one
 * dataset of whole versions, and a file is one version in one partition. Declared with `bulkFeed`.
 */
export interface Bulk {
  /**
   * Selects the dataset's columns in any order, except those in `derivedColumns`. Throws `FormatError` for an unexpected header.
   * A bad line fails the query, and so the file.
   */
  readonly query: (file: BulkFile) => Sql
  /**
   * Columns that are constant or computed from other columns. They are added after sorting, so the sort moves less data. See
   * `WriteOptions`.
   */
  readonly derivedColumns?: (file: BulkFile) => Readonly<Record<string, Sql>>
  /** The columns of a header that the query does not read: each is counted as an unknown code of the list. */
  readonly unknownColumns?: { readonly list: string; readonly of: (header: string) => readonly string[] }
  /** True if every line of a file ends with a line feed: another file was cut off. */
  readonly endsLines?: true
}

/** What a feed declares; see "declare once" in architecture.md. */
export interface FeedSpec {
  readonly id: string
  readonly source: Source
  readonly into: readonly Dataset[]
  /** Expected cadence, in seconds: late at 2×, stale at 3×. */
  readonly every_s: number
  /** Set if the feed is a stream; it then has no plans. `every_s` is the longest normal silence. */
  readonly stream?: Stream
  /** The request, if a publication is one document; of several, each is tried if the one before fails for good. */
  readonly get?: Get | readonly Get[]
  /** Plans of several requests, pages or directories, in place of `get`, tried in the same way. */
  readonly plans?: readonly PlanSpec[]
  /** Set if the feed is an archive; its plan is then one request, for any of its files. */
  readonly archive?: Archive
  /** Set if documents are fetched on demand; the plan is then one request, for any key. */
  readonly onDemand?: OnDemand
  /** Set if DuckDB makes the rows of its files. */
  readonly bulk?: Bulk
  /** Guard bands, by dataset id. */
  readonly bands: Readonly<Record<string, Band>>
  /** Completeness groups, by dataset id. */
  readonly groups?: Readonly<Record<string, CompletenessGroups>>
  /**
   * How the age of the data is measured: from its publication (default), or from the last fetch, for a publisher that
   * publishes only changes and correctly answers "unchanged".
   */
  readonly freshBy?: 'publication' | 'fetch'
  /** Days that raw bytes are stored; unlimited by default, 90 for feeds faster than hourly. */
  readonly rawRetentionDays?: number
  /** The command that imports its files, if the publisher refuses scripts: `--live` never fetches it. */
  readonly importedBy?: string
  /** False for a feed that `--live` fetches only if the operator turns it on. */
  readonly liveByDefault?: boolean
  /** The variable that the operator sets to `accepted` to state an agreement with the publisher; `--live` needs it. */
  readonly terms?: string
  /**
   * Parses bytes into rows: pure, streamed in batches. Throws `FormatError` for an unexpected document. `wanted` names the
   * datasets whose rows are used, all by default: a parser may skip the others, but must give the same rows for these.
   */
  readonly rows: (
    bodies: readonly FeedBody[],
    clock: FeedClock,
    diagnostics: Diagnostics,
    wanted?: ReadonlySet<Dataset>,
  ) => AsyncIterable<Batch> | Iterable<Batch>
}

/** A set of requests that together give one publication. */
export interface RequestPlan {
  readonly requests: readonly FeedRequest[]
  /** How many requests must succeed; all by default (the fuel provinces: 50 of 52). */
  readonly enough?: number
  /**
   * Set if the plan has one request whose answer has pages: returns the next page's address, why the answer is not a page, or
   * null after the last. Pure. Bodies are named `<request>`, `<request>.2` and so on; all pages are required.
   */
  readonly next?: (page: FeedBody, url: string) => DownloadStep | null
  /** Set if the publication is the files of a directory; the plan's one request is then that of any file. */
  readonly directory?: Directory
}

/** A plan as declared. */
export type PlanSpec = Omit<RequestPlan, 'requests'> & { readonly requests: readonly Get[] }

/** A page that lists the files of a publication. The page itself is not stored; each file is a body. */
export interface Directory {
  readonly index: FeedRequest
  /** The files that the page lists. Pure. Throws `FormatError` if it lists none. */
  readonly files: (page: FeedBody, url: string) => readonly { readonly name: string; readonly url: string }[]
  /** Share of the files that must be answered. */
  readonly leastShare: number
}

/** A declared feed: its domain is that of its first dataset. */
export type Feed = Readonly<Omit<FeedSpec, 'get' | 'plans'>> & { readonly domain: string; readonly plans: readonly RequestPlan[] }

/** Declares a feed. */
export function defineFeed({ get = [], plans, ...spec }: FeedSpec): Feed {
  const gets = 'url' in get ? [get] : get
  return Object.freeze({
    ...spec,
    domain: (spec.into[0] as Dataset).domain,
    plans: (plans ?? gets.map((one) => ({ requests: [one] }))).map((plan) => ({ ...plan, requests: plan.requests.map(requestOf) })),
  })
}

/** Rows of a dataset, checked by tsc against its columns. */
export function batch<D extends Dataset>(dataset: D, rows: readonly FeedRow<D>[]): Batch {
  return { dataset, rows: rows as readonly AnyRow[] }
}

/** The body of a publication that is one document. Throws `FormatError` if there is none. */
export function bodyOf([body]: readonly FeedBody[]): FeedBody {
  if (!body) throw new FormatError('there is no body')
  return body
}

/** A document with unexpected content; `message` states what was found and where. */
export class FormatError extends Error {
  override readonly name = 'FormatError'
}

/** Looks up a source's code in a table; undefined if missing, even for a code such as `constructor`. */
export function lookUp<T>(table: Readonly<Record<string, T>>, code: string | null): T | undefined {
  return code !== null && Object.hasOwn(table, code) ? table[code] : undefined
}
