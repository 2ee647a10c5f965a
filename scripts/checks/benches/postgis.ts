import { execFile, spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

const run = promisify(execFile)
const BIN = '/usr/lib/postgresql/15/bin'
const START_MS = 20_000

/** A PostGIS server of its own with a client. */
export interface PostGis {
  /** Runs statements and returns the lines of their results, without headers: columns are separated by `|`. */
  query(sql: string): Promise<string[]>
  close(): Promise<void>
}

/** Starts PostGIS 3 on PostgreSQL 15 with default settings; null without the Debian package `postgresql-15-postgis-3`. */
export async function startPostGis(): Promise<PostGis | null> {
  const ids = spawnSync('id', ['-u', 'postgres'], { encoding: 'utf8' })
  if (!existsSync(join(BIN, 'postgres')) || ids.status !== 0) return null
  const [uid, gid] = [Number(ids.stdout), Number(spawnSync('id', ['-g', 'postgres'], { encoding: 'utf8' }).stdout)]
  const folder = mkdtempSync(join(tmpdir(), 'postgis-'))
  chownSync(folder, uid, gid)
  const as = { uid, gid, cwd: folder, env: { ...process.env, HOME: folder } }
  await run(join(BIN, 'initdb'), ['-D', join(folder, 'data'), '-A', 'trust', '-E', 'UTF8', '--no-sync'], as)
  const server = spawn(join(BIN, 'postgres'), ['-D', join(folder, 'data'), '-k', folder, '-c', 'listen_addresses=', '-c', 'fsync=off'], {
    ...as,
    stdio: 'ignore',
  })
  const began = Date.now()
  for (;;) {
    if (spawnSync('psql', ['-h', folder, '-d', 'postgres', '-c', 'CREATE EXTENSION IF NOT EXISTS postgis'], as).status === 0) break
    if (Date.now() - began > START_MS) throw new Error(`PostGIS did not start within ${START_MS / 1000} s`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  const client = spawn('psql', ['-h', folder, '-d', 'postgres', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1'], {
    ...as,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let wanted: { readonly lines: string[]; readonly done: (lines: string[]) => void } | null = null
  createInterface({ input: client.stdout }).on('line', (line) => {
    if (line !== END) wanted?.lines.push(line)
    else wanted?.done(wanted.lines)
  })
  return {
    query: (sql) =>
      new Promise((resolve, reject) => {
        wanted = { lines: [], done: resolve }
        client.once('exit', () => reject(new Error('psql ended')))
        client.stdin.write(`${sql};\n\\echo ${END}\n`)
      }),
    close: async () => {
      client.removeAllListeners('exit')
      client.stdin.end()
      server.kill('SIGINT')
      await new Promise((resolve) => server.once('exit', resolve))
      rmSync(folder, { recursive: true })
    },
  }
}

const END = '== end of statement =='
