import { provinceByCode } from '../../lake/places/provinces.ts'
import { type Column, col } from '../../lake/schema/columns.ts'
import { ROW_STATUS } from '../../lake/schema/physical.ts'

const STATE_FIELDS = {
  updated_at: col.instant(0, 'Publication that last changed the record.'),
  status: col.code(0, 'State of the record.', ROW_STATUS, { example: 'ACTIVE' }),
  is_stale: col.boolean(0, 'True where the newest publication did not confirm the record.', { example: false }),
} as const

/** What every record of a thing that has a history ends with. `time` is the column of the publication that its examples are of. */
export function stateFields(time: Column): typeof STATE_FIELDS {
  return Object.freeze({ ...STATE_FIELDS, updated_at: withExample(STATE_FIELDS.updated_at, time.example) })
}

const PROVINCE_NAME = col.string(0, 'Official name of the province.', { nullable: true })

/** Official name of a record's province, beside the column of its code. */
export function provinceField(code: Column<string> | Column<string | null>): typeof PROVINCE_NAME {
  return withExample(PROVINCE_NAME, provinceName((code.example ?? null) as string | null))
}

/** The official name of a province by its INE code; null for none. */
export function provinceName(code: string | null): string | null {
  return code === null ? null : (provinceByCode(code)?.name ?? null)
}

/** `coverage` of a step; fine enough that one reading of a minute in a year is not nothing. */
export function coverageField(about: string): Column<number | null> {
  return col.decimal(0, `${about}, 0 to 1; null with interval=raw.`, { scale: 6, unit: '1', nullable: true, example: 1 })
}

/** The same column with an example. */
export function withExample<C extends Column>(column: C, example: Column['example']): C {
  return Object.freeze(example === undefined ? { ...column } : { ...column, example })
}
