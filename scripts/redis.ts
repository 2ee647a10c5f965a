import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { chmod, lstat, mkdir, readFile, realpath, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'

/** A redis-server that this process started. */
export interface RedisServer {
  /** The argument of `openRedis`: the path of its socket. */
  readonly url: string
  readonly pid: number
  /** True if a server of an earlier start was still running on the same folder. */
  readonly adopted: boolean
  /** Stops it by SIGTERM, which writes the append-only file; by SIGKILL after ten seconds. */
  stop(): Promise<void>
  /** Stops it by SIGKILL, as a crash would. */
  kill(): Promise<void>
}

/** Where and how a server runs. */
export interface RedisServerOptions {
  /** Folder of its log and append-only file; created if missing. */
  readonly folder: string
  /** Path of its socket; by default `redis.sock` in the folder, or in a short folder of the system if that path is too long. */
  readonly socket?: string
  /** Whether state outlives the process. */
  readonly appendOnly: boolean
  /** Program to run. */
  readonly program?: string
}

// sockaddr_un.sun_path has 108 bytes with its closing zero on Linux, 104 on macOS.
const LONGEST_SOCKET_PATH = 103
const START_TIMEOUT_MS = 30_000
const LOAD_TIMEOUT_MS = 600_000
const STOP_TIMEOUT_MS = 10_000
const ASK_TIMEOUT_MS = 2000

/** Help for a machine without redis-server. */
export const REDIS_MISSING = [
  'redis-server is not installed. Install it, or set REDIS_URL to a Redis 6.2 or newer:',
  '  Debian, Ubuntu:  sudo apt-get install redis-server',
  '  macOS:           brew install redis',
  '  Docker:          docker run -d -p 6379:6379 redis:7   and   REDIS_URL=redis://127.0.0.1:6379',
].join('\n')

/**
 * Starts redis-server on a private socket and waits until it has loaded its append-only file and answers. It runs in its own
 * process group, so that Ctrl-C reaches only the caller, who stops it last. Throws, with its last log lines, if the program is
 * missing or ends at once.
 */
export async function startRedis({ folder, socket, appendOnly, program = 'redis-server' }: RedisServerOptions): Promise<RedisServer> {
  await mkdir(folder, { recursive: true })
  const home = await realpath(folder)
  const url = socket ?? (await socketIn(home))
  const running = await serverAt(url, home)
  if (running) return server({ url, pid: running, child: null })
  const log = join(home, 'redis.log')
  const child = await launch(program, log, [
    ...['--port', '0', '--unixsocket', url, '--unixsocketperm', '700', '--dir', home, '--daemonize', 'no'],
    ...['--save', '', '--appendonly', appendOnly ? 'yes' : 'no', '--appendfsync', 'everysec', '--maxmemory-policy', 'noeviction'],
  ])
  try {
    await untilReady(url, child)
  } catch (error) {
    child.kill('SIGKILL')
    const tail = (await readFile(log, 'utf8').catch(() => '')).trim().split('\n').slice(-5).join('\n')
    throw new Error(`redis-server did not start in ${home}: ${(error as Error).message}\n${tail}`, { cause: error })
  }
  return server({ url, pid: child.pid as number, child })
}

async function socketIn(folder: string): Promise<string> {
  const beside = join(folder, 'redis.sock')
  if (Buffer.byteLength(beside) <= LONGEST_SOCKET_PATH) return beside
  const name = `redis-${process.getuid?.() ?? 0}-${createHash('sha256').update(folder).digest('hex').slice(0, 12)}`
  const short = [tmpdir(), '/tmp'].map((root) => join(root, name)).find((path) => Buffer.byteLength(path) + 11 <= LONGEST_SOCKET_PATH)
  if (!short) throw new Error(`no room for a socket: ${beside} is longer than ${LONGEST_SOCKET_PATH} bytes`)
  await mkdir(short, { recursive: true, mode: 0o700 })
  const owner = (await lstat(short)).uid
  if (process.getuid && owner !== process.getuid()) throw new Error(`${short} belongs to user ${owner}: cannot keep the socket there`)
  await chmod(short, 0o700)
  return join(short, 'redis.sock')
}

/**
 * Returns the process id of a server that already answers on the socket; null if there is none. Throws if it serves another
 * folder.
 */
async function serverAt(url: string, folder: string): Promise<number | null> {
  const answer = await ask(url, 'CONFIG GET dir\r\nINFO server')
  const dir = /^dir\r\n\$\d+\r\n(.*)\r$/m.exec(answer ?? '')?.[1]
  if (answer === null || dir === undefined) return null
  if (dir !== folder) throw new Error(`${url} is the socket of a redis-server that keeps ${dir}, not ${folder}`)
  return Number(/^process_id:(\d+)/m.exec(answer)?.[1])
}

/**
 * Sends inline commands and returns the replies as text (RESP2); null if nothing answers within `ASK_TIMEOUT_MS`. A Redis client
 * would take a quarter of the memory of the process that only starts the server.
 */
async function ask(path: string, commands: string): Promise<string | null> {
  const socket = connect(path).setTimeout(ASK_TIMEOUT_MS, () => socket.destroy(new Error('timed out')))
  socket.write(`${commands}\r\nQUIT\r\n`)
  return await text(socket).catch(() => null)
}

async function launch(program: string, log: string, args: readonly string[]): Promise<ChildProcess> {
  const output = openSync(log, 'a')
  try {
    const child = spawn(program, args, { detached: true, stdio: ['ignore', output, output] })
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', (error: NodeJS.ErrnoException) => {
        reject(error.code === 'ENOENT' ? new Error(REDIS_MISSING, { cause: error }) : error)
      })
    })
    child.unref()
    return child
  } finally {
    closeSync(output)
  }
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  const began = performance.now()
  const failIfEnded = (): void => {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`it ended with ${child.signalCode ?? child.exitCode}`)
  }
  for (let isLoading = false; ; ) {
    failIfEnded()
    const answer = await ask(url, 'PING')
    if (answer?.startsWith('+PONG')) return
    isLoading ||= answer !== null
    const waited = performance.now() - began
    if (waited > (isLoading ? LOAD_TIMEOUT_MS : START_TIMEOUT_MS))
      throw new Error(`no answer after ${Math.round(waited / 1000)} s: ${answer ?? 'no socket'}`)
    await delay(isLoading ? 20 : 2)
  }
}

function server({ url, pid, child }: { url: string; pid: number; child: ChildProcess | null }): RedisServer {
  const alive = (): boolean => {
    if (child) return child.exitCode === null && child.signalCode === null
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
  const gone = async (within_ms: number): Promise<boolean> => {
    const until = performance.now() + within_ms
    while (alive() && performance.now() < until) await delay(10)
    return !alive()
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (!alive()) return
    process.kill(pid, signal)
    if (!(await gone(STOP_TIMEOUT_MS))) process.kill(pid, 'SIGKILL')
    await gone(STOP_TIMEOUT_MS)
    await rm(url, { force: true })
  }
  return { url, pid, adopted: child === null, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') }
}
