import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { FAULTS } from '../../scripts/stand-in/faults.ts'

const COMMAND = join(import.meta.dirname, '../../scripts/publishers')
const START = ['--port', '0', '--speed', '0', '--start', '2026-03-11T07:30:00Z']
const TRAFFIC = '/informo.madrid.es/informo/tmadrid/pm.xml'

test('the banner states that the data is not real, and the URL of each feed; faults of the command line are set', async () => {
  const command = run([...START, '--fault', 'madrid_traffic=status:status=500,count=1'])
  const url = await ready(command)
  expect(command.output()).toContain('no real data')
  expect(command.output()).toContain(`${url}${TRAFFIC}`)
  expect((await fetch(url + TRAFFIC)).status).toBe(500)
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

interface Command {
  readonly child: ChildProcess
  readonly output: () => string
  readonly ended: Promise<number | null>
}

/** Runs the command, and ends it with the test. */
function run(args: string[]): Command {
  const child = spawn(COMMAND, args, { stdio: ['ignore', 'pipe', 'pipe'] })
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
