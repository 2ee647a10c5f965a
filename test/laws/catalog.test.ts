import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DATASETS_ES } from '../../api/features/cards/datasets-es.ts'
import { derivations } from '../../jobs/derive/catalog.ts'
import { type Derived, filledBy, inputsOf } from '../../jobs/derive/define.ts'
import { feeds } from '../../jobs/feeds/catalog.ts'
import { tryFeed } from '../../jobs/ingest/try.ts'
import { datasets } from '../../lake/catalog.ts'
import { readConfig, secretOf, textOf } from '../../lake/config.ts'
import { filledColumns } from '../../lake/schema/check-rows.ts'
import { PLANS } from '../../lake/schema/dataset.ts'
import type { Source } from '../../lake/schema/sources.ts'
import { UNITS } from '../../lake/schema/units.ts'
import { fixtureBytes } from '../helpers/fixture.ts'
import { type FieldLine, fieldLines, withNewFields } from './field-ids.ts'
import { PROJECT, sourceFiles, walk } from './sources.ts'

const FIXTURES = join(PROJECT, 'test/fixtures')
const FIELD_IDS = withNewFields(
  readFileSync(join(import.meta.dirname, 'field-ids.txt'), 'utf8'),
  datasets.map((dataset) => ({ id: dataset.id, fields: fieldLines(dataset) })),
)
const REGISTER: readonly FieldLine[] = FIELD_IDS.split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split(' '))

/** The NGA calls the path of a file of its publications `key`. */
const PUBLIC_FILE = /key=\d+\/SFH\d+\/[\w.]+$/

/** The folder, from the project's, in which each dataset and feed is declared. */
const DECLARED_IN = new Map<unknown, string>()
for (const { path } of sourceFiles().values())
  if (/^(lake\/datasets|jobs\/(feeds|derive))\/\w+\//.test(path))
    for (const value of Object.values((await import(join(PROJECT, path))) as object)) DECLARED_IN.set(value, dirname(path))

test('the register of field ids has every column of every dataset; vitest -u adds new ones', async () => {
  await expect(FIELD_IDS).toMatchFileSnapshot('field-ids.txt')
})

test('every public dataset has its title and contents in Spanish', () => {
  const ids = datasets.filter(({ visibility }) => visibility === 'public').map(({ id }) => id)
  expect(Object.keys(DATASETS_ES).toSorted()).toEqual(ids.toSorted())
  for (const [title, about] of Object.values(DATASETS_ES)) expect([title, about].join(' ')).not.toMatch(/^\s|\b(the|of)\b|\s$/)
})

test('new columns are added to the register of field ids, and no existing one changes', () => {
  const fields = (id: string, ...names: string[]): { id: string; fields: FieldLine[] } => ({
    id,
    fields: names.map((name, at) => [id, `${at + 1}`, name]),
  })
  const text = '# Ids.\nold ids 2\nold 1 a\nold 2 b retired\ngone ids 1\ngone 1 x retired\n'
  expect(withNewFields(text, [fields('old', 'renamed')])).toBe(text)
  expect(withNewFields(text, [fields('old', 'a', 'b', 'c'), fields('new', 'd', 'e')])).toBe(
    '# Ids.\nold ids 3\nold 1 a\nold 2 b retired\nold 3 c\ngone ids 1\ngone 1 x retired\nnew ids 2\nnew 1 d\nnew 2 e\n',
  )
})

test('a dataset that is gone has only retired field ids', () => {
  const gone = REGISTER.filter(([id, field]) => field !== 'ids' && !datasets.some((dataset) => dataset.id === id))
  expect(gone.filter((line) => line[3] !== 'retired')).toEqual([])
})

describe.each(datasets.map((dataset) => [dataset.id, dataset] as const))('dataset %s', (id, dataset) => {
  test('has feeds, or one derivation, or is a record that the service keeps for itself', () => {
    const fed = feeds.some(({ into }) => into.includes(dataset))
    const isOwn = dataset.visibility === 'internal'
    // Each model fills the fields that describe it.
    const isBeside = derivations.some((derived) => derived.by === 'model' && derived.sideOutputs?.includes(dataset))
    expect(derivations.filter(({ into }) => into === dataset).length).toBe(fed || isOwn || isBeside ? 0 : 1)
    expect([fed, isOwn, isBeside].filter(Boolean).length).toBeLessThanOrEqual(1)
  })

  test('has a licence, an attribution and a page', () => {
    expect(dataset.sources.length).toBeGreaterThan(0)
    for (const source of dataset.sources) {
      expect(source.licence).not.toBe('')
      expect(source.attribution).not.toBe('')
      expect(URL.canParse(source.url)).toBe(true)
      expect(URL.canParse(source.licence_url)).toBe(true)
    }
  })

  test('has an example of every column', () => {
    const without = Object.entries(dataset.columns).filter(([, column]) => !column.retired && column.example === undefined)
    expect(without.map(([name]) => name)).toEqual([])
    const nullInRequired = Object.entries(dataset.columns).filter(([, column]) => column.example === null && !column.nullable)
    expect(nullInRequired.map(([name]) => name)).toEqual([])
  })

  test('says the unit of every number', () => {
    for (const [name, column] of Object.entries(dataset.columns)) {
      if (!['integer', 'decimal', 'float'].includes(column.kind)) continue
      const unit = column.unitIn ? dataset.columns[column.unitIn]?.codes?.codes : { [column.unit ?? '']: true }
      for (const symbol of Object.keys(unit ?? {})) expect(UNITS, `unit of ${name}`).toHaveProperty([symbol])
      expect(unit, `unit of ${name}`).toBeDefined()
    }
  })

  test('uses field ids as the register has them, and never one again', () => {
    const register = REGISTER.filter((line) => line[0] === id)
    const byId = (one: readonly string[], other: readonly string[]): number => Number(one[1]) - Number(other[1])
    const fields = register.filter((line) => line[1] !== 'ids').sort(byId)
    expect(fieldLines(dataset)).toEqual(fields)
    // A line that is gone with its column would free its id: each from 1 to the count that the register states has one.
    const [, , count] = register.find((line) => line[1] === 'ids') ?? []
    expect(fields.map((line) => Number(line[1]))).toEqual(Array.from({ length: Number(count) }, (_, at) => at + 1))
  })

  test('is in the folder of its domain', () => {
    expect(DECLARED_IN.get(dataset)).toBe(`lake/datasets/${dataset.domain}`)
  })

  test('asks at least the live plan for its history, and at least that for bulk', () => {
    const rank = [dataset.plan.live, dataset.plan.history, dataset.plan.bulk].map((plan) => PLANS.indexOf(plan))
    expect(rank).toEqual([...rank].sort())
  })
})

/** The sources of a derivation's inputs. */
function sourcesOf(derived: Derived): readonly Source[] {
  return derived.sources ?? inputsOf(derived).flatMap(({ sources }) => sources)
}

describe.each(derivations.map((derived) => [derived.into.id, derived] as const))('derivation of %s', (_id, derived) => {
  test('is in the folder of its domain', () => {
    expect(DECLARED_IN.get(derived)).toBe(`jobs/derive/${derived.into.domain}`)
  })

  test('reads only tables of feeds or earlier derivations, names the sources of all of them, and needs no lower plan', () => {
    const rank = (plan: (typeof PLANS)[number]): number => PLANS.indexOf(plan)
    const before = derivations.slice(0, derivations.indexOf(derived))
    for (const input of inputsOf(derived)) {
      expect([...feeds.flatMap(({ into }) => into), ...before.map(({ into }) => into)]).toContain(input)
      const theirs = input.sources.filter((source) => sourcesOf(derived).includes(source))
      expect([input.id, theirs.length > 0, theirs.every((source) => derived.into.sources.includes(source))]).toEqual([input.id, true, true])
      for (const access of ['live', 'history', 'bulk'] as const)
        expect(rank(derived.into.plan[access])).toBeGreaterThanOrEqual(rank(input.plan[access]))
    }
  })

  test('names the sources of its inputs in all its outputs, each by the part', () => {
    for (const dataset of filledBy(derived)) {
      const sources = sourcesOf(derived)
      expect([dataset.id, sources.filter((source) => !dataset.sources.includes(source))]).toEqual([dataset.id, []])
    }
  })

  test('by versions gives the same parts whatever order they come in, and none without versions', () => {
    if (derived.by !== 'versions') return
    expect(derived.parts([])).toEqual([])
    const parts = (versions: readonly string[]): unknown[] =>
      [...derived.parts(versions)].sort((one, other) => (one.version < other.version ? -1 : 1))
    const versions = ['a-2026-01-01', 'b-2026-01-01', 'a-2026-01-02', 'a-2026-01-04', 'b-2026-02-01']
    expect(parts([...versions].reverse())).toEqual(parts(versions))
  })
})

describe.each(feeds.map((feed) => [feed.id, feed] as const))('feed %s', (id, feed) => {
  const folder = join(FIXTURES, id)

  test('has a fixture that gives good rows of each of its datasets', async () => {
    // A folder named `….zip` or `….tar` stands for an archive of its files, one named `….parts` for the bodies of a
    // publication, by their names.
    const fixtures = walk(folder).filter((path) => !path.endsWith('.rows.json'))
    const files = [...new Set(fixtures.map((path) => /^.*?\.(zip|tar|parts)(?=\/)/.exec(path)?.[0] ?? path))].sort()
    expect(files.length).toBeGreaterThan(0)
    const seen = new Map<string, number>()
    for (const path of files) {
      const bodies = path.endsWith('.parts') ? walk(path).sort() : [path]
      const { trial } = await tryFeed(feed, {
        files: bodies.map((one) => ({ name: 'fixture', bytes: fixtureBytes(one) })),
        at: Date.UTC(2027, 0, 1),
      })
      for (const [dataset, { rows }] of Object.entries(trial.datasets)) seen.set(dataset, (seen.get(dataset) ?? 0) + rows)
    }
    for (const dataset of feed.into) expect(seen.get(dataset.id) ?? 0, `rows of ${dataset.id}`).toBeGreaterThan(0)
  })

  test('has an id that fetch ids and object keys can carry, and is named once', () => {
    expect(id).toMatch(/^[a-z][a-z0-9_]*$/)
    expect(feeds.filter((other) => other.id === id)).toHaveLength(1)
  })

  test('asks distinct requests over HTTPS or HTTP, bounded in bytes and time', () => {
    expect(feed.plans.length > 0).toBe(!feed.stream)
    for (const { requests, enough, next } of feed.plans) {
      if (next) expect(requests).toHaveLength(1)
      expect(new Set(requests.map(({ name }) => name)).size).toBe(requests.length)
      expect(enough ?? requests.length).toBeLessThanOrEqual(requests.length)
      for (const request of requests) {
        expect(new URL(request.url).protocol).toMatch(/^https?:$/)
        expect(request.maxBytes).toBeGreaterThan(0)
        expect(request.maxDecodedBytes).toBeGreaterThanOrEqual(request.maxBytes)
        expect(request.timeout_ms).toBeLessThanOrEqual(300_000)
      }
    }
  })

  test('is in the folder of its domain', () => {
    expect(DECLARED_IN.get(feed)).toBe(`jobs/feeds/${feed.domain}`)
  })

  test('is of a source that each of its datasets names', () => {
    for (const dataset of feed.into) expect([dataset.id, dataset.sources.includes(feed.source)]).toEqual([dataset.id, true])
  })

  test('contains no secret in an address', () => {
    for (const { requests } of feed.plans)
      for (const { url } of requests) expect(url.replace(PUBLIC_FILE, '')).not.toMatch(/(key|token|secret|password)=|:\/\/[^/]*@/i)
  })

  test('has each secret that it sends in the configuration, as one, and follows slips to hosts alone', () => {
    const config = readConfig({})
    for (const { requests } of feed.plans)
      for (const { secret, twoStep: follow } of requests) {
        if (secret) expect([secretOf(config, secret.env), secret.header]).toEqual([null, expect.stringMatching(/^[a-z][a-z_-]*$/)])
        for (const host of follow?.hosts ?? []) expect(new URL(`https://${host}/`).host).toBe(host)
      }
  })

  test.runIf(feed.stream)('is silent for a minute at most, in files that are bounded', () => {
    const { connect, secretEnv, file_s, maxFileBytes } = feed.stream as NonNullable<typeof feed.stream>
    expect(3 * feed.every_s).toBeLessThanOrEqual(60)
    expect([file_s, maxFileBytes <= 64_000_000]).toEqual([60, true])
    if ('url' in connect) expect(new URL(connect.url).protocol).toBe('wss:')
    else expect(textOf(readConfig({}), connect.env)).toBeNull()
    if (secretEnv) expect(secretOf(readConfig({}), secretEnv)).toBeNull()
  })

  test('guards every dataset it fills, with blocks that are columns', () => {
    expect(Object.keys(feed.bands).sort()).toEqual(feed.into.map((dataset) => dataset.id).sort())
    for (const [dataset, { column, least = 1, mostMissing = 1, countedIn = dataset }] of Object.entries(feed.groups ?? {})) {
      const declared = feed.into.find((other) => other.id === dataset)
      expect(declared?.columns).toHaveProperty([column])
      expect(filledColumns(declared as (typeof datasets)[number]).has(column)).toBe(false)
      expect([least >= 1, mostMissing > 0, mostMissing <= 1]).toEqual([true, true, true])
      expect(feed.groups?.[countedIn]?.countedIn).toBeUndefined()
      expect(feed.groups).toHaveProperty([countedIn])
    }
  })
})
