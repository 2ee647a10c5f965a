import { accidentCodebook, DGT_PLAIN, DGT_PRIORITY, DGT_USERS, DGT_VARIABLES } from '../../../lake/datasets/safety/accident-codebook.ts'
import { dgtAccidentFiles } from '../../../lake/datasets/safety/sources.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { type Cell, openXlsx } from '../../formats/xlsx.ts'
import { batch, defineFeed, FormatError } from '../define.ts'

type Entry = FeedRow<typeof accidentCodebook>

const MOST_UNPACKED = 32_000_000
/** The sheet that describes several count variables. */
const TOTALS = 'TOTALIZADORES'
/** The head of a sheet's table. */
const HEAD = ['Valor', 'Etiqueta']
/** Stands for an empty value, and for entries that apply to all values. */
const ANY = '-'

/** Variables of our columns, by the dictionary's names; totals are `TOT…`. */
const KNOWN: ReadonlySet<string> = new Set([
  ...Object.values(DGT_VARIABLES).map(({ variable }) => variable),
  ...Object.values(DGT_PLAIN).flat(),
  ...Object.values(DGT_PRIORITY),
  ...Object.values(DGT_USERS).flatMap((user) => [`TOT_${user}_MU24H`, `TOT_${user}_MU30DF`]),
  ...['TOTAL_VICTIMAS_24H', 'TOTAL_VICTIMAS_30DF'],
])

/** The dictionary of the national table of accidents: a workbook with a sheet for each variable. */
export const dgtAccidentDictionary = defineFeed({
  id: 'dgt_accident_dictionary',
  source: dgtAccidentFiles,
  into: [accidentCodebook],
  every_s: 7 * 86_400,
  get: {
    name: 'dictionary',
    url: 'https://www.dgt.es/export/sites/web-DGT/.galleries/downloads/dgt-en-cifras/24h/Diccionario_Tabla_Accidentes.xlsx',
    accept: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    maxBytes: 4_000_000,
    maxDecodedBytes: MOST_UNPACKED,
    timeout_ms: 120_000,
    expects: 'zip',
  },
  freshBy: 'fetch',
  bands: { accident_codebook: { atLeast: 50, minRatio: 0.7, maxRatio: 100 } },
  async *rows(bodies, _clock, diagnostics) {
    for (const { bytes } of bodies) {
      const workbook = await openXlsx(bytes, { maxBytes: MOST_UNPACKED })
      const entries: Entry[] = []
      for (const sheet of workbook.sheets) {
        const rows: (readonly Cell[])[] = []
        for await (const some of workbook.rows(sheet)) rows.push(...some)
        entries.push(...(sheet === TOTALS ? totalsOf(rows) : valuesOf(sheet.trim(), rows)))
      }
      for (const variable of new Set(entries.map((entry) => entry.variable)))
        if (!KNOWN.has(variable)) diagnostics.unknownCode('accident_variable', variable)
      if (entries.length === 0) throw new FormatError(`no sheet of the dictionary has values; there are ${workbook.sheets.join(', ')}`)
      yield batch(accidentCodebook, entries)
    }
  },
})

const textOf = (cell: Cell | undefined): string => (cell === undefined || cell === null ? '' : String(cell).trim())

/** Values and labels of a sheet; an entry without a value or label applies to all. */
function valuesOf(variable: string, rows: readonly (readonly Cell[])[]): Entry[] {
  const labels = new Map<string, string[]>()
  for (const [first, second] of rows) {
    const [value, label] = [textOf(first), textOf(second)]
    if ((value === '' && label === '') || (value === HEAD[0] && label === HEAD[1])) continue
    const key = value === '' || label === '' ? ANY : value
    labels.set(key, [...(labels.get(key) ?? []), label === '' ? value : label])
  }
  return [...labels].map(([value, texts]) => ({ source: dgtAccidentFiles.id, variable, value, label: texts.join('; ') }))
}

/** Names of variables, with what each counts. */
function totalsOf(rows: readonly (readonly Cell[])[]): Entry[] {
  return rows
    .map(([, name, about]) => ({ source: dgtAccidentFiles.id, variable: textOf(name), value: ANY, label: textOf(about) }))
    .filter(({ variable, label }) => variable.startsWith('TOT') && label !== '')
}
