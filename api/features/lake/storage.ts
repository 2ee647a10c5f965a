import { LRUCache } from 'lru-cache'
import type { TableMetadata } from '../../../lake/iceberg/metadata.ts'
import { pathsOf, type TableState, tableUri, versionKey } from '../../../lake/iceberg/table.ts'
import type { ReaderAccess, ReaderKeys } from '../../../lake/store/reader-access.ts'
import type { Cursors } from '../../engine/request/cursor.ts'
import { problem } from '../../kernel/problems.ts'
import type { ServedFiles } from './served-files.ts'
import { decodedPart, signedHeaders } from './signature.ts'

/** Credentials change once per step of this many ms, and work for twice as long. */
export const GRANT_STEP_MS = 1_800_000

/** What a client reads a table's files with: settings of its S3 client, by their names in the Iceberg REST specification. */
export interface Grant {
  /** The location of the table: the settings are for the files below it. */
  readonly prefix: string
  readonly config: Readonly<Record<string, string>>
}

/** How a client asks for a table. */
interface Asking {
  /** The ways to read files that it names in `X-Iceberg-Access-Delegation`; empty if it names none. */
  readonly delegation: ReadonlySet<string>
  /** True if its plan reads all tables. */
  readonly readsAll: boolean
  /** True if its key writes tables. */
  readonly isWriter: boolean
  /** The path of the table below the catalogue. */
  readonly path: string
}

/** How one client reads the files of a table. */
export interface Access {
  /** The way: two of the same way have the same metadata. */
  readonly kind: 'served' | 'session' | 'keys' | 'signing' | 'writing'
  /** Returns the table's metadata, and the location of its file, as the client reads them. */
  describe(): Promise<{ readonly location: string; readonly metadata: TableMetadata }>
  /** Returns what the client may read the files with; `now` is in ms. */
  grant(now: number): Promise<Grant>
}

/** Text of a token: what it is for, the key of a table and its end, in ms. */
const TOKEN = /^lake-(files|writes) (\S+) (\d+)$/
/** Settings for writers: parts arrive in time over slow lines, and nobody deletes files. Names of Iceberg's Java library. */
const WRITING = Object.freeze({ 's3.multipart.part-size-bytes': String(8 * 1024 ** 2), 's3.delete-enabled': 'false' })
/** Region that clients of our files sign for; S3 clients need some. */
const REGION = 'us-east-1'
/** Tables whose sessions are remembered. */
const SESSIONS = 1000

type Stamps = Pick<Cursors, 'stamp' | 'stamped'>

interface StorageOptions {
  readonly files: ServedFiles
  readonly stamps: Stamps
  readonly baseUrl: () => string
  /** How clients read the bucket themselves; null if the store is a folder. */
  readonly bucket: ReaderAccess | null
  /** Address of the catalogue. */
  readonly catalogue: string
}

/**
 * Returns what chooses the access of a client. By default the API serves the files. From a bucket, clients read themselves: by
 * sessions of a role, by keys of the operator if their plan reads all tables, or by requests that we sign if they ask for that.
 */
export function openStorage(options: StorageOptions): (state: TableState, asking: Asking) => Access {
  const { bucket } = options
  const sessions = new LRUCache<string, ReaderKeys>({ max: SESSIONS })
  return (state, asking) => {
    const { table, metadata } = state
    // The files of a lake that was moved without `scripts/lake relocate` are not where they state.
    if (!bucket || asking.isWriter || metadata.location !== tableUri(table)) return served(state, asking, options)
    const { delegation, readsAll } = asking
    const signs = delegation.has('remote-signing') && !delegation.has('vended-credentials')
    if (signs) return inBucket(state, bucket, 'signing', async () => signing(asking.path, options))
    const { session, keys } = bucket
    if (session)
      return inBucket(state, bucket, 'session', async (now) => {
        // A client keeps what it has for the rest of a step, and then reads for at least as long.
        const name = `${table.key} ${Math.floor(now / GRANT_STEP_MS)}`
        const given = sessions.get(name) ?? (await session(table.key))
        sessions.set(name, given)
        return { ...keyConfig(given), ...renewal(asking, options) }
      })
    return keys && readsAll ? inBucket(state, bucket, 'keys', async () => keyConfig(keys)) : served(state, asking, options)
  }
}

/** The files are served by the API, which speaks enough of S3's protocol for all clients. */
function served(state: TableState, asking: Asking, options: StorageOptions): Access {
  const { files, stamps, baseUrl } = options
  const { key } = state.table
  const { isWriter } = asking
  return {
    kind: isWriter ? 'writing' : 'served',
    describe: async () => ({ location: files.location(versionKey(key, state.version)), metadata: await files.metadata(state) }),
    async grant(now) {
      const expires_at = (Math.floor(now / GRANT_STEP_MS) + 2) * GRANT_STEP_MS
      const token = Buffer.from(stamps.stamp(`lake-${isWriter ? 'writes' : 'files'} ${key} ${expires_at}`)).toString('base64url')
      const keys = { accessKeyId: 'tia-lake', secretAccessKey: secretOf(token, stamps), sessionToken: token, expires_at }
      return {
        prefix: files.location(key),
        config: {
          ...placeConfig({ endpoint: baseUrl(), region: REGION, pathStyle: true }),
          ...keyConfig(keys),
          ...renewal(asking, options),
          ...(isWriter ? WRITING : {}),
        },
      }
    },
  }
}

/** The client reads the bucket itself, where the files are as their metadata states. */
function inBucket(
  state: TableState,
  bucket: ReaderAccess,
  kind: Access['kind'],
  config: (now: number) => Promise<Readonly<Record<string, string>>>,
): Access {
  const { table, version, metadata } = state
  return {
    kind,
    describe: async () => ({ location: pathsOf(state).toLocation(versionKey(table.key, version)), metadata }),
    grant: async (now) => ({ prefix: metadata.location, config: { ...placeConfig(bucket), ...(await config(now)) } }),
  }
}

/** Where a client sends its requests, and how. */
function placeConfig(place: Pick<ReaderAccess, 'endpoint' | 'region' | 'pathStyle'>): Record<string, string> {
  return {
    ...(place.endpoint === null ? {} : { 's3.endpoint': place.endpoint }),
    ...{ 's3.path-style-access': String(place.pathStyle), 's3.region': place.region, 'client.region': place.region },
  }
}

function keyConfig({ accessKeyId, secretAccessKey, sessionToken, expires_at }: ReaderKeys): Record<string, string> {
  return {
    ...{ 's3.access-key-id': accessKeyId, 's3.secret-access-key': secretAccessKey },
    ...(sessionToken === null ? {} : { 's3.session-token': sessionToken }),
    ...(expires_at === null ? {} : { 's3.session-token-expires-at-ms': String(expires_at) }),
  }
}

/** Where a client that reads for longer gets new credentials: Java's does so by itself. */
function renewal({ path }: Asking, { baseUrl }: StorageOptions): Record<string, string> {
  return { 'client.refresh-credentials-endpoint': `${baseUrl()}${path}/credentials` }
}

/** The client lets us sign each request. PyIceberg does so only with fsspec. */
function signing(path: string, { baseUrl, catalogue }: StorageOptions): Record<string, string> {
  return {
    ...{ 's3.remote-signing-enabled': 'true', 's3.signer': 'S3V4RestSigner', 'py-io-impl': 'pyiceberg.io.fsspec.FsspecFileIO' },
    ...{ 's3.signer.uri': `${baseUrl()}${catalogue}`, 's3.signer.endpoint': `${path.slice(catalogue.length + 1)}/sign` },
  }
}

/** A request that a client wants signed ("S3SignRequest" of the specification): headers have lists of values. */
export interface SignRequest {
  readonly method?: unknown
  readonly uri?: unknown
  readonly headers?: unknown
}

/**
 * Signs a request for a file of a table with the store's own keys. Throws the problem of one that does not read, or that is for
 * something else; `now` is in ms.
 */
export async function signRead(
  { table }: TableState,
  { method, uri, headers }: SignRequest,
  { bucket, now }: { readonly bucket: ReaderAccess; readonly now: number },
): Promise<{ readonly uri: string; readonly headers: Readonly<Record<string, readonly string[]>> }> {
  const url = typeof uri === 'string' && URL.canParse(uri) ? new URL(uri) : null
  if ((method !== 'GET' && method !== 'HEAD') || !url) throw problem('invalid-parameter', 'Only GET and HEAD of a URL are signed.')
  const hosts = bucket.endpoint === null ? [`s3.${bucket.region}.amazonaws.com`, 's3.amazonaws.com'] : [new URL(bucket.endpoint).host]
  const path = decodedPart(url.pathname) ?? ''
  const key = hosts.includes(url.host)
    ? path.startsWith(`/${bucket.bucket}/`) && path.slice(bucket.bucket.length + 2)
    : hosts.some((host) => url.host === `${bucket.bucket}.${host}`) && path.slice(1)
  const isIn = key !== false && key.startsWith(`${bucket.prefix}${table.key}/`)
  // Some servers keep objects as files, and resolve dots in their names.
  if (!isIn || key.split('/').some((part) => part === '' || part.startsWith('.')))
    throw problem('invalid-parameter', `${url.href.slice(0, 500)} is no file of the table.`)
  const given = Object.entries((headers ?? {}) as Record<string, unknown>).map(([name, values]) => [
    name.toLowerCase(),
    [values].flat().join(','),
  ])
  const { accessKeyId, secretAccessKey, sessionToken } = await bucket.own()
  const keys = { accessKeyId, secretAccessKey, sessionToken }
  const signed = signedHeaders({ method, url, headers: Object.fromEntries(given) }, { region: bucket.region, now, keys })
  return { uri: url.href, headers: Object.fromEntries(Object.entries(signed).map(([name, value]) => [name, [value]])) }
}

/** What a token that we gave is for. */
interface Granted {
  /** Key of the table. */
  readonly key: string
  readonly isWriter: boolean
  /** When it ends, in ms. */
  readonly expires_at: number
  readonly secret: string
}

/** Returns what a token that we gave is for, and the secret that goes with it; null for any other text. */
export function readToken(token: string, stamps: Stamps): Granted | null {
  const [, use, key, end] = TOKEN.exec(stamps.stamped(Buffer.from(token, 'base64url').toString()) ?? '') ?? []
  return key === undefined ? null : { key, isWriter: use === 'writes', expires_at: Number(end), secret: secretOf(token, stamps) }
}

/** The secret of a token, which no client can derive: the signature of another text. */
function secretOf(token: string, { stamp }: Stamps): string {
  const text = `lake-secret ${token}`
  return stamp(text).slice(text.length + 1)
}
