import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../lake/config.ts'
import { fileStore } from '../../lake/store/file.ts'
import { claimLake } from '../../lake/system.ts'
import { openService } from '../../scripts/commands/service.ts'
import { claimFolder, notePublishers } from '../../scripts/service/claim.ts'
import { FEED_PROCESS } from '../../scripts/service/processes.ts'
import { startPublishers } from '../../scripts/stand-in/server.ts'
import { startPublisher, tableRows } from '../helpers/pipeline.ts'
import { startTestRedis } from '../helpers/redis.ts'
import { tempFolder } from '../helpers/temp.ts'
import { differences, feed, littleDerived } from '../jobs/derive/little.ts'

const SCRIPTS = new URL('../../scripts', import.meta.url).pathname
const MAIN = new URL('../../scripts/commands/feeds.ts', import.meta.url).pathname
const REAL_PUBLISHER = 'nap.dgt.es'

interface Said {
  readonly code: number
  readonly text: string
}

/** The output of `scripts/feeds`, in an environment without the service's variables. */
async function feeds(folder: string, ...args: string[]): Promise<Said> {
  const { SOURCE_MODE: _mode, PUBLISHERS_URL: _publishers, ...rest } = process.env
  const env = { ...rest, LAKE_URL: '', REDIS_URL: '' }
  const command = [MAIN, ...args, '--data', folder]
  return promisify(execFile)(process.execPath, command, { env, timeout: 120_000 })
    .then(({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }))
    .catch(({ code, stdout, stderr }) => ({ code: Number(code), text: `${stdout}${stderr}` }))
}

test.each(['simulated', 'replay'] as const)(
  'a feed of a %s lake is asked of the stand-in of its service, never of its publisher',
  async (mode) => {
    const folder = tempFolder()
    mkdirSync(join(folder, 'store'))
    const store = await fileStore(join(folder, 'store'))
    await claimLake(store, mode, Date.now())
    await store.close()

    const alone = await feeds(folder, 'run', 'dgt_incidents')
    expect(alone.code).toBe(1)
    expect(alone.text).toContain(`this lake has ${mode} data, so its service must run to provide publishers: start it on ${folder}`)
    expect((await feeds(folder, 'list')).text).not.toContain(REAL_PUBLISHER)

    const publishers = await startPublishers({ source: { kind: 'simulated', seed: 1, speed: 1 }, port: 0 })
    onTestFinished(() => publishers.close())
    const release = claimFolder(folder)
    notePublishers(folder, publishers.url)
    const beside = await feeds(folder, 'run', 'dgt_incidents')
    expect(beside.text).toContain('"outcome": "accepted"')
    expect(beside.code).toBe(0)
    release()

    // A port file of a stopped service does not count: another process may use its port by now.
    expect((await feeds(folder, 'run', 'dgt_incidents')).text).toContain('its service must run')
  },
)

test.each(['feeds', 'replay'])('scripts/%s has the memory settings of the worker', async (command) => {
  const folder = tempFolder()
  // The program is replaced by one that prints how it was started.
  const text = readFileSync(join(SCRIPTS, command), 'utf8').replace(/"\$project\/scripts\/commands\/\w+\.ts"/, '"$asked"')
  writeFileSync(join(folder, 'asked.mjs'), 'console.log(JSON.stringify({ flags: process.execArgv, env: process.env }))')
  const { stdout } = await promisify(execFile)('bash', ['-c', text, join(SCRIPTS, command)], {
    env: { ...process.env, asked: join(folder, 'asked.mjs') },
  })
  expect(JSON.parse(stdout)).toMatchObject(FEED_PROCESS)
})

test('a manual run of a feed updates its derived tables, as a landing of the worker does', async () => {
  const redis = await startTestRedis()
  const publisher = await startPublisher({ at: '2026-06-15T00:00:00Z', beacons: {} })
  const folder = tempFolder()
  const store = await fileStore(join(folder, 'store'))
  await claimLake(store, 'simulated', Date.now())
  await store.close()
  const config = readConfig({ DATA_DIR: folder, REDIS_URL: redis.url, PUBLISHERS_URL: publisher.url, LOG_LEVEL: 'error' })
  const service = await openService(config, { feeds: [feed], derivations: [littleDerived()] })
  onTestFinished(async () => {
    await service.close()
    await publisher.close()
    await redis.stop()
  })
  const versions = [{ V1: ['a', 'b', 'L'] }, { V2: ['a', 'c', 'L'] }]
  for (const [day, carried] of versions.entries()) {
    publisher.document = Object.assign({ at: `2026-06-1${day}T00:00:00Z`, beacons: {} }, { versions: carried })
    expect(await service.runFeed(feed)).toMatchObject({ outcome: 'accepted' })
  }
  const rows = await tableRows(service.context, differences)
  expect(rows.map(({ version, name }) => `${version}${name}`)).toEqual(['V2+c', 'V2-b'])
})
