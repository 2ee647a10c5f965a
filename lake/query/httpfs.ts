import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type DuckDBConnection, version } from '@duckdb/node-api'
import type { CredentialSource, StoreCredentials } from '../store/credentials.ts'
import { quoteText } from './literal.ts'

/** How the engine reads an S3 lake in ranges. */
export interface HttpfsAccess {
  /** Folder with `httpfs.duckdb_extension`, at any depth; null for that of Python's package, else of the network. */
  readonly extensions: string | null
  /** Folder for installed extensions. */
  readonly installInto: string
  /** The `s3://bucket/prefix` that the keys apply to. */
  readonly scope: string
  readonly region: string
  /** Address of an S3-compatible server; null for AWS. */
  readonly endpoint: string | null
  readonly pathStyle: boolean
  readonly credentials: CredentialSource
}

const FILE = 'httpfs.duckdb_extension'
/** Keys that expire within this time are not used for a new query. */
const EXPIRY_MARGIN_MS = 60_000

/**
 * Loads DuckDB's httpfs with the keys of the lake's bucket. Returns a reason if the extension is unavailable or there are no
 * keys: whole files then come through the local cache. Throws if the given extension folder has none that loads.
 */
export async function loadHttpfs(connection: DuckDBConnection, access: HttpfsAccess): Promise<BucketSecret | Error> {
  const missing = await loadExtension(connection, access)
  if (missing) return missing
  const secret = new BucketSecret(connection, access)
  try {
    await secret.refresh()
    return secret
  } catch (error) {
    return asError(error)
  }
}

/** The keys of the lake's bucket as a DuckDB secret, replaced when they change. It owns the connection. */
export class BucketSecret {
  readonly #connection: DuckDBConnection
  readonly #access: HttpfsAccess
  #keys: StoreCredentials | null = null
  #generation = 0
  #taking: Promise<void> | null = null

  constructor(connection: DuckDBConnection, access: HttpfsAccess) {
    this.#connection = connection
    this.#access = access
  }

  /** Generation of the current keys: how often they have changed. */
  get generation(): number {
    return this.#generation
  }

  /** Switches to newer keys. Waits for them only if the current ones are about to expire; throws only without working keys. */
  async refresh(): Promise<void> {
    const expires_at = this.#keys ? (this.#keys.expires_at ?? Number.POSITIVE_INFINITY) : 0
    if (expires_at === Number.POSITIVE_INFINITY) return
    const taking = this.#take(false)
    if (expires_at > Date.now() + EXPIRY_MARGIN_MS) {
      // The SDK retries at the next query.
      taking.catch(() => undefined)
      return
    }
    try {
      await taking
    } catch (error) {
      if (expires_at <= Date.now()) throw error
    }
  }

  /**
   * After the store rejected the keys of a generation: true once there are others. They are requested again unless another query
   * did so.
   */
  async isRenewed(generation: number): Promise<boolean> {
    if (this.#generation === generation) await this.#take(true).catch(() => undefined)
    return this.#generation !== generation
  }

  /** Waits for a replacement in progress, and closes the connection. */
  async close(): Promise<void> {
    await this.#taking?.catch(() => undefined)
    this.#connection.disconnectSync()
  }

  async #take(isForced: boolean): Promise<void> {
    this.#taking ??= this.#replace(isForced).finally(() => {
      this.#taking = null
    })
    await this.#taking
  }

  async #replace(isForced: boolean): Promise<void> {
    const keys = await this.#access.credentials({ isForced })
    const former = this.#keys
    const isSame = former?.accessKeyId === keys.accessKeyId && former.secretAccessKey === keys.secretAccessKey
    if (!isSame || former.sessionToken !== keys.sessionToken) {
      await this.#connection.run(secretStatement(this.#access, keys))
      this.#generation++
    }
    this.#keys = keys
  }
}

/** True if a store rejected the keys: unknown, withdrawn or expired. DuckDB passes on only the status. */
export function isKeyRejection(error: unknown): boolean {
  return error instanceof Error && /\bHTTP (?:code )?40[013]\b/.test(error.message)
}

function secretStatement(access: HttpfsAccess, keys: StoreCredentials): string {
  const values: Record<string, string> = {
    KEY_ID: keys.accessKeyId,
    SECRET: keys.secretAccessKey,
    REGION: access.region,
    SCOPE: access.scope,
    URL_STYLE: access.pathStyle ? 'path' : 'vhost',
    ...(keys.sessionToken ? { SESSION_TOKEN: keys.sessionToken } : {}),
  }
  if (access.endpoint) {
    const { protocol, host } = new URL(access.endpoint)
    values['ENDPOINT'] = host
    values['USE_SSL'] = String(protocol === 'https:')
  }
  const members = Object.entries(values).map(([name, value]) => `${name} ${quoteText(value)}`)
  return `CREATE OR REPLACE SECRET lake (TYPE s3, ${members.join(', ')})`
}

async function loadExtension(connection: DuckDBConnection, access: HttpfsAccess): Promise<Error | null> {
  if (access.extensions) {
    const file = await findFile(access.extensions)
    if (!file) throw new Error(`DUCKDB_EXTENSIONS=${access.extensions}: it does not contain ${FILE}`)
    await connection.run(`LOAD ${quoteText(file)}`)
    return null
  }
  const folder = await ofPython()
  const file = folder && (await findFile(join(folder, 'extensions', version())))
  if (file) {
    await connection.run(`LOAD ${quoteText(file)}`)
    return null
  }
  await connection.run(`SET extension_directory = ${quoteText(access.installInto)}`)
  try {
    await connection.run('INSTALL httpfs')
    await connection.run('LOAD httpfs')
    return null
  } catch (error) {
    return asError(error)
  }
}

/** Folder of PyPI's `duckdb-extension-httpfs` for the `python3` of the path; null if that has none. */
async function ofPython(): Promise<string | null> {
  const program =
    "import importlib.util as u; s = u.find_spec('duckdb_extension_httpfs'); print(s.submodule_search_locations[0] if s else '')"
  const found = await promisify(execFile)('python3', ['-c', program], { timeout: 5000 }).catch(() => null)
  return found?.stdout.trim() || null
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

async function findFile(folder: string): Promise<string | null> {
  if (!existsSync(folder)) return null
  const entries = await readdir(folder, { recursive: true })
  const found = entries.find((entry) => entry === FILE || entry.endsWith(`/${FILE}`))
  return found ? join(folder, found) : null
}
