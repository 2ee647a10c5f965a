import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { newPepperText } from '../../api/auth/keys/pepper.ts'
import { startFaultProxy } from '../helpers/fault-proxy.ts'
import { startTestRedis } from '../helpers/redis.ts'
import { startS3 } from '../helpers/s3-server.ts'
import { tempFolder } from '../helpers/temp.ts'
import { until } from '../helpers/until.ts'

const START = new URL('../../scripts/service/start.ts', import.meta.url).pathname
const PUBLISHERS = new URL('../../scripts/stand-in/main.ts', import.meta.url).pathname

/** How long an idle process is watched. */
const MINUTES = 3

/** A running command and the lines of its output so far. */
interface Machine {
  readonly child: ChildProcess
  readonly lines: string[]
}

function run(script: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Machine {
  const child = spawn(process.execPath, [script, ...args], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', (line) => lines.push(line))
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  })
  return { child, lines }
}

const said = async (machine: Machine, pattern: RegExp): Promise<string> => {
  let found: string | undefined
  await until(
    `${pattern} in ${machine.lines.slice(-5).join('\n')}`,
    () => {
      found = machine.lines.map((line) => pattern.exec(line)?.[1]).find((one) => one !== undefined)
      return found !== undefined
    },
    180_000,
  )
  return found as string
}

/** Ends a machine like Ctrl-C; returns how long it took, ms. */
async function interrupt({ child }: Machine): Promise<number> {
  const began = performance.now()
  child.kill('SIGINT')
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)
  return performance.now() - began
}

test('two APIs and two workers on one Redis and one store are one service, and keep running without one of each', {
  timeout: 600_000,
}, async () => {
  const redis = await startTestRedis()
  onTestFinished(() => redis.stop())
  const shared = tempFolder()
  const publishers = await said(run(PUBLISHERS, ['--port', '0']), /(http:\/\/127\.0\.0\.1:\d+)/)
  const env = {
    REDIS_URL: redis.url,
    LAKE_URL: join(shared, 'store'),
    KEY_PEPPER: newPepperText(),
    PUBLISHERS_URL: publishers,
    LOG_LEVEL: 'warn',
  }
  const machine = (only: 'api' | 'worker'): Machine => run(START, ['--only', only, '--port', '0', '--data', tempFolder()], env)
  const workers = [machine('worker'), machine('worker')] as const
  for (const worker of workers) await said(worker, /^(ready) worker$/)
  const apis = [machine('api'), machine('api')] as const
  const [one, other] = [await said(apis[0], /^ready (http\S+)$/), await said(apis[1], /^ready (http\S+)$/)]

  const made = await fetch(`${one}/api/keys`, {
    method: 'POST',
    body: '{"email":"ana@example.org"}',
    headers: { 'Content-Type': 'application/json' },
  })
  const { key } = (await made.json()) as { key: string }
  const total = async (url: string): Promise<number> => {
    const reply = await fetch(`${url}/api/incidents?limit=1`, { headers: { 'X-API-Key': key } })
    expect(reply.status).toBe(200)
    return ((await reply.json()) as { total: number }).total
  }
  await until('incidents', async () => (await total(one)) > 0, 60_000)
  await until('the same of both', async () => (await total(one)) === (await total(other)))

  expect(await interrupt(workers[0])).toBeLessThan(5000)
  expect(await interrupt(apis[0])).toBeLessThan(5000)
  const publishedAt = async (): Promise<number> => {
    // A report is valid for seconds, and an address may send a limited number of requests.
    await sleep(2000)
    const reply = await fetch(`${other}/status?format=json`)
    const { feeds, reasons } = (await reply.json()) as {
      feeds: { id: string; last_success_at: string }[]
      reasons: { code: string }[]
    }
    expect(reasons.map(({ code }) => code)).not.toContain('worker-away')
    return Date.parse(feeds.find(({ id }) => id === 'dgt_incidents')?.last_success_at ?? '')
  }
  const before = await publishedAt()
  await until('a fetch by the other worker', async () => (await publishedAt()) > before, 150_000)
  expect(await total(other)).toBeGreaterThan(0)
  expect(await interrupt(workers[1])).toBeLessThan(5000)
  expect(await interrupt(apis[1])).toBeLessThan(5000)
})

test('a start before its data store waits for it and says so', { timeout: 300_000 }, async ({ skip }) => {
  const s3 = await startS3()
  if (!s3) return skip()
  onTestFinished(() => s3.stop())
  const redis = await startTestRedis()
  onTestFinished(() => redis.stop())
  const { url, credentials, pathStyle = false } = s3.fresh()
  const door = createServer((socket) => {
    const { hostname, port } = new URL(s3.endpoint as string)
    const behind = connect({ host: hostname, port: Number(port) })
    for (const [one, other] of [
      [socket, behind],
      [behind, socket],
    ] as const)
      one.pipe(other).on('error', () => one.destroy())
  })
  // A port that nobody listens on until the store is there.
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
  const { port } = door.address() as AddressInfo
  await new Promise((resolve) => door.close(resolve))
  const machine = run(START, ['--only', 'worker', '--data', tempFolder()], {
    ...{ REDIS_URL: redis.url, LAKE_URL: url, S3_ENDPOINT: `http://127.0.0.1:${port}`, S3_PATH_STYLE: String(pathStyle) },
    ...{ AWS_ACCESS_KEY_ID: credentials?.accessKeyId ?? '', AWS_SECRET_ACCESS_KEY: credentials?.secretAccessKey ?? '' },
    ...{ KEY_PEPPER: newPepperText(), AWS_REGION: 'us-east-1' },
  })
  await said(machine, /(the data store does not answer yet)/)
  expect(machine.child.exitCode).toBeNull()
  await new Promise<void>((resolve) => door.listen(port, '127.0.0.1', resolve))
  onTestFinished(() => void door.close())
  await said(machine, /(ready worker)/)
  await interrupt(machine)
})

test('an idle API process asks the store at most five times a minute', { timeout: 900_000 }, async ({ skip }) => {
  const s3 = await startS3()
  if (!s3?.endpoint) return skip()
  onTestFinished(() => s3.stop())
  const redis = await startTestRedis()
  onTestFinished(() => redis.stop())
  const counted = await startFaultProxy(s3.endpoint)
  onTestFinished(() => counted.close())
  const { url, credentials, pathStyle = false } = s3.fresh()
  const publishers = await said(run(PUBLISHERS, ['--port', '0']), /(http:\/\/127\.0\.0\.1:\d+)/)
  const env = {
    ...{ REDIS_URL: redis.url, LAKE_URL: url, S3_PATH_STYLE: String(pathStyle), PUBLISHERS_URL: publishers, AWS_REGION: 'us-east-1' },
    ...{ AWS_ACCESS_KEY_ID: credentials?.accessKeyId ?? '', AWS_SECRET_ACCESS_KEY: credentials?.secretAccessKey ?? '' },
    KEY_PEPPER: newPepperText(),
  }
  const worker = run(START, ['--only', 'worker', '--data', tempFolder()], { ...env, S3_ENDPOINT: s3.endpoint })
  await said(worker, /^(ready) worker$/)
  const api = run(START, ['--only', 'api', '--port', '0', '--data', tempFolder()], { ...env, S3_ENDPOINT: counted.url })
  await said(api, /^ready (http\S+)$/)
  await sleep(60_000)
  // A worker that fills its tables changes them; an idle service does not.
  await interrupt(worker)
  await sleep(90_000)
  const before = counted.seen.length
  await sleep(MINUTES * 60_000)
  const all = counted.seen.slice(before).map(({ method, url: path }) => `${method} ${path.split('?')[0]}`)
  // While no worker lives, nobody announces new versions of tables, and each is asked for now and then.
  const asked = all.filter((one) => !/\.metadata\.json$/.test(one))
  expect(asked.length / MINUTES, asked.join('\n')).toBeLessThanOrEqual(5)
  await interrupt(api)
})
