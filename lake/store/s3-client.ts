import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'
import pLimit from 'p-limit'
import { StoreError, systemCode } from './errors.ts'

/** Location and connection options of a bucket. */
export interface S3Options {
  /** `s3://bucket` or `s3://bucket/prefix`. */
  readonly url: string
  /** `http(s)://host:port` of an S3-compatible server; AWS by default. */
  readonly endpoint?: string
  /** The address in signed URLs, if customers reach the server at another one; `endpoint` by default. */
  readonly publicEndpoint?: string
  /** By default from the environment's AWS settings. */
  readonly region?: string
  /** Bucket in the path instead of the host name, as most servers other than AWS require. */
  readonly pathStyle?: boolean
  /** By default found the AWS way (environment, profile, role). */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken?: string }
  /** Attempts of a request before it fails; 5 by default. */
  readonly attempts?: number
  /** How long a server may be silent during a request, in ms; 60,000 by default. */
  readonly silence_ms?: number
}

const CONNECT_MS = 5000
const CONCURRENT = 64
const SILENT = Object.freeze({ trace() {}, debug() {}, info() {}, warn() {}, error() {} })

/**
 * A client of the server with bounded timeouts, retries and concurrency. It only throws `S3RequestError`. Whoever opens it calls
 * `destroy`.
 */
export function s3Client(options: S3Options): S3Client {
  const config: S3ClientConfig = {
    maxAttempts: options.attempts ?? 5,
    forcePathStyle: options.pathStyle ?? false,
    // Servers other than AWS reject the SDK's default checksum trailers; the signature covers the body's SHA-256 anyway.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // `Expect: 100-continue` costs a connection for each part, and some servers never answer it.
    expectContinueHeader: false,
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      socketTimeout: options.silence_ms ?? 60_000,
      // Our own semaphore bounds the requests; one waiting for a socket would hit the connection timeout.
      httpAgent: { keepAlive: true, maxSockets: 1024 },
      httpsAgent: { keepAlive: true, maxSockets: 1024 },
      logger: SILENT,
    },
    logger: SILENT,
    ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint }),
    ...(options.region === undefined ? {} : { region: options.region }),
    ...(options.credentials === undefined ? {} : { credentials: options.credentials }),
  }
  const client = new S3Client(config)
  const turn = pLimit(CONCURRENT)
  // Outermost, so that a request waits its turn before its signature and timeouts start.
  client.middlewareStack.add((next) => (args) => turn(() => withLiveKeys(client, () => next(args)).catch(fail)), {
    step: 'initialize',
    priority: 'high',
    name: 'bounded',
  })
  return client
}

/** Statuses of rejected keys, among other errors: withdrawn ones, and expired ones on AWS. */
const KEY_REFUSALS: readonly number[] = [403, 400]

/**
 * Sends a request, and once more with newer keys if the server rejected the first ones: a role's keys can be withdrawn before
 * they expire.
 */
async function withLiveKeys<T>({ config }: S3Client, send: () => Promise<T>): Promise<T> {
  // If there are none, the request itself reports it.
  const used = await config.credentials().catch(() => null)
  try {
    return await send()
  } catch (error) {
    if (!used || !KEY_REFUSALS.includes(metadataOf(error).httpStatusCode ?? 0)) throw error
    const current = await config.credentials()
    const keys = isSame(used, current) ? await config.credentials({ forceRefresh: true }).catch(() => used) : current
    if (isSame(used, keys)) throw error
    return await send()
  }
}

type Keys = Awaited<ReturnType<S3Client['config']['credentials']>>

function isSame(one: Keys, other: Keys): boolean {
  return one.accessKeyId === other.accessKeyId && one.secretAccessKey === other.secretAccessKey && one.sessionToken === other.sessionToken
}

/** A request that failed for good. Unlike SDK errors it has no reference to the reply and its socket, which would be logged. */
export class S3RequestError extends Error {
  /** HTTP status; null without a reply. */
  readonly status: number | null
  /** Number of attempts; null if the SDK does not report it. */
  readonly tries: number | null
  /** System code (`ECONNREFUSED`) or the server's error name (`NoSuchBucket`). */
  readonly code: string

  constructor(error: unknown) {
    const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) }
    const system = systemCode(error)
    const { httpStatusCode: status = null, attempts: tries = null } = metadataOf(error)
    // The SDK's texts for replies that are not S3 errors, such as a gateway's.
    const said = [name, message, system].filter((part) => part && !['Error', 'Unknown', 'UnknownError'].includes(part))
    super(`${[...new Set(said)].join(': ') || 'no reason given'}${status === null ? '' : ` (HTTP ${status})`}`)
    this.name = name
    this.status = status
    this.tries = tries
    this.code = system ?? name
    if (error instanceof Error && error.stack) this.stack = error.stack
  }
}

function fail(error: unknown): never {
  throw new S3RequestError(error)
}

/** Bucket and prefix (empty, or ending with a slash) of an `s3://` URL. Throws `StoreError` for any other. */
export function parseS3Url(url: string): { readonly bucket: string; readonly prefix: string } {
  const [, bucket, path] = /^s3:\/\/([A-Za-z0-9._-]+)(?:\/(.*?))?\/?$/.exec(url) ?? []
  if (bucket === undefined)
    throw new StoreError(`store url ${JSON.stringify(url)} is not s3://bucket or s3://bucket/prefix`, { code: 'invalid-url' })
  return { bucket, prefix: path ? `${path}/` : '' }
}

/** HTTP status of a failed request; null without a reply. */
export function httpStatus(error: unknown): number | null {
  return error instanceof S3RequestError ? error.status : null
}

/** The error for a failed request: with the store, the key, the operation and the server's message. */
export function s3Failure(doing: string, options: { readonly url: string; readonly key: string; readonly error: unknown }): StoreError {
  const { error } = options
  if (error instanceof StoreError) return error
  const what = options.key ? `${doing} ${JSON.stringify(options.key)} in` : doing
  const reason = error instanceof Error ? error.message : String(error)
  return new StoreError(`cannot ${what} the store ${options.url}: ${reason}`, { code: systemCode(error) ?? 'failed', cause: error })
}

function metadataOf(error: unknown): { readonly httpStatusCode?: number; readonly attempts?: number } {
  if (!(error instanceof Error) || !('$metadata' in error)) return {}
  return (error.$metadata ?? {}) as { httpStatusCode?: number; attempts?: number }
}
