import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import type { Feed } from '../../../jobs/feeds/define.ts'
import { fuelBulletinFeed } from '../../../jobs/feeds/fuel/bulletin.ts'
import { madridAccidents } from '../../../jobs/feeds/safety/madrid-accidents.ts'
import { decodeText } from '../../../jobs/formats/text.ts'
import { openZip } from '../../../jobs/formats/zip.ts'
import { type SheetContent, writeXlsx } from '../../../scripts/stand-in/formats/xlsx.ts'
import { zipOf } from '../../helpers/zip.ts'
import { fixture, parse, rowsOf } from './accident-files.ts'

/** Days between day 0 of both date systems. */
const BETWEEN = 1462

/** The workbook as Excel on macOS saved it, with days counted from 1904. */
async function in1904(bytes: Buffer): Promise<Buffer> {
  const zip = await openZip(bytes, { maxBytes: 10_000_000 })
  const members = zip.names.map(async (name) => {
    const text = (await buffer(Readable.from(zip.read(name)))).toString('utf8')
    return { name, bytes: Buffer.from(text.replace('<workbookPr ', '<workbookPr date1904="1" ')) }
  })
  return zipOf(...(await Promise.all(members)))
}

/** Sheets whose days are numbers, counted from `before` days after day 0 of Excel. */
type Sheets = (before: number) => readonly SheetContent[]

const bulletin: Sheets = (before) =>
  ['with', 'wo'].map((side) => ({
    name: side,
    rows: [
      ['x', 'CTR', `ES_price_${side}_tax_euro95`],
      [46027 - before, 'ES', 1400],
      [46020 - before, 'ES', 1380],
    ],
  }))

const accidents: Sheets = (before) => {
  const [header, ...rows] = decodeText(fixture('madrid_accidents/accidents.csv')).trim().split(/\r?\n/)
  const cells = rows.map((row, nth) => row.split(';').map((cell, at) => (at === 1 ? 45_292 + nth - before : at === 2 ? 0.25 : cell)))
  return [{ name: 'Hoja1', rows: [header?.split(';') ?? [], ...cells.map((row) => [`2024S${row[1]}`, ...row.slice(1)])] }]
}

test.each<[string, Feed, Sheets, string]>([
  ['the bulletin', fuelBulletinFeed, bulletin, 'date'],
  ["Madrid's accidents", madridAccidents, accidents, 'occurred_at'],
])('dates of %s in both date systems of workbooks are the same', async (_name, feed, sheets, column) => {
  const dates = async (bytes: Buffer): Promise<unknown[]> => rowsOf(await parse(feed, bytes)).map((row) => row[column])
  const expected = await dates(writeXlsx(sheets(0), 0))
  expect(expected.length).toBeGreaterThan(1)
  expect(await dates(await in1904(writeXlsx(sheets(BETWEEN), 0)))).toEqual(expected)
})
