import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Pty, runOnPty } from '../../helpers/pty.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { until } from '../../helpers/until.ts'
import { PROJECT } from '../../laws/sources.ts'

const START = join(PROJECT, 'scripts/service/start.ts')
/** A machine with other work takes minutes. */
const [READY_MS, ALL_MS] = [300_000, 1_500_000]

function start(folder: string, more: readonly string[] = []): Pty {
  const pty = runOnPty([process.execPath, START, '--port', '0', '--data', folder, ...more], {
    ...{ columns: 100, rows: 30 },
    env: { LAND_EVERY_S: '10' },
  })
  onTestFinished(async () => {
    pty.type('\x03')
    await pty.ended
  })
  return pty
}

/** The processes that a service started, by the part of their command line. */
function pidOf(folder: string, script: string): number {
  const parent = readFileSync(join(folder, 'service.pid'), 'utf8').split('-')[0]
  const found = readdirSync('/proc').find((pid) => {
    try {
      const isOurs = new RegExp(`^\\d+ \\(.*\\) \\S ${parent} `).test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
      return isOurs && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(script)
    } catch {
      return false
    }
  })
  return Number(found)
}

test('on a terminal the board shows the start, arriving feeds, requests and a restart, and Ctrl+C gives the terminal back', async () => {
  const folder = tempFolder()
  const pty = start(folder)
  await until('the steps are listed', () => pty.frame().includes('✔ data store'), READY_MS)
  await until('the service is ready', () => pty.frame().includes('ready http://'), READY_MS)
  const url = /ready (http:\S+)/.exec(pty.frame())?.[1] as string
  expect(pty.frame()).toMatch(/● worker {2}\d+ MB/)

  await until('some feeds have arrived', () => /[1-9]\d* of \d\d+ {2}\w/.test(pty.frame()), READY_MS)
  for (const path of ['/api/incidents', '/nowhere']) await fetch(url + path)
  await until('the requests are counted', () => /[1-9]\d* in the last minute .* refused/.test(pty.frame()), READY_MS)

  process.kill(pidOf(folder, 'run-api.ts'), 'SIGKILL')
  await until('its restart is seen', () => /● api {2}\d+ MB {2}1 restart/.test(pty.frame()), READY_MS)

  pty.resize(60, 20)
  const isNarrow = (): boolean => {
    const lines = pty.frame().split('\n')
    return lines.length < 20 && lines.every(({ length }) => length < 60)
  }
  await until('the board is narrow', isNarrow)
  pty.resize(100, 30)

  await until('all feeds have arrived', () => / (\d+) of \1 {2}| late: /.test(pty.frame()), ALL_MS)
  pty.type('\x03')
  expect(await pty.ended).toBe(0)
  const [, after = ''] = pty.written().split('\x1b[?1049l')
  expect(after).toMatch(
    /^stopping \.\.\.\r\nstopped after [^:]+: (\d+) of \1 feeds arrived, [1-9]\d* requests, \d+ kinds of warnings\r\nlog {3}/,
  )
  // The last words about the cursor and wrapping restore both.
  expect(pty.written().lastIndexOf('\x1b[?25h')).toBeGreaterThan(pty.written().lastIndexOf('\x1b[?25l'))
  expect(pty.written().lastIndexOf('\x1b[?7h')).toBeGreaterThan(pty.written().lastIndexOf('\x1b[?7l'))
  const log = readFileSync(join(folder, 'logs/service.log'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(log.map(({ msg }) => msg)).toEqual(
    expect.arrayContaining([`ready ${url}`, 'feed fetched', 'api ended with a signal; starting it again in 1 s']),
  )
}, 2_400_000)

test('--json and a start that fails leave lines, the reason and the exit code on the terminal', async () => {
  const busy = start(tempFolder(), ['--json'])
  await until('lines come', () => busy.written().includes('{"level":30'), READY_MS)
  expect(busy.written()).not.toContain('\x1b[?1049h')
  const folder = tempFolder()
  const failing = runOnPty([process.execPath, START, '--port', '0', '--data', folder], { env: { REDIS_URL: 'redis://127.0.0.1:1' } })
  // Without Redis the service waits for it: the terminal is given back during the start too.
  await until('the start is shown', () => failing.frame().includes('✔ data store'), READY_MS)
  failing.type('\x03')
  expect(await failing.ended).toBe(0)
  expect(failing.written()).toContain('\x1b[?1049lstopping ...')
}, 900_000)
