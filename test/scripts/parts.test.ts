import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { readConfig } from '../../lake/config.ts'
import { fileStore } from '../../lake/store/file.ts'
import type { ObjectStore } from '../../lake/store/store.ts'
import { openServiceLake } from '../../scripts/service/parts.ts'
import { tempFolder } from '../helpers/temp.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

/** Opens a lake and returns its log lines: their level and their fields. */
async function linesOf(folder: string, options: { remote: boolean }): Promise<Record<string, unknown>[]> {
  const lines: Record<string, unknown>[] = []
  const log = pino({ base: null, timestamp: false }, { write: (line) => void lines.push(JSON.parse(line)) })
  const files = await fileStore(join(folder, 'store'))
  // A store that the lake regards as remote.
  const store: ObjectStore = options.remote ? { ...files, url: 's3://bucket/prefix' } : files
  const config = readConfig({ DATA_DIR: folder, ...(options.remote ? { LAKE_URL: 's3://bucket/prefix' } : {}) })
  const lake = await openServiceLake(config, store, { process: 'cli', log })
  onTestFinished(() => lake.close())
  return lines
}

const WARNING = { level: 40, msg: 'no range reads by httpfs: queries fetch whole files' }

test('an S3 lake whose httpfs cannot be installed logs the reason, once', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'key')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
  const folder = tempFolder()
  // A file blocks the engine's folder for extensions, so that the installation fails with and without a network.
  writeFileSync(join(folder, 'duckdb'), '')
  expect(await linesOf(folder, { remote: true })).toEqual([{ ...WARNING, reason: expect.stringMatching(/duckdb|extension/i) }])
})

test('an S3 lake without keys for httpfs logs it', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', '')
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
  // The extension is loaded first, and may be missing too.
  const reason = expect.stringMatching(/credentials|httpfs/)
  expect(await linesOf(tempFolder(), { remote: true })).toEqual([{ ...WARNING, reason }])
})

test('a lake in a folder logs nothing', async () => {
  expect(await linesOf(tempFolder(), { remote: false })).toEqual([])
})
