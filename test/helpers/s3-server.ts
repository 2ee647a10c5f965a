import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { s3Store } from '../../lake/store/s3.ts'
import type { S3Options } from '../../lake/store/s3-client.ts'
import { skipWithout } from './missing.ts'
import { TIER } from './tier.ts'

const MODULE = 'github.com/versity/versitygw/cmd/versitygw@v1.8.0'
const BINARY = fileURLToPath(new URL('../../.cache/bin/versitygw-1.8.0', import.meta.url))
const REGION = 'us-east-1'
const BUCKET = 'lake'
const BUILD_MS = 15 * 60_000

type Keys = NonNullable<S3Options['credentials']>

/** An S3 server for tests, with an empty prefix of a bucket. */
export interface TestS3 {
  /** Argument for `openStore`. */
  readonly options: S3Options
  /** Options for another, empty prefix in the same bucket; through `endpoint` if given (a fault proxy). */
  fresh(endpoint?: string): S3Options
  /** `http://host:port`; null if `S3_TEST_URL` is used with the AWS settings only. */
  readonly endpoint: string | null
  /** Process of the server; null if it was already running. */
  readonly pid: number | null
  /** Adds and removes keys with all permissions; null on a server that was already running. */
  readonly keys: { add(credentials: Keys): Promise<void>; remove(credentials: Keys): Promise<void> } | null
  /** Ends the server, or empties the used prefixes of an external one. */
  stop(): Promise<void>
}

/**
 * Starts a real S3 server: `S3_TEST_URL` (`s3://bucket/prefix`) with `AWS_*` settings (`S3_TEST_PATH_STYLE=false` for host
 * style), else versitygw on a loopback port. Its first build (`go install` into `.cache/bin`) takes two minutes, so await this at
 * file level. Null without either, and in the default tests, after one line on standard error.
 */
export async function startS3(): Promise<TestS3 | null> {
  if (process.env['S3_TEST_URL']) return foreign(process.env['S3_TEST_URL'])
  if (TIER === 'default') {
    skipWithout('s3', 'tests over S3 run with scripts/test --deep')
    return null
  }
  const missing = existsSync(BINARY) ? null : await build()
  if (!missing) return start()
  skipWithout('s3', `no S3 server (${missing}; set S3_TEST_URL or install Go), so tests over S3 do not run`)
  return null
}

function foreign(url: string): TestS3 {
  const endpoint = process.env['AWS_ENDPOINT_URL_S3'] ?? process.env['AWS_ENDPOINT_URL'] ?? null
  const base = `${url.replace(/\/$/, '')}/test-${randomUUID()}`
  const fresh = (through?: string): S3Options => {
    const to = through ?? endpoint
    return { url: `${base}/${randomUUID()}`, pathStyle: process.env['S3_TEST_PATH_STYLE'] !== 'false', ...(to ? { endpoint: to } : {}) }
  }
  const stop = async (): Promise<void> => {
    const store = s3Store({ ...fresh(), url: base })
    for await (const { key } of store.list('')) await store.delete(key)
    await store.close()
  }
  return { options: fresh(), fresh, endpoint, pid: null, keys: null, stop }
}

async function start(): Promise<TestS3> {
  const folder = await mkdtemp(join(tmpdir(), 'traffic-s3-'))
  await mkdir(join(folder, 'root'))
  await mkdir(join(folder, 'users'))
  const credentials = { accessKeyId: 'test', secretAccessKey: randomUUID() }
  const port = await freePort()
  const endpoint = `http://127.0.0.1:${port}`
  const flags = ['--port', `127.0.0.1:${port}`, '--region', REGION, '--quiet', '--keep-alive']
  const users = ['--iam-dir', join(folder, 'users'), '--iam-cache-disable']
  const env = {
    PATH: process.env['PATH'] ?? '',
    ROOT_ACCESS_KEY_ID: credentials.accessKeyId,
    ROOT_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  }
  const child = spawn(BINARY, [...flags, ...users, 'posix', join(folder, 'root')], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const said: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => said.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk))
  // Ends the server if the test process ends early.
  const atExit = (): void => void child.kill('SIGKILL')
  process.once('exit', atExit)
  const stop = async (): Promise<void> => {
    process.off('exit', atExit)
    await ended(child)
    await rm(folder, { recursive: true, force: true })
  }
  const fresh = (through = endpoint): S3Options => {
    return { url: `s3://${BUCKET}/${randomUUID()}`, endpoint: through, region: REGION, pathStyle: true, credentials }
  }
  try {
    await createBucket(fresh(), child)
  } catch (cause) {
    await stop()
    throw new Error(`versitygw on ${endpoint} did not start: ${Buffer.concat(said).toString().slice(-2000)}`, { cause })
  }
  const admin = ['admin', '--access', credentials.accessKeyId, '--secret', credentials.secretAccessKey, '--endpoint-url', endpoint]
  const manage = async (...command: readonly string[]): Promise<void> => {
    const { failed, said } = await run(BINARY, [...admin, ...command])
    if (failed) throw new Error(`versitygw ${command[0]}: ${said}`)
  }
  const keys: TestS3['keys'] = {
    add: ({ accessKeyId, secretAccessKey }) => manage('create-user', '-a', accessKeyId, '-s', secretAccessKey, '-r', 'admin'),
    remove: ({ accessKeyId }) => manage('delete-user', '-a', accessKeyId),
  }
  return { options: fresh(), fresh, endpoint, pid: child.pid ?? null, keys, stop }
}

async function createBucket(options: S3Options, child: ChildProcess): Promise<void> {
  const { endpoint = '', region = REGION, credentials } = options
  const client = new S3Client({ endpoint, region, forcePathStyle: true, maxAttempts: 1, ...(credentials ? { credentials } : {}) })
  try {
    for (let tries = 1; ; tries++) {
      try {
        await client.send(new CreateBucketCommand({ Bucket: BUCKET }))
        return
      } catch (error) {
        if (tries === 100 || child.exitCode !== null) throw error
        await delay(100)
      }
    }
  } finally {
    client.destroy()
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), 3000)
  await exit
  clearTimeout(timer)
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}

/** Builds the server, or waits for the test process that is building it. Returns the reason of a failure, or null. */
async function build(): Promise<string | null> {
  if ((await run('go', ['version'])).failed) return 'no go on the PATH to build versitygw with'
  const folder = dirname(BINARY)
  const lock = join(folder, '.versitygw.lock')
  await mkdir(folder, { recursive: true })
  const until = Date.now() + BUILD_MS
  while (!(await locked(lock))) {
    if (Date.now() > until) return `another build keeps ${lock}`
    await delay(500)
  }
  const bin = join(folder, `.build-${process.pid}`)
  try {
    if (existsSync(BINARY)) return null
    process.stderr.write(`building versitygw into ${folder}, once (about two minutes)\n`)
    const { failed, said } = await run('go', ['install', MODULE], { GOBIN: bin })
    if (failed) return `go install ${MODULE} failed: ${said.trim().split('\n').slice(-2).join(' ')}`
    await rename(join(bin, 'versitygw'), BINARY)
    return null
  } finally {
    await rm(bin, { recursive: true, force: true })
    await rm(lock, { force: true })
  }
}

/** Takes the lock, even from a process that has ended. */
async function locked(lock: string): Promise<boolean> {
  try {
    await writeFile(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch {
    const pid = Number(await readFile(lock, 'utf8').catch(() => ''))
    if (pid > 0 && !isAlive(pid)) await rm(lock, { force: true })
    return false
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function run(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ failed: boolean; said: string }> {
  const said: Buffer[] = []
  const child = spawn(program, args, { cwd: tmpdir(), env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.on('data', (chunk: Buffer) => said.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk))
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null))
    child.once('close', resolve)
  })
  return { failed: code !== 0, said: Buffer.concat(said).toString() }
}
