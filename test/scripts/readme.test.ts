import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tempFolder } from '../helpers/temp.ts'
import { until } from '../helpers/until.ts'
import { PROJECT } from '../laws/sources.ts'

/** The commands that the README shows under Use. */
const block = /\n## Use\n+```sh\n([\s\S]*?)\n```/.exec(readFileSync(join(PROJECT, 'README.md'), 'utf8'))?.[1] ?? ''
const lines = block.split('\n').filter((line) => line.trim() !== '')
const addresses = lines.filter((line) => line.startsWith('curl ')).map((line) => /^curl '([^']+)'/.exec(line)?.[1] ?? line)

/** Feeds come one after the other, and a history is there once its feed has landed, which `LAND_EVERY_S` puts at 10 s. */
const FIRST_DATA_MS = 150_000

let service: ChildProcess
let url: string

beforeAll(async () => {
  const { NODE_OPTIONS: _options, VITEST: _vitest, ...env } = process.env
  service = spawn(process.execPath, ['scripts/service/start.ts', '--port', '0', '--data', tempFolder()], {
    cwd: PROJECT,
    env: { ...env, LAND_EVERY_S: '10', LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said: string[] = []
  url = await new Promise<string>((resolve, reject) => {
    for (const stream of [service.stdout, service.stderr])
      if (stream)
        createInterface({ input: stream }).on('line', (line) => {
          said.push(line)
          if (line.startsWith('ready ')) resolve(line.slice('ready '.length))
        })
    service.once('exit', (code) => reject(new Error(`the service ended with ${code}:\n${said.join('\n')}`)))
  })
})

afterAll(async () => {
  if (!service || service.exitCode !== null) return
  const ended = new Promise((resolve) => service.once('exit', resolve))
  service.kill('SIGTERM')
  await ended
})

const ask = (address: string): Promise<Response> => fetch(address.replace('http://127.0.0.1:8080', url))

test('there are addresses to try, all of the service as it starts, and commands that exist', () => {
  expect(addresses.length).toBeGreaterThan(2)
  for (const address of addresses) expect(address).toMatch(/^http:\/\/127\.0\.0\.1:8080\//)
  for (const line of lines.filter((one) => !one.startsWith('curl ')))
    expect(existsSync(join(PROJECT, line.split(' ')[0] as string)), line).toBe(true)
})

test('ready means that the first of them answers', async () => {
  expect((await ask(addresses[0] as string)).status).toBe(200)
})

test.each(addresses)('%s answers with data', async (address) => {
  await until(`${address} has data`, async () => isFull(await ask(address)), FIRST_DATA_MS)
  const response = await ask(address)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toContain('application/json')
})

/** True for a reply that lists something, or describes some paths. */
async function isFull(response: Response): Promise<boolean> {
  const body = (await response.json()) as Record<string, unknown>
  if (response.status !== 200) return false
  const { paths } = body
  return paths ? Object.keys(paths).length > 0 : Object.values(body).some((value) => Array.isArray(value) && value.length > 0)
}
