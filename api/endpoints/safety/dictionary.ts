import {
  accidentCodebook,
  BARCELONA_VARIABLES,
  CATALAN_VARIABLES,
  DGT_ABSENT,
  DGT_PLAIN,
  DGT_PRIORITY,
  DGT_USERS,
  DGT_VARIABLES,
  MADRID_VARIABLES,
  OTHER_PLAIN,
  type SourceVariable,
} from '../../../lake/datasets/safety/accident-codebook.ts'
import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import type { CodeLabels } from '../../../lake/schema/codes.ts'
import type { Column } from '../../../lake/schema/columns.ts'
import { defineEndpoint, keyedList, type State } from '../../kernel/endpoint.ts'
import { field, maybe, nested, record, type ValueOf } from '../../kernel/fields.ts'
import { oneOf } from '../../kernel/params/params.ts'
import { accident } from './microdata.ts'

const label = (language: string, example: string | null) => maybe.text(`In ${language}.`, example)

const accidentColumn = record(
  'AccidentColumn',
  'A column of the accident table: meaning, codes, and its origin in each source.',
  {
    column: field.text('Name of the column.', 'road_type'),
    type: field.text('Kind of value.', 'code'),
    about: field.text('Meaning, in English.', 'Kind of road.'),
    unit: maybe.text('Unit of a number; null for other types.', null),
    nullable: field.boolean('Whether a source may lack the value.', true),
    codes: nested.objects('Its codes; empty without codes.', {
      code: field.text('The code.', 'AUTOVIA'),
      label: field.text('Its label in the requested language, else in Spanish.', 'Autovía'),
      labels: nested.object('Its label by language; null without one.', {
        es: label('Spanish', 'Autovía'),
        en: label('English', 'Autovía (dual carriageway of motorway standard)'),
      }),
    }),
    variables: nested.objects('Its names in the sources.', {
      source: field.text('Source.', 'dgt_accidents'),
      variable: field.text("The source's variable.", 'TIPO_VIA'),
      about: maybe.text("Description of all its values in the source's dictionary; null without one.", null),
      values: nested.objects('Its values, in dictionary order; empty for numbers or names.', {
        value: field.text('Value as published.', '3'),
        label: maybe.text("The source's label; null if the value is its own label.", 'Autovía'),
        code: maybe.text('Its value here: a code, true or false; null if the column is null for it.', 'AUTOVIA'),
        reason: maybe.text('Why the column is null for it (absence_reason).', null),
      }),
    }),
  },
  {
    localise: (one, lang) => ({
      ...one,
      codes: one.codes.map((code) => ({ ...code, label: (code.labels as Partial<CodeLabels>)[lang as 'en'] ?? code.label })),
    }),
  },
)

type Entry = ValueOf<typeof accidentColumn.fields>
type Variable = Entry['variables'][number]
type Book = ReadonlyMap<string, ReadonlyMap<string, string>>

/** Marker in the codebook for descriptions of all values. */
const ANY = '-'
const NAMED = { madrid: MADRID_VARIABLES, barcelona: BARCELONA_VARIABLES, sct_accidents: CATALAN_VARIABLES } as const
/** Column names in replies, where they differ from the table. */
const SHOWN: Readonly<Record<string, string>> = { is_casualty: 'casualty' }

/** The labels of the codebook, by variable and value. */
function bookOf(rows: State<typeof accidentCodebook>['rows']): Book {
  const book = new Map<string, Map<string, string>>()
  for (const { variable, value, label: text } of rows)
    book.set(variable, (book.get(variable) ?? new Map<string, string>()).set(value, text))
  return book
}

function variablesOf(name: string, book: Book): Variable[] {
  const found: Variable[] = []
  const plain = (source: string, variable: string): void => {
    found.push({ source, variable, about: book.get(variable)?.get(ANY) ?? null, values: [] })
  }
  const listed = (source: string, { variable, values }: SourceVariable, absent: Readonly<Record<string, string>>): void => {
    const labels = source === 'dgt_accidents' ? book.get(variable) : undefined
    const all = new Set([...Object.keys(values), ...(labels?.keys() ?? [])])
    all.delete(ANY)
    found.push({
      source,
      variable,
      about: labels?.get(ANY) ?? null,
      values: [...all].map((value) => {
        const code = values[value]
        return {
          value,
          label: labels?.get(value) ?? null,
          code: code ?? null,
          reason: code === null ? 'UNKNOWN' : (absent[value] ?? null),
        }
      }),
    })
  }
  const dgt = (DGT_VARIABLES as Readonly<Record<string, SourceVariable>>)[name]
  if (dgt) listed('dgt_accidents', dgt, DGT_ABSENT)
  for (const variable of DGT_PLAIN[name] ?? []) plain('dgt_accidents', variable)
  if (name === 'priority_rules')
    for (const [rule, variable] of Object.entries(DGT_PRIORITY)) listed('dgt_accidents', { variable, values: { '1': rule } }, DGT_ABSENT)
  const [, span] = /^killed_by_user_(24h|30d)$/.exec(name) ?? []
  if (span) for (const user of Object.values(DGT_USERS)) plain('dgt_accidents', `TOT_${user}_MU${span === '24h' ? '24H' : '30DF'}`)
  for (const [source, variables] of Object.entries(NAMED)) {
    const variable = (variables as Readonly<Record<string, SourceVariable>>)[name]
    if (variable) listed(source, variable, {})
    for (const one of OTHER_PLAIN[source]?.[name] ?? []) plain(source, one)
  }
  return found
}

function entryOf(name: string, column: Column, book: Book): Entry {
  const codes = column.codes ?? column.of?.codes
  return {
    column: SHOWN[name] ?? name,
    type: column.kind,
    about: column.about,
    unit: column.unit ?? null,
    nullable: column.nullable,
    codes: Object.entries(codes?.codes ?? {}).map(([code, { es, en }]) => ({ code, label: es, labels: { es, en } })),
    variables: variablesOf(name, book),
  }
}

const COLUMNS = Object.entries(roadAccidents.columns).sort(([one], [other]) => placeOf(one) - placeOf(other))

/** The position of a column in an accident. */
function placeOf(name: string): number {
  return Object.keys(accident.fields).indexOf(SHOWN[name] ?? name)
}

/** The codebook of accidents. */
export const accidentDictionary = defineEndpoint({
  path: '/api/accidentes/microdata/diccionario',
  plan: 'FREE',
  summary: 'Codebook of accidents: columns, codes and their origin in each source',
  summary_es: 'Diccionario de los accidentes: columnas, códigos y su origen',
  about:
    "Every column of /api/accidentes/microdata with its codes, and the source variables behind it with their values. Labels of the national table come from its publisher's dictionary. Codes have labels in the requested language.",
  params: {
    source: oneOf(
      'Only columns of one source, with its variables only.',
      roadAccidents.sources.map(({ id }) => id),
      { example: 'madrid' },
    ),
  },
  returns: keyedList('columns', accidentColumn, ['column'], { sorts: ['column'], limit: { default: null, max: 20_000 } }),
  read: {
    kind: 'memory',
    from: [accidentCodebook],
    records: ([{ rows }]) => {
      const book = bookOf(rows)
      return COLUMNS.map(([name, column]) => entryOf(name, column, book))
    },
    pick: (entries, { source }) =>
      source === null
        ? entries
        : entries.flatMap((entry) => {
            const variables = entry.variables.filter((variable) => variable.source === source)
            return variables.length > 0 ? [{ ...entry, variables }] : []
          }),
  },
  example: { source: 'dgt_accidents' },
})
