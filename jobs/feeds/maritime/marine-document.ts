import { readCsv } from '../../formats/csv.ts'
import { dayFirstInstant } from '../../formats/dates.ts'
import { decodeText } from '../../formats/text.ts'
import { readXls } from '../../formats/xls.ts'
import { type FeedBody, type FeedClock, FormatError } from '../define.ts'
import { readAnswer } from '../fuel/answer.ts'
import type { RawRecord } from '../kit/binder.ts'

/** A publication of the register: its time (ms), and its records under the layout's names. */
export interface MarineDocument {
  readonly published: number
  readonly records: readonly RawRecord[]
}

/** Begin of an Excel 97 workbook (OLE2). */
const OLE2 = Buffer.from([0xd0, 0xcf, 0x11, 0xe0])

/**
 * Opens a publication in either layout: the answer of the REST service, or the spreadsheet, possibly as semicolon-separated
 * text. Throws `FormatError`.
 */
export async function openMarine(body: FeedBody, clock: FeedClock): Promise<MarineDocument> {
  const { bytes } = body
  if (bytes.subarray(0, OLE2.length).equals(OLE2)) return spreadsheet(await readXls(bytes), clock)
  const begin = bytes.subarray(0, 64).toString('latin1').replace('\u00ef\u00bb\u00bf', '').trimStart()
  if (begin.startsWith('{')) {
    const { published, batches } = readAnswer(body, clock)
    const records = [...batches].flat().filter((record) => typeof record === 'object' && record !== null)
    return { published, records: records.map((record) => ({ names: Object.keys(record), values: Object.values(record) })) }
  }
  const { header, records } = readCsv(decodeText(bytes), { delimiter: ';', requires: [], endsLines: true })
  return spreadsheet([header, ...records], clock)
}

/** The rows of the spreadsheet: some lines about the file, the column names, then one post per line. */
function spreadsheet(rows: readonly (readonly string[])[], { fetched_at, near = fetched_at }: FeedClock): MarineDocument {
  const at = rows.findIndex((row) => row[0]?.trim() === 'Provincia')
  if (at < 0) throw new FormatError('the spreadsheet has no line that begins with Provincia')
  const stamp = rows.slice(0, at).find((row) => row[0]?.trim() === 'Fecha:')?.[1] ?? ''
  const published = dayFirstInstant(stamp, near)
  if (Number.isNaN(published)) throw new FormatError(`Fecha is ${JSON.stringify(stamp)}, expected dd/MM/yyyy H:mm`)
  const names = (rows[at] as readonly string[]).map((name) => name.trim())
  const records = rows.slice(at + 1).filter((row) => row.some((cell) => cell.trim() !== ''))
  return { published, records: records.map((values) => ({ names, values })) }
}
