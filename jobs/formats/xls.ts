import { FormatError } from '../feeds/define.ts'

/** Most rows read from a sheet. */
const MAX_ROWS = 20_000

/** The cells of the first sheet of an Excel 97 workbook (BIFF8), as shown; an empty cell is ''. Throws `FormatError`. */
export async function readXls(bytes: Buffer): Promise<readonly (readonly string[])[]> {
  // Loaded on demand: such a workbook is only a fallback.
  const { read, utils } = await import('@e965/xlsx')
  try {
    const { Sheets, SheetNames } = read(bytes, { dense: true, cellFormula: false, cellHTML: false, sheetRows: MAX_ROWS })
    const sheet = Sheets[SheetNames[0] ?? '']
    if (!sheet) throw new FormatError('the workbook has no sheet')
    return utils.sheet_to_json<string[]>(sheet, { header: 1, raw: false, defval: '' })
  } catch (cause) {
    if (cause instanceof FormatError) throw cause
    throw new FormatError(`no workbook of Excel 97: ${(cause as Error).message}`, { cause })
  }
}
