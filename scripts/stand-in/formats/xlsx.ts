import { packZip, type ZipMember } from './zip.ts'

/** A sheet: its name and rows of cells; null and undefined omit a cell. */
export interface SheetContent {
  readonly name: string
  readonly rows: Iterable<readonly (string | number | null | undefined)[]>
}

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
/** Rows per piece of a sheet. */
const PIECE = 500

/** A workbook (ECMA-376) as saved by Excel: shared texts, plain numbers, named cells. Dated `at` (ms). */
export function writeXlsx(sheets: readonly SheetContent[], at: number): Buffer {
  const shared = new Map<string, number>()
  const whole = (name: string, text: string) => ({ name, pieces: [Buffer.from(DECLARATION + text)] })
  const relation = (id: number, type: string, target: string): string =>
    `<Relationship Id="rId${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`
  const members = function* (): Generator<ZipMember> {
    yield* [
      whole(
        '[Content_Types].xml',
        `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/></Types>`,
      ),
      whole(
        '_rels/.rels',
        `<Relationships xmlns="${PACKAGE}/relationships">${relation(1, 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
      ),
      whole(
        'xl/workbook.xml',
        `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><workbookPr defaultThemeVersion="124226"/><sheets>${sheets
          .map(({ name }, index) => `<sheet name="${escaped(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`)
          .join('')}</sheets></workbook>`,
      ),
      whole(
        'xl/_rels/workbook.xml.rels',
        `<Relationships xmlns="${PACKAGE}/relationships">${sheets
          .map((_, index) => relation(index + 1, 'worksheet', `worksheets/sheet${index + 1}.xml`))
          .join('')}${relation(sheets.length + 1, 'sharedStrings', 'sharedStrings.xml')}</Relationships>`,
      ),
    ]
    // A sheet is written while it is packed; its shared texts are known afterwards.
    for (const [index, sheet] of sheets.entries()) yield { name: `xl/worksheets/sheet${index + 1}.xml`, pieces: sheetPieces(sheet, shared) }
    yield whole(
      'xl/sharedStrings.xml',
      `<sst xmlns="${MAIN}" uniqueCount="${shared.size}">${[...shared.keys()].map((text) => `<si><t>${escaped(text)}</t></si>`).join('')}</sst>`,
    )
  }
  return packZip(members(), at)
}

function* sheetPieces({ rows }: SheetContent, shared: Map<string, number>): Generator<Buffer> {
  let text = `${DECLARATION}<worksheet xmlns="${MAIN}"><sheetData>`
  let row = 0
  for (const cells of rows) {
    row += 1
    text += `<row r="${row}">${cells.map((cell, column) => cellOf(cell, `${letters(column)}${row}`, shared)).join('')}</row>`
    if (row % PIECE !== 0) continue
    yield Buffer.from(text)
    text = ''
  }
  yield Buffer.from(`${text}</sheetData></worksheet>`)
}

function cellOf(cell: string | number | null | undefined, place: string, shared: Map<string, number>): string {
  if (cell === null || cell === undefined) return ''
  if (typeof cell === 'number') return `<c r="${place}"><v>${cell}</v></c>`
  const known = shared.get(cell) ?? shared.size
  shared.set(cell, known)
  return `<c r="${place}" t="s"><v>${known}</v></c>`
}

/** The name of a column: A, …, Z, AA, … */
function letters(column: number): string {
  const rest = Math.floor(column / 26)
  return `${rest > 0 ? letters(rest - 1) : ''}${String.fromCharCode(65 + (column % 26))}`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
