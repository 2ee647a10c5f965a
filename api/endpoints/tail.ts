import { provinceByCode } from '../../lake/places/provinces.ts'
import { col } from '../../lake/schema/columns.ts'
import { ROW_STATUS } from '../../lake/schema/physical.ts'

/** What every record of a thing that has a history ends with. */
export const STATE_FIELDS = {
  updated_at: col.instant(0, 'Publication that last changed the record.', { example: '2026-01-02T12:23:28.413Z' }),
  status: col.code(0, 'State of the record.', ROW_STATUS, { example: 'ACTIVE' }),
  is_stale: col.boolean(0, 'True where the newest publication did not confirm the record.', { example: false }),
} as const

/** Official name of a record's province. */
export const PROVINCE_NAME = col.string(0, 'Official name of the province.', { nullable: true, example: 'Granada' })

/** The official name of a province by its INE code; null for none. */
export function provinceName(code: string | null): string | null {
  return code === null ? null : (provinceByCode(code)?.name ?? null)
}
