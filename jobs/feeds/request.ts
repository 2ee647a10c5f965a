/** The media types to ask for, by the expected format. */
const ACCEPTS: Readonly<Record<FeedRequest['expects'], string>> = {
  xml: 'application/xml, text/xml;q=0.9',
  html: 'text/html',
  json: 'application/json',
  csv: 'text/csv',
  zip: 'application/zip',
  tar: 'application/gzip',
  protobuf: 'application/x-protobuf, application/octet-stream;q=0.9',
  shp: 'application/octet-stream, */*',
  dbf: 'application/octet-stream, */*',
}

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
   * The expected format, checked by the first bytes; an HTML page is data only as `html`. A zip or tar must be complete, and the
   * members of a zip must fit within `maxDecodedBytes` together.
   */
  readonly expects: 'xml' | 'html' | 'json' | 'csv' | 'zip' | 'tar' | 'protobuf' | 'shp' | 'dbf'
  /** Set if the file itself is compressed: it is decompressed like a content-encoding, and archived as it is. */
  readonly packed?: 'gzip' | 'bzip2'
  /**
   * Set if the decompressed file is too large for memory: it is decompressed to a scratch file (`Bulk`), up to
   * `maxDecodedBytes`.
   */
  readonly isStreamed?: boolean
  /**
   * Set if the first answer only names the document's address. The document's bytes are the body; the first answer is not
   * stored.
   */
  readonly twoStep?: TwoStepDownload
  /** Set if the publisher requires a secret of ours. */
  readonly secret?: RequestSecret
  /** Set if replies have records that must not be stored. */
  readonly withhold?: Withhold
}

/** Removes data that must not be stored from a reply, before its bytes are stored or parsed. */
export interface Withhold {
  /** The setting with the operator's own list, separated by commas. */
  readonly env: string
  /**
   * Returns the bytes without the withheld records; `listed` is the operator's list in upper case. Throws `FormatError` for
   * bytes that it cannot read.
   */
  readonly from: (bytes: Buffer, listed: ReadonlySet<string>) => Buffer
}

/** How a slip leads to its document. */
export interface TwoStepDownload {
  /** Allowed hosts of documents; a first answer that names another host is an error. */
  readonly hosts: readonly string[]
  /** Reads a slip: pure. */
  readonly to: (slip: Buffer) => DownloadStep
  /** Set if the document needs the secret too; it is sent only to the host of the first request. */
  readonly needsSecret?: true
}

/**
 * The result of the first step: the document's address, or why there is none, whether a retry may help, and the matching HTTP
 * status if it names one (404: no such document).
 */
export type DownloadStep = { readonly url: string } | { readonly refused: string; readonly retryable: boolean; readonly status?: number }

/**
 * A secret sent with a request, only to the host of that request. It never appears in an address, a log line or stored data.
 */
export interface RequestSecret {
  /** The name of its setting; without a value `--live` skips the plan, and the feed if it has no other. */
  readonly env: string
  /** The header that carries it. */
  readonly header: string
  /** How long a key is valid after it was issued, s, if the publisher's keys expire. */
  readonly validFor_s?: number
  /** Set if the secret is `<client id>:<client secret>` and buys tokens: the header then has a token. */
  readonly token?: ClientCredentials
}

/** Set if tokens come from OAuth 2.0 client credentials. */
export interface ClientCredentials {
  readonly url: string
}

/** A request as declared: the rest follows from the expected format and `maxBytes`, with a timeout of a minute. */
export type Get = Pick<FeedRequest, 'name' | 'url' | 'maxBytes' | 'expects'> & Partial<FeedRequest>

/** The request of a declaration. */
export function requestOf(get: Get): FeedRequest {
  return { accept: ACCEPTS[get.expects], maxDecodedBytes: get.maxBytes, timeout_ms: 60_000, ...get }
}
