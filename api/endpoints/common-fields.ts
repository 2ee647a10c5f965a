import { provinceByCode } from '../../lake/places/provinces.ts'
import type { Column } from '../../lake/schema/columns.ts'
import { ROW_STATUS } from '../../lake/schema/physical.ts'
import { field, like, madeOf, maybe } from '../kernel/fields.ts'

const STATE_FIELDS = {
  updated_at: field.instant('Publication that last changed the record.'),
  status: field.code('State of the record.', ROW_STATUS, 'ACTIVE'),
  is_stale: field.boolean('True if the newest publication did not confirm the record.', false),
} as const

/** Last fields of every record with a history. `time` is the publication column that their examples come from. */
export function stateFields(time: Column): typeof STATE_FIELDS {
  return Object.freeze({ ...STATE_FIELDS, updated_at: withExample(STATE_FIELDS.updated_at, time.example) })
}

/** Last fields of most records: their origin (`source_id` is the source's own id, if any) and state. */
export function originFields<S extends Column, T extends Column, I extends Record<string, Column> = Record<never, never>>(
  { source, observed_at }: { readonly source: S; readonly observed_at: T },
  own?: I,
): { readonly source: S } & I & { readonly observed_at: T } & typeof STATE_FIELDS {
  return Object.freeze({ source, ...(own as I), observed_at, ...stateFields(observed_at) })
}

const PROVINCE_NAME = maybe.text('Official name of the province.')

/** Official name of a record's province, beside the column of its code. */
export function provinceField(code: Column<string> | Column<string | null>): typeof PROVINCE_NAME {
  const shown = withExample(PROVINCE_NAME, provinceName((code.example ?? null) as string | null))
  return madeOf<string | null, string | null>(code, shown, provinceName)
}

/** Names of the place of a record. */
export function placeFields<
  C extends {
    readonly province_code: Column<string> | Column<string | null>
    readonly municipality: Column
    readonly municipality_code: Column
  },
>({
  province_code,
  municipality,
  municipality_code,
}: C): { readonly province: typeof PROVINCE_NAME } & Pick<C, 'province_code' | 'municipality' | 'municipality_code'> {
  return Object.freeze({ province: provinceField(province_code), province_code, municipality, municipality_code })
}

/** The official name of a province by INE code; null without a code. */
export function provinceName(code: string | null): string | null {
  return code === null ? null : (provinceByCode(code)?.name ?? null)
}

/** The field `coverage` of a step; fine enough that one minute's reading in a year is not 0. */
export function coverageField(about: string): Column<number | null> {
  return maybe.decimal(`${about}, 0 to 1; null with interval=raw.`, '1', 6, 1)
}

/** The same column with an example. */
export function withExample<C extends Column>(column: C, example: Column['example']): C {
  return example === undefined ? column : like(column, { example })
}
