import type { Sql } from '../../lake/query/sql.ts'
import type { CodeList } from '../../lake/schema/codes.ts'
import type { AnyRow, Dataset, FeedRow } from '../../lake/schema/dataset.ts'
import type { Source } from '../../lake/schema/sources.ts'

/** One HTTP request of a feed. */
export interface FeedRequest {
  /** Short name, unique in the feed; names the body for `rows`. */
  readonly name: string
  readonly url: string
  readonly accept: string
  /** Most bytes before and after decompression. */
  readonly maxBytes: number
  readonly maxDecodedBytes: number
  readonly timeout_ms: number
  /**
   * What the bytes must be by their look; an HTML page is never data. A zip or a tar must be whole, and the members of a zip
   * together within `maxDecodedBytes`.
   */
  readonly expects: 'xml' | 'json' | 'csv' | 'zip' | 'tar' | 'protobuf' | 'shp' | 'dbf'
  /** Set where the file itself is packed: it is unpacked as a content-encoding is, and `expects` is of what was in it. The archive keeps it packed. */
  readonly packed?: 'gzip' | 'bzip2'
  /** Set where it is too large for memory once unpacked: it stays packed until it is unpacked into a file (`Bulk`), within `maxDecodedBytes`. */
  readonly isStreamed?: boolean
  /** Set where the answer is only a slip that names the document's address: the document's bytes are the body, the slip is not kept. */
  readonly follow?: Follow
  /** Set where the publisher asks for a secret of ours. */
  readonly secret?: RequestSecret
  /** Set where replies have records that must not be stored. */
  readonly withhold?: Withhold
}

/** Removes what must not be stored from a reply, before its bytes are kept or read. */
export interface Withhold {
  /** The setting with the operator's own list, separated by commas. */
  readonly env: string
  /** The bytes without those records; `listed` is the operator's list in upper case. Throws `FormatError` for bytes that it cannot read. */
  readonly from: (bytes: Buffer, listed: ReadonlySet<string>) => Buffer
}

/** How a slip leads to its document. */
export interface Follow {
  /** Hosts that documents may be at; a slip that names another one is an error. */
  readonly hosts: readonly string[]
  /** Reads a slip: pure. */
  readonly to: (slip: Buffer) => Followed
}

/**
 * What a slip says: the document's address, or in words why there is none, whether asking again soon may help, and the status of HTTP that it
 * comes to, where it names one (404: there is no such document).
 */
export type Followed = { readonly url: string } | { readonly refused: string; readonly retryable: boolean; readonly status?: number }

/** A secret that goes with a request, to the host that it is asked of alone; never part of an address, a log line or what is kept. */
export interface RequestSecret {
  /** The variable of the configuration that has it; without a value `--live` skips the plan, and the feed if it has no other. */
  readonly env: string
  /** The header that carries it. */
  readonly header: string
  /** Set where the secret is `<client id>:<client secret>`, for which there are tokens: the header then carries a token. */
  readonly token?: ClientCredentials
}

/** Where tokens are asked for by OAuth 2.0 client credentials. */
export interface ClientCredentials {
  readonly url: string
}

/** A body as received and decompressed; formats decode the text themselves. */
export interface FeedBody {
  readonly name: string
  readonly bytes: Buffer
}

/** Instants a parser may know: when the bytes were fetched, in ms since the epoch. */
export interface FeedClock {
  readonly fetched_at: number
}

/** Rows of one dataset, in any number. */
export interface Batch {
  readonly dataset: Dataset
  readonly rows: readonly AnyRow[]
}

/** What a parser says beside its rows. All counts add up; nothing is dropped silently. */
export interface Notes {
  /**
   * States the publication's own time (ms since the epoch) once known; without it the fetch time stands. Only a time that names the
   * content: other content under a time that is known counts as the same publication and is not taken. A document whose content changes
   * under one time (the newest report in it, say, when an item without a report can leave) states none here.
   */
  publishedAt(instant: number): void
  /** Counts a source code that a list lacks; the code itself is kept in the row. */
  unknownCode(list: CodeList | string, code: string): void
  /** Counts a row that cannot be made at all, with the reason; `sample` helps whoever looks. */
  quarantine(dataset: Dataset, reason: string, sample: string): void
  /** Says that a block of a dataset (see `Blocks`) is known to be missing from this publication. */
  missingBlock(dataset: Dataset, block: string): void
  /** Something a person should read: a repaired coordinate count, a disagreement, a flag. Same texts are counted. */
  warn(text: string): void
}

/** The guard's tolerance for one dataset of a feed. */
export interface Band {
  /** Least number of rows of any publication. */
  readonly atLeast: number
  /** Least and greatest ratio of rows to those of the last accepted fetch. */
  readonly minRatio: number
  readonly maxRatio: number
  /** Greater least ratios, of publications that follow the last accepted one within so many seconds, the soonest first. */
  readonly soon?: readonly SoonBand[]
  /** True if a publication without any row is valid, whatever the one before had. */
  readonly mayBeEmpty?: true
  /** Blocks of the dataset whose rows tell nothing of how whole a publication is: ratios are of the others. */
  readonly besides?: readonly string[]
}

/** What is usual of a publication that follows the last accepted one soon. It has some row where that had any. */
export interface SoonBand {
  readonly within_s: number
  readonly minRatio: number
  /** The ratio counts where the last one had so many rows: fewer may halve from one to the next. Any number unless told. */
  readonly ofAtLeast?: number
}

/**
 * The blocks of one dataset that a publication of a feed may lose whole (a núcleo, the M-30). A block is what the values of a column
 * name: text by text, or each element of a list, so that a row of a list is in several blocks, or in none where it is empty.
 *
 * A block is missing from a publication that has no row in it alone, where the lake expects at least `least` things of it (`expected`), and is
 * not where it expects fewer, whatever was there before. Where the lake tells nothing of a block, it is missing where the last publication
 * before, by data time, that had some of it had at least `least`.
 * The absence of a row counts for nothing while any of its blocks is missing: an alert of two núcleos may have gone with either. A row of
 * several blocks counts for none of them, else one alert of two núcleos would hide that one is missing. While a block is missing, and in the
 * publication that has it again, what is compared with the last publication is the rows that are in one of the others alone.
 */
export interface Blocks {
  readonly column: string
  /** Rows that a block must have had, or things that must be expected of it, for its absence to mean that it is missing; 20 unless told. */
  readonly least?: number
  /** Things that must be expected of it, where that is another number: what a timetable tells is surer than what was there before. */
  readonly leastExpected?: number
  /** What other tables of the lake say that a publication must have; unless told, only the publication before says it. */
  readonly expected?: ExpectedBlocks
  /** Blocks that are expected and that no publication ever has: they are not missing. */
  readonly never?: readonly string[]
  /**
   * How long after a publication that had a block one without it is refused, s; 0 unless told. For versions that take the place of others
   * whole, where what is missing is not kept from before.
   */
  readonly refusedFor_s?: number
  /** Greatest share of the blocks, those missing before included, that may be missing: more is half a publication; 0.5 unless told. */
  readonly mostMissing?: number
  /** The dataset of the feed by whose rows a block is judged to be missing, where these rows may rightly be none; its own unless told. */
  readonly countedIn?: string
}

/**
 * How the lake tells which blocks a publication must have. Its answer stands in the raw log beside the fetch that it was asked for: rows are
 * derived from what was told then, never from what the lake would say later.
 */
export interface ExpectedBlocks {
  /** Datasets that the query reads; where one of them has no table yet, nothing is known. */
  readonly from: readonly Dataset[]
  /** The answer for an instant holds for so many seconds from it on; instants that are asked for are multiples of it. */
  readonly every_s: number
  /**
   * The things that any publication of that time must have, as of an instant (ms): a row with `block` and `count` for each block of which the
   * lake knows, 0 included. Of a block without a row nothing is known.
   */
  readonly query: (at: number) => Sql
}

/** A file that a publisher lists in an archive. */
export interface ArchiveFile {
  /** The day, month or year that it holds: `2022-03-01`, `2022-03`, `2022`. */
  readonly period: string
  readonly url: string
}

/** Days, both inclusive, YYYY-MM-DD. */
export interface DayRange {
  readonly from: string
  readonly to: string
}

/**
 * A feed that is an archive: a file for each period. Each file is a fetch of its own, asked for by the one request of the feed's plan under the
 * file's address and named by its period; so is the body that `rows` gets. It is compared with the former file of its period alone.
 * Publication times are not stated (`publishedAt`): files come in any order, and the newest fetch of a period counts.
 */
export interface Archive {
  readonly unit: 'day' | 'month' | 'year'
  /** Requests whose answers list the publisher's files; none where their names follow from the calendar. */
  readonly index: readonly FeedRequest[]
  /**
   * The files that the answers list, in any order; what lies outside the range may be among them. Pure. Throws `FormatError` where the answers
   * are no list. Periods between those listed that have no file are gaps of the publisher, and no failures.
   */
  readonly files: (index: readonly FeedBody[], range: DayRange) => readonly ArchiveFile[]
  /**
   * Set where a file comes in pages: where the page after one is, by what that page and its address say, or why it is no page; null for the last.
   * Pure. All pages are one fetch, its bodies named `<period>`, `<period>.2` and so on: a file of which a page is missing is none.
   */
  readonly next?: (page: FeedBody, url: string) => Followed | null
  /** How many of the newest files are looked at in the feed's cadence: a file may be corrected after it came. */
  readonly recent: number
  /** How many of the newest files a service has once it has run for a while: those that are missing are fetched in the background. None unless set. */
  readonly history?: number
  /** True for an answer, with status 200, by which the publisher says that it has no such file: then it is none, as with 404. */
  readonly isAbsent?: (body: FeedBody) => boolean
  /** The part of a file's bytes that counts, where the publisher writes more into it each time, such as when it was asked; all unless told. */
  readonly contentOf?: (body: FeedBody) => Buffer
}

/** How many requests a minute a publisher allows; feeds that name the same limit share it. */
export interface RequestLimit {
  readonly name: string
  readonly perMinute: number
}

/**
 * A feed of many small documents, each under a key, which are fetched when somebody asks for them. A fetch is the documents that are due
 * then; each is a body named by its key. Rows are of documents that may come in any order: only `append` datasets fit.
 */
export interface OnDemand {
  /** The request of a key's document. */
  readonly request: (key: string) => FeedRequest
  /** Seconds for which a document that was fetched is not fetched again. */
  readonly keptFor_s: number
  /** Keys that are fetched whether or not somebody asks. */
  readonly always: readonly string[]
  readonly limit: RequestLimit
  /** True for an answer, with status 200, by which the publisher says that it has no such document. */
  readonly isAbsent?: (body: FeedBody) => boolean
}

/**
 * A feed that is a long-lived connection. What is received goes into minute files: each is a fetch of its own, one line a message. The feed has
 * no plans; `rows` gets a file as the body `minute`.
 */
export interface Stream {
  /** Where to connect: a fixed WebSocket address, or the variable that lists the operator's own receivers (`tcp://…`, `udp://…`). */
  readonly connect: { readonly url: string } | { readonly env: StreamSetting }
  /** What is sent first over a WebSocket; `secret` is the value of `secretEnv`, or null against a stand-in. */
  readonly greeting?: (secret: string | null) => string
  readonly secretEnv?: string
  /** Seconds after which a file is accepted, and most bytes of it; what comes beyond is counted and lost. */
  readonly file_s: number
  readonly maxFileBytes: number
  /** Begins to take frames in: lines of TCP and UDP, messages of a WebSocket. Called once a connection is held. */
  readonly intake: (known: StreamKnown) => StreamIntake
}

/** Variables of the configuration that streams read. */
export type StreamSetting = 'AIS_RECEIVERS' | 'AIS_EXCLUDED_MMSI'

/** What an intake may know when it begins. */
export interface StreamKnown {
  /** The current state of the feed's datasets, by dataset id. */
  readonly rows: ReadonlyMap<string, readonly AnyRow[]>
  readonly setting: (env: StreamSetting) => string | null
}

/** Decides what of a stream is kept. It may remember what it has seen: rows depend on what is kept alone. */
export interface StreamIntake {
  /** Takes a frame that was received at an instant (ms); gives the text of a line to keep, without its time, or null. */
  take(frame: string, at: number, connection: string): string | null
  /** Counts since the last call of what was not kept, by reason; they are kept in the file. */
  counts(): Readonly<Record<string, number>>
}

/** A file that was unpacked for the engine. */
export interface BulkFile {
  readonly path: string
  /** Its first line. */
  readonly header: string
  /** The period that it was asked for. */
  readonly period: string
}

/**
 * How the engine makes the rows of an archive's file by SQL, where they are too many to be rows of ours: one query, sorted and written once, as the
 * file that the table takes. The feed has one dataset, of whole versions, and a file of it one version in one partition. `rows` gives the same rows,
 * for small files.
 */
export interface Bulk {
  /**
   * The columns of the dataset, in any order, but for those that are `told`. Throws `FormatError` where the header is another. A bad line fails the
   * query, and so the file.
   */
  readonly query: (file: BulkFile) => Sql
  /** Columns by name that are the same in all rows, or that others tell: they are made once rows are sorted, which then carries less. See `WriteOptions`. */
  readonly told?: (file: BulkFile) => Readonly<Record<string, Sql>>
}

/** What a feed declares; see architecture.md, "declare once". */
export interface FeedSpec {
  readonly id: string
  readonly domain: string
  readonly source: Source
  readonly into: readonly Dataset[]
  /** Expected cadence, in seconds: late at 2×, stale at 3×. */
  readonly every_s: number
  /** Set where the feed is a stream: it has no plans then. `every_s` is how long it is silent at most while all is well. */
  readonly stream?: Stream
  /** Tried in order: all requests of the first plan, or where one of them fails for good, those of the next. */
  readonly plans: readonly RequestPlan[]
  /** Set where the feed is an archive: its plan is then one request, of any of its files. */
  readonly archive?: Archive
  /** Set where documents are fetched on demand: its plan is then one request, of any key. */
  readonly onDemand?: OnDemand
  /** Set where the engine makes the rows of its files. */
  readonly bulk?: Bulk
  /** Guard bands, by dataset id. */
  readonly bands: Readonly<Record<string, Band>>
  /** Blocks, by dataset id. */
  readonly blocks?: Readonly<Record<string, Blocks>>
  /**
   * What the age of the data is counted from: its publication, unless told, or the last fetch, where the publisher makes a new publication
   * only when something changes and rightly answers that nothing did.
   */
  readonly freshBy?: 'publication' | 'fetch'
  /** Days that raw bytes are kept; unlimited unless faster than hourly (90). */
  readonly rawRetentionDays?: number
  /** False for a feed that `--live` does not fetch unless the operator turns it on. */
  readonly liveByDefault?: boolean
  /** The variable that the operator sets to `accepted` to state an agreement with the publisher; `--live` needs it. */
  readonly terms?: string
  /**
   * Bytes to rows: pure, streamed in batches. Throws `FormatError` where the document is not what it should be. `wanted` names the datasets
   * whose rows will be used, all unless told: a parser of a large document may leave out the others, but gives those the same rows.
   */
  readonly rows: (
    bodies: readonly FeedBody[],
    clock: FeedClock,
    notes: Notes,
    wanted?: ReadonlySet<Dataset>,
  ) => AsyncIterable<Batch> | Iterable<Batch>
}

/** A set of requests that together give one publication. */
export interface RequestPlan {
  readonly requests: readonly FeedRequest[]
  /** How many must answer; all unless told (the fuel provinces: 50 of 52). */
  readonly enough?: number
}

export type Feed = Readonly<FeedSpec>

/** Declares a feed. */
export function defineFeed(spec: FeedSpec): Feed {
  return Object.freeze(spec)
}

/** Rows of a dataset, checked by tsc against its columns. */
export function batch<D extends Dataset>(dataset: D, rows: readonly FeedRow<D>[]): Batch {
  return { dataset, rows: rows as readonly AnyRow[] }
}

/** A document that is not what its feed should give; `message` says what was found and where. */
export class FormatError extends Error {
  override readonly name = 'FormatError'
}
