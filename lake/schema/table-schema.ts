import type { Column, Json } from './columns.ts'
import type { Dataset } from './dataset.ts'
import { jsonProperties } from './json.ts'
import { tableColumns } from './physical.ts'

/** The columns of a dataset's table by name, or the named ones in the table's order; without retired ones. */
export function chosenColumns(dataset: Dataset, names: readonly string[] | null): [string, Column][] {
  const all = Object.entries(tableColumns(dataset)).filter(([, column]) => !column.retired)
  return names === null ? all : all.filter(([name]) => names.includes(name))
}

/** The Frictionless Table Schema of a dataset's CSV rows: type, meaning, unit and limits of each field. */
export function tableSchema(dataset: Dataset, names: readonly string[] | null = null): { readonly [key: string]: Json } {
  const columns = chosenColumns(dataset, names)
  const key = [...dataset.entity, dataset.time]
  const hasKey = key.every((name) => columns.some(([one, { kind }]) => one === name && kind !== 'point'))
  return {
    fields: columns.flatMap(([name, column]) => jsonProperties(name, column).map((member) => field(member.name, column))),
    missingValues: [''],
    ...(hasKey ? { primaryKey: key } : {}),
  }
}

function field(name: string, column: Column): { readonly [key: string]: Json } {
  const { nullable, min, max, unit, unitIn, codes } = column
  const constraints = {
    ...(nullable ? {} : { required: true }),
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
  }
  return {
    name,
    ...typeOf(column),
    description: column.about,
    ...(unit === undefined ? {} : { unit }),
    ...(unitIn === undefined ? {} : { unitIn }),
    ...(codes === undefined ? {} : { codeList: codes.id }),
    ...(Object.keys(constraints).length === 0 ? {} : { constraints }),
  }
}

/** The type of a field; a service time may exceed 24 h, so it is not a `time`. */
function typeOf({ kind }: Column): { readonly [key: string]: Json } {
  switch (kind) {
    case 'integer':
      return { type: 'integer' }
    case 'decimal':
    case 'float':
    case 'point':
      return { type: 'number' }
    case 'boolean':
      return { type: 'boolean' }
    case 'instant':
      return { type: 'datetime', format: 'any' }
    case 'local_date':
      return { type: 'date' }
    case 'list':
      return { type: 'array' }
    case 'json':
      return { type: 'any' }
    default:
      return { type: 'string' }
  }
}
