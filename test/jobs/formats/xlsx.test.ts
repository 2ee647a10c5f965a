import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Cell, openXlsx, serialDate } from '../../../jobs/formats/xlsx.ts'
import { writeXlsx } from '../../../scripts/stand-in/formats/xlsx.ts'
import { sharedFolder } from '../../helpers/shared.ts'
import { TIER } from '../../helpers/tier.ts'
import { type Member, zipOf } from '../../helpers/zip.ts'

const shared = sharedFolder()
const MAX = { maxBytes: 100_000_000 }
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** A workbook of one sheet, its parts as given; a part that is null is left out. */
function workbook(
  sheet: string,
  parts: { readonly shared?: string | null; readonly target?: string; readonly properties?: string } = {},
): Buffer {
  const { shared = null, target = 'worksheets/one.xml', properties = '' } = parts
  const member = (name: string, text: string): Member => ({ name, bytes: Buffer.from(text) })
  const relation = (id: string, type: string, to: string): string => `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${to}"/>`
  return zipOf(
    member(
      'xl/workbook.xml',
      `<x:workbook xmlns:x="${MAIN}" xmlns:q="${RELATIONS}"><x:workbookPr${properties}/><x:sheets><x:sheet name="Uno" sheetId="7" q:id="a"/><x:sheet name="Chart" sheetId="8" q:id="c"/></x:sheets></x:workbook>`,
    ),
    member(
      'xl/_rels/workbook.xml.rels',
      `<Relationships>${relation('a', 'worksheet', target)}${relation('c', 'chartsheet', 'charts/one.xml')}${shared === null ? '' : relation('b', 'sharedStrings', '/xl/texts.xml')}</Relationships>`,
    ),
    member('xl/worksheets/one.xml', `<worksheet xmlns="${MAIN}"><sheetData>${sheet}</sheetData></worksheet>`),
    ...(shared === null ? [] : [member('xl/texts.xml', `<sst xmlns="${MAIN}">${shared}</sst>`)]),
  )
}

async function rowsOf(bytes: Buffer, sheet = 'Uno'): Promise<(readonly Cell[])[]> {
  const rows: (readonly Cell[])[] = []
  for await (const some of (await openXlsx(bytes, MAX)).rows(sheet)) rows.push(...some)
  return rows
}

test('cells of every type, in the place that they name or the next one', async () => {
  const cells =
    '<row r="1"><c r="B1" t="s"><v>0</v></c><c t="s"><v>1</v></c><c r="E1"><v>-1.5E3</v></c><c r="F1" t="b"><v>1</v></c></row>' +
    '<row r="2"><c r="A2" s="3"/></row>' +
    '<row r="9"><c r="A9" t="inlineStr"><is><r><t>en</t></r><r><t> línea</t></r></is></c><c r="B9" t="str"><f>A1&amp;"x"</f><v>x &amp; y</v></c><c r="C9" t="e"><v>#N/A</v></c><c r="AB9" t="d"><v>2024-01-02</v></c></row>'
  const shared =
    '<si><t xml:space="preserve"> con blancos </t></si><si><r><rPr><b/></rPr><t>ri</t></r><r><t>co</t></r><rPh sb="0" eb="1"><t>no</t></rPh></si>'
  expect(await rowsOf(workbook(cells, { shared }))).toEqual([
    [null, ' con blancos ', 'rico', null, -1500, true],
    ['en línea', 'x & y', ...Array(25).fill(null), '2024-01-02'],
  ])
})

test.each([
  ['', '2023-01-02'],
  [' date1904="0"', '2023-01-02'],
  [' date1904="false"', '2023-01-02'],
  [' date1904="1"', '2027-01-03'],
  [' date1904="true"', '2027-01-03'],
])('day 44928 of a workbook with the properties%s is %s', async (properties, date) => {
  const { dayZero } = await openXlsx(workbook('', { properties }), MAX)
  expect([serialDate(44_928, dayZero), serialDate(44_928.999, dayZero)]).toEqual([date, date])
})

test('workbooks of the stand-in are read as written, in batches, whatever the columns', async () => {
  const rows = Array.from({ length: 2000 }, (_, at) => [`texto ${at % 7} <&">`, at, null, at % 3 === 0 ? null : `fin ${at}`])
  const bytes = writeXlsx(
    [
      { name: 'Una', rows: [['x']] },
      { name: 'Otra & más', rows },
    ],
    0,
  )
  const book = await openXlsx(bytes, MAX)
  expect(book.sheets).toEqual(['Una', 'Otra & más'])
  let batches = 0
  const read: (readonly Cell[])[] = []
  for await (const some of book.rows('Otra & más')) {
    batches += 1
    read.push(...some)
  }
  expect(batches).toBeGreaterThan(1)
  expect(read).toEqual(rows.map((row) => (row[3] === null ? row.slice(0, 2) : row)))
})

test.each([
  ['another zip', zipOf({ name: 'a.txt', bytes: Buffer.from('x') }), 'no workbook: the zip has a.txt'],
  ['no zip', Buffer.from('x'), 'not a whole zip'],
  ['a missing part', workbook('', { target: 'worksheets/two.xml' }), 'the zip has no xl/worksheets/two.xml'],
  [
    'a shared text that is not there',
    workbook('<row><c t="s"><v>3</v></c></row>', { shared: '<si><t>a</t></si>' }),
    'names shared text 3; there are 1',
  ],
  ['a number that is none', workbook('<row><c><v>1,5</v></c></row>'), '"1,5" for a number'],
  ['a place that is none', workbook('<row><c r="7"><v>1</v></c></row>'), '"7" is no place of a cell'],
  ['a column beyond the last', workbook('<row><c r="ZZZ1"><v>1</v></c></row>'), 'is no place of a cell'],
  ['XML that is cut off', workbook('<row><c>'), 'not well-formed'],
  ['a DTD', workbook(']]><!DOCTYPE a [<!ENTITY b "c">]>'), /not well-formed|DTD/],
  ['a text without end', workbook(`<row><c t="str"><v>${'x'.repeat(40_000)}</v></c></row>`), 'more than 32767 characters'],
])('%s is refused', async (_what, bytes, reason) => {
  await expect(rowsOf(bytes)).rejects.toThrow(reason)
})

test('a sheet that is not there, and more shared texts than are allowed', async () => {
  await expect(rowsOf(workbook(''), 'Dos')).rejects.toThrow('no sheet Dos; it has Uno')
  await expect(openXlsx(workbook('', { shared: '<si><t>123456</t></si>' }), { ...MAX, maxSharedChars: 5 })).rejects.toThrow(
    'more than 5 characters',
  )
})

test.skipIf(!shared || TIER === 'default')(
  'workbooks as published: Madrid 2020 (28,773 rows, 12,634 accidents), the dictionary (38 sheets), municipal sheets (8,196 rows)',
  async () => {
    const read = (file: string): Buffer => readFileSync(join(shared as string, 'feeds', file))
    const madrid = await rowsOf(read('madrid-accidentes/2020_Accidentalidad.xlsx'), '2020_Accidentalidad')
    const [header, ...accidents] = madrid
    expect(header?.slice(0, 3)).toEqual(['Nº  EXPEDIENTE', 'FECHA', 'HORA'])
    expect([accidents.length, new Set(accidents.map(([id]) => id)).size]).toEqual([28_773, 12_634])
    // The last day is 2020-11-30.
    expect(Math.max(...accidents.map(([, day]) => day as number))).toBe(44_165)
    const dictionary = await openXlsx(read('dgt-accidentes/Diccionario_Tabla_Accidentes.xlsx'), MAX)
    expect(dictionary.sheets).toHaveLength(38)
    expect(await rowsOf(read('dgt-accidentes/DatosMunicipales2022.xlsx'), 'fichas_municipales_2022')).toHaveLength(8197)
  },
)
