import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { listOfSetting, readConfig, SETTINGS, settingsTable } from '../../lake/config.ts'
import { PROJECT } from '../laws/sources.ts'

test('settings that are not given take the defaults of the table', () => {
  expect(readConfig({})).toMatchObject({ mode: 'simulated', port: 8080, redisUrl: null, queryMemory: 2 * 1024 ** 3 })
})

test('sizes, flags and addresses are read', () => {
  expect(readConfig({ QUERY_MEMORY: '512MB', S3_PATH_STYLE: 'true', S3_ENDPOINT: 'http://127.0.0.1:7070/' })).toMatchObject({
    queryMemory: 512 * 1024 ** 2,
    s3PathStyle: true,
    s3Endpoint: 'http://127.0.0.1:7070',
  })
})

const MISTAKES: readonly [variable: string, value: string, allowed: string][] = [
  ['PORT', 'eighty', 'a whole number, 0 to 65535'],
  ['SOURCE_MODE', 'fake', 'one of `live`, `replay`, `simulated`'],
  ['QUERY_MEMORY', 'much', 'a size such as `512MB`, at least 256MB'],
  ['S3_PATH_STYLE', 'maybe', '`true` or `false`'],
  ['S3_ENDPOINT', 'nowhere', 'an `http(s)://` address'],
  ['S3_ENDPOINT', 'ftp://127.0.0.1', 'an `http(s)://` address'],
  ['PORT', '99999999', 'a whole number, 0 to 65535'],
  ['METRICS_PORT', '65536', 'a whole number, 0 to 65535'],
  ['LOG_LEVEL', 'verbose', 'one of `trace`, `debug`, `info`, `warn`, `error`'],
  ['QUERY_SLOTS', '0', 'a whole number, 1 to 64'],
  ['QUERY_THREADS', '0', 'a whole number, 1 to 256'],
  ['QUERY_MEMORY', '0', 'a size such as `512MB`, at least 256MB'],
  ['CACHE_BYTES', '0', 'a size such as `512MB`, at least 1GB'],
  ['AIRCRAFT_BLOCKED', '3443C1; EC-ABC', 'addresses of 24 bits or registrations, separated by commas'],
  ['LAND_EVERY_S', '9', 'a whole number, 10 to 300'],
  ['LAND_EVERY_S', '301', 'a whole number, 10 to 300'],
  ['LAKE_URL', 'S3://bucket', '`s3://bucket/prefix` or a folder'],
  ['LAKE_URL', 'gs://bucket', '`s3://bucket/prefix` or a folder'],
  ['PUBLIC_URL', 'api.example.org', 'an `http(s)://` address'],
  ['MAIL_FROM', 'nobody', '`name@example.org` or `Name <name@example.org>`'],
  ['SECURITY_CONTACT', 'https://example.org/\nExpires: 2099-01-01T00:00:00Z', '`mailto:…`, `https://…` or `tel:+…`'],
  ['MAIL_FROM', 'a@example.org\r\nBcc: b@example.org', '`name@example.org` or `Name <name@example.org>`'],
  ['PLANS', '[]', 'JSON such as `{"PRO": {"price_eur_month": 59}}`'],
  ['TRUSTED_PROXIES', 'proxy.example.org', 'addresses or CIDR ranges, separated by commas'],
  ['SECURITY_CONTACT', 'security@example.org', '`mailto:…`, `https://…` or `tel:+…`'],
  ['UPGRADE_URL', 'example.org/plans', 'an `http(s)://` address'],
  ['REDIS_URL', 'localhost:6379', '`redis://…`, `rediss://…` or the path of a socket'],
]

test.each(MISTAKES)('%s=%s is refused with the allowed values', (variable, value, allowed) => {
  expect(() => readConfig({ [variable]: value })).toThrow(`${variable}=${value}: ${allowed}`)
})

test('all mistakes are reported at once', () => {
  const env = Object.fromEntries(MISTAKES.map(([variable, value]) => [variable, value]))
  const read = (): unknown => readConfig(env)
  for (const [variable, value] of Object.entries(env)) expect(read).toThrow(`${variable}=${value}: `)
})

test.each([
  ['KEY_PEPPER', '1:secret', '`<version>:<64 hexadecimal digits>`, separated by commas'],
  ['KEY_PEPPER', `0:${'a'.repeat(64)}`, '`<version>:<64 hexadecimal digits>`, separated by commas'],
  ['AEMET_API_KEY', 'secret', 'a JSON Web Token: three parts separated by dots'],
  ['OPENSKY_CLIENT', 'onlysecret', '`<client id>:<client secret>`'],
  ['SMTP_URL', 'mail.example.org?password=secret', '`smtp://…` or `smtps://…`'],
  ['SMTP_URL', 'https://user:secret@mail.example.org', '`smtp://…` or `smtps://…`'],
])('%s=%s is refused without being repeated', (variable, value, allowed) => {
  const read = (): unknown => readConfig({ [variable]: value })
  expect(read).toThrow(`${variable}=…: ${allowed}`)
  expect(read).not.toThrow(value)
})

test.each([
  { PORT: '0', QUERY_SPILL: '0', QUERY_SLOTS: '1', QUERY_THREADS: '1', QUERY_MEMORY: '256MB' },
  { PORT: '65535', QUERY_SLOTS: '64', LAND_EVERY_S: '300', LOG_LEVEL: 'trace' },
  { LAKE_URL: 's3://bucket/prefix', S3_ENDPOINT: 'https://s3.example.org' },
  { LAKE_URL: '/srv/lake' },
  { LAKE_URL: 'lake:2026' },
  { PLANS: '{\n  "PRO": {"minute": 90}\n}', TRUSTED_PROXIES: '10.0.0.0/8, 2001:db8::/32', UPGRADE_URL: 'https://example.org/plans' },
  {
    KEY_PEPPER: `2:${'a'.repeat(64)},1:${'0'.repeat(64)}`,
    SMTP_URL: 'smtps://user:password@mail.example.org:465',
    MAIL_FROM: 'a@example.org',
    AEMET_API_KEY: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.a-b_c',
  },
  ...['redis://127.0.0.1:6379', 'rediss://redis.example.org', 'unix:///run/redis.sock', '/run/redis.sock'].map((url) => ({
    REDIS_URL: url,
  })),
  ...['mailto:security@example.org', 'https://example.org/security', 'tel:+34-900-000-000'].map((uri) => ({ SECURITY_CONTACT: uri })),
])('%o is taken', (env) => {
  expect(() => readConfig(env)).not.toThrow()
})

test("the region is the bucket's, else that of AWS's own variable", () => {
  expect(readConfig({}).s3Region).toBe('us-east-1')
  expect(readConfig({ AWS_REGION: 'eu-south-2' }).s3Region).toBe('eu-south-2')
  expect(readConfig({ AWS_REGION: 'eu-south-2', S3_REGION: 'eu-west-3' }).s3Region).toBe('eu-west-3')
})

test('a list is read by its variable, in upper case', () => {
  expect(listOfSetting(readConfig({ AIRCRAFT_BLOCKED: '3443c1,ec-abc' }), 'AIRCRAFT_BLOCKED')).toEqual(new Set(['3443C1', 'EC-ABC']))
  expect(listOfSetting(readConfig({}), 'AIRCRAFT_BLOCKED')).toEqual(new Set())
  expect(() => listOfSetting(readConfig({}), 'NO_LIST')).toThrow('no setting NO_LIST')
})

test('every level of log lines that is allowed is one of the log', () => {
  const { oneOf } = SETTINGS.logLevel.allowed
  for (const level of oneOf ?? []) expect(pino.levels.values).toHaveProperty(level)
  expect(oneOf).toHaveLength(5)
})

test('the table of settings in scripts/README.md is the one the code reads', () => {
  expect(readFileSync(join(PROJECT, 'scripts/README.md'), 'utf8')).toContain(settingsTable())
})
