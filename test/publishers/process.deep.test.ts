import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { FAULTS } from '../../scripts/stand-in/faults.ts'
import { bytesOf, PATHS, RUSH_HOUR, standIn } from './helpers.ts'

const COMMAND = join(import.meta.dirname, '../../scripts/publishers')
const START = ['--port', '0', '--speed', '0', '--start', new Date(RUSH_HOUR).toISOString()]

test('another process serves the same bytes, in another time zone too, within 400 MB', async () => {
  const command = run([...START], { TZ: 'America/New_York' })
  const url = await ready(command)
  await using publishers = await standIn()
  for (const path of Object.values(PATHS)) {
    const there = Buffer.from(await (await fetch(url + path)).arrayBuffer())
    expect(sha256(there)).toBe(sha256(await bytesOf(publishers, path)))
  }
  for (let half = 0; half < 4; half++) {
    await fetch(`${url}/_control/clock`, { method: 'POST', body: '{"advance_ms": 86400000}' })
    for (const path of Object.values(PATHS)) await (await fetch(url + path)).arrayBuffer()
  }
  const status = `/proc/${command.child.pid}/status`
  if (existsSync(status)) expect(Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(status, 'utf8'))?.[1]) / 1024).toBeLessThan(400)
  command.child.kill('SIGTERM')
  expect(await command.ended).toBe(0)
})

test('the banner states that the data is not real, and the URL of each feed; faults of the command line are set', async () => {
  const command = run([...START, '--fault', 'madrid_traffic=status:status=500,count=1'])
  const url = await ready(command)
  expect(command.output()).toContain('no real data')
  expect(command.output()).toContain(`${url}${PATHS.incidents}`)
  expect((await fetch(url + PATHS.traffic)).status).toBe(500)
  command.child.kill('SIGINT')
  expect(await command.ended).toBe(0)
})

test('the help names every fault, and errors are reported in one line', async () => {
  const help = run(['--help'])
  expect(await help.ended).toBe(0)
  for (const fault of Object.keys(FAULTS)) expect(help.output()).toContain(`  ${fault} `)
  expect(help.output()).toContain('--archives <size>')
  for (const [args, word] of [
    [['--port', 'x'], '0 … 65535'],
    [['--speed=-1'], '0 … 100000'],
    [['--start', 'now'], '2026-03-11T07:30:00Z'],
    [['--source', 'live'], 'captures:<dir>'],
    [['--archives', 'ful'], 'neither short nor full'],
    [['--fault', 'madrid_traffic=nothing'], 'gzip_bomb'],
    [['--nothing'], '--nothing'],
  ] as const) {
    const command = run([...args])
    expect([await command.ended, command.output()]).toEqual([2, expect.stringContaining(word)])
  }
})

test('a port in use is reported', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  const command = run(['--port', String(typeof address === 'object' ? address?.port : 0)])
  expect([await command.ended, command.output()]).toEqual([1, expect.stringContaining('EADDRINUSE')])
})

interface Command {
  readonly child: ChildProcess
  readonly output: () => string
  readonly ended: Promise<number | null>
}

/** Runs the command, and ends it with the test. */
function run(args: string[], env: Record<string, string> = {}): Command {
  const child = spawn(COMMAND, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => void (output += chunk.toString()))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, output: () => output, ended }
}

async function ready(command: Command): Promise<string> {
  for (let waited = 0; waited < 30_000; waited += 50) {
    const url = /^ready (\S+)$/m.exec(command.output())?.[1]
    if (url) return url
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`not ready after 30 s: ${command.output()}`)
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
