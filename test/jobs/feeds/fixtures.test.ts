import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { feedById, feeds } from '../../../jobs/feeds/catalog.ts'
import type { Feed, FeedBody } from '../../../jobs/feeds/define.ts'
import { warningLines } from '../../../jobs/ingest/diagnostics.ts'
import { type Publication, parsePublication } from '../../../jobs/ingest/parse.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import { isoInstant } from '../../../lake/schema/time.ts'
import { fixtureBytes } from '../../helpers/fixture.ts'
import { PROJECT } from '../../laws/sources.ts'
import { CAMERA_FAULTS } from './camera-faults.ts'
import { type ContentFault, FAULTS } from './content-faults.ts'

const FIXTURES = join(PROJECT, 'test/fixtures')
/** The fetch time of fixtures, ms. */
const AT = Date.UTC(2027, 0, 1)
const SNAPSHOT = '.rows.json'
/** A snapshot of more rows than this has the first and the last. */
const MAX_ROWS = 12
const SHOWN_ROWS = 4

/**
 * Each file of a feed's folder is a publication: a folder `….zip` or `….tar` an archive of its files, a folder `….parts`
 * several bodies. A new file gets its snapshot by `vitest --update`; a person reads it before it is committed.
 */
describe.each(feeds.map((feed) => [feed.id, feed] as const))('%s', (id, feed) => {
  const files = readdirSync(join(FIXTURES, id)).filter((file) => !file.endsWith(SNAPSHOT))
  test.each(files)('%s gives the rows of its snapshot', async (file) => {
    const publication = await parse(feed, bodiesOf(feed, file))
    await expect(snapshotOf(feed, publication)).toMatchFileSnapshot(join(FIXTURES, id, `${file}${SNAPSHOT}`))
  })
})

test('every snapshot is of a fixture that is there', () => {
  const all = feeds.flatMap(({ id }) => readdirSync(join(FIXTURES, id)).map((file) => `${id}/${file}`))
  expect(all.filter((file) => file.endsWith(SNAPSHOT) && !all.includes(file.slice(0, -SNAPSHOT.length)))).toEqual([])
})

test.each([...FAULTS, ...CAMERA_FAULTS])('$file with $change', async ({ file, change, expect: expected }: ContentFault) => {
  const [id = '', name = ''] = file.split('/')
  const feed = feedById(id)
  const text = readFileSync(join(FIXTURES, file)).toString('latin1')
  const changed = change.reduce((given, [from, to]) => given.replaceAll(from, to), text)
  expect(changed).not.toBe(text)
  const [{ name: body }] = bodiesOf(feed, name) as [FeedBody]
  const reading = parse(feed, [{ name: body, bytes: Buffer.from(changed, 'latin1') }])
  if (typeof expected === 'string') return expect(reading).rejects.toThrow(expected)
  const { counts, report } = await reading
  const found = { rows: [...counts.values()][0], rejected: report.quarantined[feed.into[0]?.id as string] ?? {} }
  const { unknownCodes } = report
  expect({ ...found, unknown: Object.assign({}, ...Object.values(unknownCodes)), warnings: warningLines(report) }).toEqual({
    ...{ rejected: {}, unknown: {}, warnings: [] },
    ...expected,
  })
})

function parse(feed: Feed, bodies: readonly FeedBody[]): Promise<Publication> {
  return parsePublication(feed, bodies, AT, { keeps: () => true })
}

function bodiesOf(feed: Feed, file: string): FeedBody[] {
  const path = join(FIXTURES, feed.id, file)
  if (file.endsWith('.parts')) return readdirSync(path).map((name) => ({ name, bytes: readFileSync(join(path, name)) }))
  return [{ name: bodyName(feed, file), bytes: fixtureBytes(path) }]
}

/** A file of an archive is named by the period in its name, any other one as its request. */
function bodyName(feed: Feed, file: string): string {
  const stem = file.replace(/\.\w+$/, '')
  const [, year, month, day] = /^(\d{4})-?(\d\d)?-?(\d\d)?/.exec(stem) ?? []
  if (feed.archive && year !== undefined) return [year, month, day].filter((part) => part !== undefined).join('-')
  const requests = feed.plans.flatMap((plan) => plan.requests.map(({ name }) => name))
  return requests.includes(stem) ? stem : (requests[0] as string)
}

/** The rows of a publication, one a line, so that a difference shows the change. */
function snapshotOf(feed: Feed, publication: Publication): string {
  const { rows, report, data_time } = publication
  const lines = (list: readonly string[]): string => (list.length === 0 ? '[]' : `[\n    ${list.join(',\n    ')}\n  ]`)
  const parts = feed.into.flatMap((dataset) => {
    const all = (rows.get(dataset.id) ?? []).map((row) => JSON.stringify(shown(dataset, row)))
    const some = all.length <= MAX_ROWS ? all : [...all.slice(0, SHOWN_ROWS), ...all.slice(-SHOWN_ROWS)]
    return [`"${dataset.id}_count": ${all.length}`, `"${dataset.id}": ${lines(some)}`]
  })
  return `{\n  ${[
    `"published_at": ${report.publishedAt === null ? null : JSON.stringify(isoInstant(data_time))}`,
    `"rejected": ${JSON.stringify(report.quarantined)}`,
    `"unknown_codes": ${JSON.stringify(report.unknownCodes)}`,
    `"missing_blocks": ${JSON.stringify(report.missingBlocks)}`,
    `"warnings": ${JSON.stringify(warningLines(report))}`,
    ...parts,
  ].join(',\n  ')}\n}\n`
}

/** A row in the order of the dataset's columns, instants as text, without columns that are null. */
function shown({ columns }: Dataset, row: AnyRow): AnyRow {
  const there = Object.entries(columns).filter(([name]) => (row[name] ?? null) !== null)
  return Object.fromEntries(there.map(([name, { kind }]) => [name, kind === 'instant' ? isoInstant(row[name] as number) : row[name]]))
}
