import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { version } from '@duckdb/node-api'
import type { HttpfsAccess } from '../../lake/query/httpfs.ts'
import { s3Credentials } from '../../lake/store/credentials.ts'
import type { S3Options } from '../../lake/store/s3-client.ts'
import { skipWithout } from './missing.ts'

const NUMBER = version().replace(/^v/, '')
const FOLDER = fileURLToPath(new URL(`../../.cache/duckdb-extensions/httpfs-${NUMBER}`, import.meta.url))
const PACKAGE = `duckdb-extension-httpfs==${NUMBER}`

/**
 * Folder of DuckDB's httpfs extension for tests: from `DUCKDB_EXTENSIONS`, else `.cache/duckdb-extensions`, into which pip
 * installs it once from PyPI. Null without either, after one line on standard error: tests then skip with `skipIf`.
 */
export function httpfsFolder(): string | null {
  if (process.env['DUCKDB_EXTENSIONS']) return process.env['DUCKDB_EXTENSIONS']
  const missing = existsSync(FOLDER) ? null : install()
  if (!missing) return FOLDER
  skipWithout('httpfs', `no httpfs (${missing}; set DUCKDB_EXTENSIONS), so tests of range reads do not run`)
  return null
}

/** The engine's access to a test server's prefix, for reading in ranges. */
export function httpfsAccess(extensions: string | null, options: S3Options): HttpfsAccess {
  const { url, endpoint, region, pathStyle } = options
  const { AWS_REGION = 'us-east-1' } = process.env
  return {
    extensions,
    installInto: tmpdir(),
    scope: url,
    region: region ?? AWS_REGION,
    endpoint: endpoint ?? null,
    pathStyle: pathStyle ?? false,
    credentials: s3Credentials(options),
  }
}

/** Downloads the package and puts its extension into the cache. Returns the reason of a failure, or null. */
function install(): string | null {
  const making = `${FOLDER}.${process.pid}`
  mkdirSync(making, { recursive: true })
  try {
    const pip = ['-m', 'pip', 'download', '-q', '--disable-pip-version-check', '--no-deps', '-d', making, PACKAGE]
    const failed = run(pip)
    if (failed) return failed
    const wheel = readdirSync(making).find((name) => name.endsWith('.whl'))
    if (!wheel) return `pip gave no wheel of ${PACKAGE}`
    const unpacked = run(['-m', 'zipfile', '-e', join(making, wheel), making])
    if (unpacked) return unpacked
    rmSync(join(making, wheel))
    // Another test process may have been faster: its copy is the same.
    if (!existsSync(FOLDER)) renameSync(making, FOLDER)
    return null
  } finally {
    rmSync(making, { recursive: true, force: true })
  }
}

function run(args: readonly string[]): string | null {
  const { status, stderr, error } = spawnSync('python3', args, { encoding: 'utf8', timeout: 120_000 })
  if (status === 0) return null
  return `python3 ${args.slice(1, 3).join(' ')} failed: ${error?.message ?? stderr.trim().split('\n').at(-1) ?? ''}`
}
