import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig, settingsTable } from '../../lake/config.ts'
import { PROJECT } from '../laws/sources.ts'

test('settings that are not given take what the table says', () => {
  expect(readConfig({})).toMatchObject({ mode: 'simulated', port: 8080, redisUrl: null, queryMemory: 2 * 1024 ** 3 })
})

test('sizes, flags and addresses are read', () => {
  expect(readConfig({ QUERY_MEMORY: '512MB', S3_PATH_STYLE: 'true', S3_ENDPOINT: 'http://127.0.0.1:7070/' })).toMatchObject({
    queryMemory: 512 * 1024 ** 2,
    s3PathStyle: true,
    s3Endpoint: 'http://127.0.0.1:7070',
  })
})

test('all mistakes are told at once, each with variable, value and what is allowed', () => {
  const read = () =>
    readConfig({ PORT: 'eighty', SOURCE_MODE: 'fake', QUERY_MEMORY: 'much', S3_PATH_STYLE: 'maybe', S3_ENDPOINT: 'nowhere' })
  for (const words of [
    'PORT=eighty: a whole number',
    'SOURCE_MODE=fake: one of live, replay, simulated',
    'QUERY_MEMORY=much: a size',
    'S3_PATH_STYLE=maybe: true or false',
    'S3_ENDPOINT=nowhere: no address',
  ])
    expect(read).toThrow(words)
})

test("the README's table of settings is the one the code reads", () => {
  expect(readFileSync(join(PROJECT, 'README.md'), 'utf8')).toContain(settingsTable())
})
