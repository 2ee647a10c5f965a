import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { FormatError } from '../../../jobs/feeds/define.ts'
import { type GtfsColumns, type GtfsRecords, gtfsRoot, readGtfs } from '../../../jobs/formats/gtfs.ts'
import { openZip } from '../../../jobs/formats/zip.ts'
import { zipOf } from '../../helpers/zip.ts'

const COLUMNS: GtfsColumns = { requires: ['trip_id', 'arrival_time', 'stop_sequence'], takes: ['pickup_type', 'note'] }

/** The results of `take` for each record of a member. */
async function records<T>(text: string | Buffer, take: (record: GtfsRecords) => T, columns: GtfsColumns = COLUMNS): Promise<T[]> {
  const zip = await openZip(zipOf({ name: 'stop_times.txt', bytes: Buffer.from(text) }), { maxBytes: 100_000_000 })
  const found: T[] = []
  for await (const piece of readGtfs(zip, 'stop_times.txt', columns)) while (piece.next()) found.push(take(piece))
  return found
}

const line = (text: string): string => `${text.padEnd(150)}\n`

test('names and values are trimmed, blank is null, columns go by name and those that are not there are null', async () => {
  const text = `\uFEFF${line('stop_sequence,trip_id,arrival_time  ,extra')}${line('007,1032S19799C1 , 8:05:09,Xoán')}${line(' ,  ,,')}\n${line('3,É1,,')}`
  const take = (record: GtfsRecords): unknown[] => [record.text(0), record.time(1), record.whole(2), record.text(3)]
  expect(await records(text, take)).toEqual([
    ['1032S19799C1', 29_109, 7, null],
    [null, null, null, null],
    ['É1', null, 3, null],
  ])
})

test('lines end in LF or CRLF, the last one in nothing, and quotes hold commas, blanks and quotes', async () => {
  const text = 'trip_id,arrival_time,stop_sequence,note\r\n"a, b" ,"24:00:00",1,"say ""no"""\r\nc,25:59:59,2, plain '
  const take = (record: GtfsRecords): unknown[] => [record.text(0), record.time(1), record.whole(2), record.text(4), record.rawText(4)]
  expect(await records(text, take)).toEqual([
    ['a, b', 86_400, 1, 'say "no"', 'say "no"'],
    ['c', 93_599, 2, 'plain', ' plain '],
  ])
})

test.each([
  ['8:5:00', Number.NaN],
  ['08:60:00', Number.NaN],
  ['0800', Number.NaN],
  ['1000:00:00', Number.NaN],
  ['-1:00:00', Number.NaN],
  ['0:00:00', 0],
  ['100:00:00', 360_000],
])('the time %s is %d', async (time, expected) => {
  expect(await records(`trip_id,arrival_time,stop_sequence\na,${time},1`, (record) => record.time(1))).toEqual([expected])
})

test('invalid numbers are NaN, and a record of another width is reported', async () => {
  const take = (record: GtfsRecords): unknown[] => [record.whole(2), record.number(2), record.isWhole]
  const text = 'trip_id,arrival_time,stop_sequence\na,,1x\nb,,-2\nc,,2.5\nd,1\ne,,1,2\n'
  expect(await records(text, take)).toEqual([
    [Number.NaN, Number.NaN, true],
    [Number.NaN, -2, true],
    [Number.NaN, 2.5, true],
    [null, null, false],
    [1, 1, false],
  ])
})

test('empty fields at the end of a line are none, in the header and in records', async () => {
  const take = (record: GtfsRecords): unknown[] => [record.text(0), record.whole(2), record.isWhole]
  const tails = ['', ',', ', ,\t,', ',""', ',x']
  const lines = tails.map((tail, at) => `t${at},8:00:00,${at}${tail}`).join('\r\n')
  const expected = (isMoreWhole: boolean) => tails.map((_, at) => [`t${at}`, at, isMoreWhole || at < 4])
  expect(await records(`trip_id,arrival_time,stop_sequence\r\n${lines}`, take)).toEqual(expected(false))
  expect(await records(`trip_id,arrival_time,stop_sequence, ,\r\n${lines}`, take)).toEqual(expected(true))
})

test('each line is decoded as UTF-8 or, if it is none, as Windows-1252', async () => {
  const take = (record: GtfsRecords): unknown[] => [record.text(0), record.text(4), record.rawText(4), record.line]
  const name = 'Estación de Peñarroya – Castellón de la Plana'
  const rows = [`España,,1,${name}`, `"España",,1,"${name}"`]
  const legacy = (text: string): Buffer => Buffer.from(text.replace('–', '\u0096'), 'latin1')
  for (const encode of [legacy, Buffer.from]) {
    const bytes = Buffer.concat([Buffer.from('trip_id,arrival_time,stop_sequence,note\n'), ...rows.map((row) => encode(`${row}\n`))])
    expect(await records(bytes, take)).toEqual(rows.map((row) => ['España', name, name, row]))
  }
  const mixed = Buffer.concat([Buffer.from('trip_id,arrival_time,stop_sequence\nÉ,,1\n'), Buffer.from('É,,2\n', 'latin1')])
  expect(await records(mixed, (record) => record.text(0))).toEqual(['É', 'É'])
})

test('the only folder with stop times is the root of an archive', async () => {
  const open = (...names: string[]) =>
    openZip(zipOf(...names.map((name) => ({ name, bytes: Buffer.from(name) }))), { maxBytes: 10_000 }).then(gtfsRoot)
  const members = ['stops.txt', 'stop_times.txt']
  for (const folder of ['', 'google_transit/', 'a/b/']) {
    const zip = await open(...members.map((name) => `${folder}${name}`), '__MACOSX/google_transit/._stop_times.txt', 'LEEME.txt')
    expect(zip.names.filter((name) => members.includes(name))).toEqual(members)
    expect(zip.stated('stops.txt')).not.toBeNull()
    expect((await zip.read('stops.txt').next()).value?.toString()).toBe(`${folder}stops.txt`)
  }
  expect((await open('one/stop_times.txt', 'other/stop_times.txt')).names).toEqual(['one/stop_times.txt', 'other/stop_times.txt'])
})

test('members of any size are read alike, however they are cut into pieces', async () => {
  const count = 40_000
  const text = `trip_id,arrival_time,stop_sequence\n${Array.from({ length: count }, (_, at) => line(`tripé${at % 7},${10 + (at % 15)}:00:00,${at}`)).join('')}`
  const found = await records(text, (record) => `${record.text(0)} ${record.time(1)} ${record.whole(2)} ${record.isWhole}`)
  expect(found).toHaveLength(count)
  expect(found.filter((one, at) => one !== `tripé${at % 7} ${(10 + (at % 15)) * 3600} ${at} true`)).toEqual([])
})

test('an invalid table is refused: no member, no line, a missing name, a line without end', async () => {
  const refusal = (text: string): Promise<string> =>
    records(text, () => null).then(
      () => 'none',
      (error: unknown) => (error instanceof FormatError ? error.message : String(error)),
    )
  expect(await refusal('')).toBe('stop_times.txt is empty; expected a header line')
  expect(await refusal(line('trip_id, arrival_time'))).toBe('stop_times.txt lacks stop_sequence; its header is trip_id, arrival_time')
  expect(await refusal(`trip_id,arrival_time,stop_sequence\n${randomBytes(1_500_000).toString('hex')}`)).toMatch(
    /a line of some \d+ bytes or more/,
  )
  const zip = await openZip(zipOf({ name: 'a.txt', bytes: Buffer.from('a') }), { maxBytes: 100 })
  await expect(readGtfs(zip, 'trips.txt', COLUMNS).next()).rejects.toThrow('the zip has no trips.txt')
})
