import { EXPORT_FORMATS, EXPORT_SPLITS, type ExportRequest } from '../../../lake/exports/jobs.ts'
import { isGeometry } from '../../../lake/schema/columns.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { DECIMALS } from '../../../lake/schema/precision.ts'
import { chosenColumns } from '../../../lake/schema/table-schema.ts'
import { type BodyField, bodySchema, readBody } from '../../auth/bodies.ts'
import type { Param } from '../../kernel/params/params.ts'
import { wholeProvinceParam } from '../../kernel/params/params-place.ts'
import { instantParam } from '../../kernel/params/params-time.ts'
import { InvalidParam, problem } from '../../kernel/problems.ts'
import { nearest } from '../../kernel/reads/suggest.ts'

/** The export that a job is to write. */
export type AskedExport = Omit<ExportRequest, 'id' | 'slot' | 'created_at'>

const choice = <const T extends string>(values: readonly T[], fallback: T, description: string): BodyField<T> => ({
  expected: `one of ${values.join(', ')}`,
  read: (value) => values.find((one) => one === value),
  fallback,
  allowed: values,
  schema: { type: ['string', 'null'], description, enum: [...values, null], default: fallback },
})

/** Reads a member as the parameter of a URL is read. */
const asParam = <T>(expected: string, description: string, { parse }: Param<T | null>): BodyField<T | null> => ({
  expected,
  read: (value) => {
    if (typeof value !== 'string') return undefined
    try {
      return parse(value) as T
    } catch (error) {
      if (error instanceof InvalidParam) return undefined
      throw error
    }
  },
  fallback: null,
  schema: { type: ['string', 'null'], description },
})

const MAX_COLUMNS = 200
const INSTANT = 'an instant with a zone, such as 2026-01-02T12:00:00Z, or a date, which is the beginning of that day in Madrid'
const FILTER = {
  from: asParam(
    INSTANT,
    "Begin of the period of the dataset's time column, included: an instant with a zone, or a date (Madrid).",
    instantParam('Begin.'),
  ),
  to: asParam(INSTANT, 'End of the period, not included.', instantParam('End.')),
  province: asParam(
    'the name or code of a province or an autonomous community',
    'Name or code of a province or an autonomous community; of datasets with a column province_code.',
    wholeProvinceParam,
  ),
  columns: {
    expected: `a list of 1 to ${MAX_COLUMNS} names of columns`,
    read: (value) =>
      Array.isArray(value) && value.length > 0 && value.length <= MAX_COLUMNS && value.every((one) => typeof one === 'string')
        ? (value as string[])
        : undefined,
    fallback: null,
    schema: {
      ...{ type: ['array', 'null'], description: 'Names of columns; all by default.' },
      ...{ items: { type: 'string' }, minItems: 1, maxItems: MAX_COLUMNS },
    },
  } satisfies BodyField<readonly string[] | null>,
}

/** The body of a request for an export job. */
export const EXPORT_BODY = Object.freeze({
  dataset: {
    expected: 'the id of a dataset, see /api/export',
    read: (value) => (typeof value === 'string' ? value : undefined),
    schema: { type: 'string', description: 'Id of the dataset, see `/api/export`.' },
  } satisfies BodyField<string>,
  filter: {
    ...{ expected: 'an object', read: (value) => value, fallback: null },
    schema: { ...bodySchema(FILTER), type: ['object', 'null'], description: 'Which rows and columns; all by default.' },
  } satisfies BodyField<unknown>,
  format: choice(EXPORT_FORMATS, 'parquet', 'Format of the files.'),
  split: choice(EXPORT_SPLITS, 'none', 'One file, or one for each month or day (UTC) of the time column.'),
  decimals: choice(DECIMALS, 'exact', 'Decimals of Parquet and GeoParquet: `double` has 64-bit floating-point numbers.'),
})

/** Reads the body of a request for an export job. Throws the problem of an impossible one. */
export function readExportBody(body: unknown, datasets: readonly Dataset[]): AskedExport {
  const { dataset: id, filter, format, split, decimals } = readBody(body, EXPORT_BODY)
  const { from, to, province, columns } = readBody(filter ?? {}, FILTER, '/filter')
  const ids = datasets.map((one) => one.id)
  const dataset = datasets.find((one) => one.id === id)
  if (!dataset) throw wrong('/dataset', `there is no dataset ${id.slice(0, 60)}${meant(id, ids)}`, ids)
  if (from !== null && to !== null && from >= to) throw wrong('/filter/from', 'expected an instant before `to`')
  if (province !== null && !dataset.columns['province_code'])
    throw wrong('/filter/province', `${id} has no column province_code to select a province by`)
  const known = chosenColumns(dataset, null).map(([name]) => name)
  for (const name of columns ?? [])
    if (!known.includes(name)) throw wrong('/filter/columns', `${id} has no column ${name.slice(0, 60)}${meant(name, known)}`, known)
  const hasPlace = chosenColumns(dataset, columns).some(([, { kind }]) => kind === 'point' || isGeometry(kind))
  if (format === 'geoparquet' && !hasPlace) throw wrong('/format', `the chosen columns of ${id} have no geometry; expected another format`)
  const isParquet = format === 'parquet' || format === 'geoparquet'
  if (decimals !== 'exact' && !isParquet) throw wrong('/decimals', `expected exact with format ${format}, which has decimals as text`)
  return { dataset: id, from, to, province: province && province.join(), columns, format, split, decimals }
}

function meant(name: string, names: readonly string[]): string {
  const near = nearest(name, names)
  return near === null ? '' : `; did you mean ${near}?`
}

function wrong(pointer: string, detail: string, allowed?: readonly string[]): Error {
  return problem('invalid-parameter', `${pointer}: ${detail}.`, { errors: [{ pointer, detail, ...(allowed ? { allowed } : {}) }] })
}
