import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { quoteText } from './literal.ts'

/** How the engine reads an S3 lake in ranges. */
export interface HttpfsAccess {
  /** Folder that holds `httpfs.duckdb_extension`, at any depth; null to have the engine install it from the network. */
  readonly extensions: string | null
  /** Folder for what the engine installs. */
  readonly installInto: string
  /** `s3://bucket/prefix` that the keys are for. */
  readonly scope: string
  readonly region: string
  /** Address of an S3-compatible server; null for AWS. */
  readonly endpoint: string | null
  readonly pathStyle: boolean
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

const FILE = 'httpfs.duckdb_extension'

/**
 * Loads DuckDB's httpfs and gives it the keys of the lake's bucket. Gives the reason where there is no extension to load and none can be
 * installed: whole files then come through the local cache. Throws where the folder of extensions is named but holds none that loads.
 */
export async function loadHttpfs(connection: DuckDBConnection, access: HttpfsAccess): Promise<'loaded' | Error> {
  const missing = await loadExtension(connection, access)
  if (missing) return missing
  const values: Record<string, string> = {
    KEY_ID: access.accessKeyId,
    SECRET: access.secretAccessKey,
    REGION: access.region,
    SCOPE: access.scope,
    URL_STYLE: access.pathStyle ? 'path' : 'vhost',
    ...(access.sessionToken ? { SESSION_TOKEN: access.sessionToken } : {}),
  }
  if (access.endpoint) {
    const { protocol, host } = new URL(access.endpoint)
    values['ENDPOINT'] = host
    values['USE_SSL'] = String(protocol === 'https:')
  }
  const members = Object.entries(values).map(([name, value]) => `${name} ${quoteText(value)}`)
  await connection.run(`CREATE SECRET lake (TYPE s3, ${members.join(', ')})`)
  return 'loaded'
}

async function loadExtension(connection: DuckDBConnection, access: HttpfsAccess): Promise<Error | null> {
  if (access.extensions) {
    const file = await findFile(access.extensions)
    if (!file) throw new Error(`DUCKDB_EXTENSIONS=${access.extensions}: there is no ${FILE} in it`)
    await connection.run(`LOAD ${quoteText(file)}`)
    return null
  }
  await connection.run(`SET extension_directory = ${quoteText(access.installInto)}`)
  try {
    await connection.run('INSTALL httpfs')
    await connection.run('LOAD httpfs')
    return null
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

async function findFile(folder: string): Promise<string | null> {
  if (!existsSync(folder)) return null
  const entries = await readdir(folder, { recursive: true })
  const found = entries.find((entry) => entry === FILE || entry.endsWith(`/${FILE}`))
  return found ? join(folder, found) : null
}
