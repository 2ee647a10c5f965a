import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../lake/config.ts'
import { openServiceMetrics } from '../../scripts/service/metrics.ts'
import { metricsPorts } from '../../scripts/service/metrics-ports.ts'
import { tempFolder } from '../helpers/temp.ts'

const MAIN = new URL('../../scripts/service/start.ts', import.meta.url).pathname
const portsOf = (env: Record<string, string>) => metricsPorts(readConfig(env))

describe('metricsPorts', () => {
  test('gives the worker the port of the setting, and processes of the API the following ones', () => {
    expect(portsOf({ METRICS_PORT: '9464' })).toEqual({ worker: 9464, api: [9465] })
    expect(portsOf({ METRICS_PORT: '9464', API_WORKERS: '3' })).toEqual({ worker: 9464, api: [9465, 9466, 9467] })
  })

  test('gives free ones for 0, and none if it is not set', () => {
    expect(portsOf({ METRICS_PORT: '0', API_WORKERS: '2', PORT: '0' })).toEqual({ worker: 0, api: [0, 0] })
    expect(portsOf({})).toBeNull()
  })

  test.each([
    ['8080', '1', 8080],
    ['8079', '1', 8080],
    ['8078', '4', 8080],
  ])('METRICS_PORT=%s with API_WORKERS=%s is refused: %d is the public port', (port, workers, taken) => {
    expect(() => portsOf({ METRICS_PORT: port, API_WORKERS: workers })).toThrow(
      `METRICS_PORT=${port}: port ${taken} is that of the API (PORT), where metrics must not be`,
    )
  })

  test('refuses invalid ports', () => {
    expect(() => portsOf({ METRICS_PORT: '65535' })).toThrow('METRICS_PORT=65535: with API_WORKERS=1 the last port would be 65536')
  })
})

describe('the metrics of a process', () => {
  test('are served on the loopback address by default, and stop when they are closed', async () => {
    const metrics = await openServiceMetrics(readConfig({ METRICS_PORT: '0' }))
    expect(metrics.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/)
    expect((await fetch(metrics.url as string)).status).toBe(200)
    await metrics.close()
    await expect(fetch(metrics.url as string)).rejects.toThrow()
  })

  test('are not served without METRICS_PORT', async () => {
    const metrics = await openServiceMetrics(readConfig({}))
    expect(metrics.url).toBeNull()
    await metrics.close()
  })

  test('name the setting if they cannot be served', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void other.close())
    const { port } = other.address() as { readonly port: number }
    await expect(openServiceMetrics(readConfig({ METRICS_PORT: String(port) }))).rejects.toThrow(
      `METRICS_PORT or METRICS_HOST: metrics cannot be served on 127.0.0.1 port ${port}: listen EADDRINUSE`,
    )
    await expect(openServiceMetrics(readConfig({ METRICS_PORT: '0', METRICS_HOST: '192.0.2.1' }))).rejects.toThrow(
      'METRICS_PORT or METRICS_HOST: metrics cannot be served on 192.0.2.1 port 0: listen EADDRNOTAVAIL',
    )
    await expect(openServiceMetrics(readConfig({ METRICS_PORT: '8080' }))).rejects.toThrow('where metrics must not be')
  })
})

test('the service does not start with metrics on its public port', async () => {
  const folder = join(tempFolder(), 'data')
  const started = promisify(execFile)(process.execPath, [MAIN, '--port', '18123', '--data', folder], {
    env: { ...process.env, METRICS_PORT: '18122' },
    timeout: 60_000,
  })
  await expect(started).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('METRICS_PORT=18122: port 18123 is that of the API'),
  })
  expect(existsSync(folder)).toBe(false)
})
