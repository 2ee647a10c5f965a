import { foldName } from '../../../lake/places/names.ts'
import { madridDate } from '../../../lake/schema/time.ts'
import { FORMAT_KINDS, type Format } from '../../kernel/formats.ts'
import type { RequestValues } from './request.ts'

/** Longest first part of a name: some programs refuse paths of more than 260 characters. */
const MAX_PATH = 100

/**
 * Returns the Content-Disposition (RFC 6266) of a reply that people save: `attachment` with the path, the days in Madrid of the
 * requested period, or else of the data, and the format's ending; null for JSON, which browsers show.
 */
export function dispositionOf(
  { path, own }: Pick<RequestValues, 'path' | 'own'>,
  { format, data_time }: { readonly format: Format; readonly data_time: number | null },
): string | null {
  const { ending } = FORMAT_KINDS[format]
  if (ending === null) return null
  const name = foldName(decodeURIComponent(path.replace(/^\/api\//, '')))
    .replaceAll(' ', '-')
    .slice(0, MAX_PATH)
  return `attachment; filename="${[name, ...daysOf(own, data_time)].join('_')}.${ending}"`
}

/** The first and the last day of the requested period, or the day of the data. */
function daysOf(own: RequestValues['own'], data_time: number | null): readonly string[] {
  const { from, to } = Object.values(own).find(isPeriod) ?? { from: null, to: null }
  const ends = [from, to === null ? data_time : to - 1].filter((instant) => instant !== null)
  return [...new Set(ends.map((instant) => madridDate(instant)))].sort()
}

function isPeriod(value: unknown): value is { readonly from: number | null; readonly to: number | null } {
  if (typeof value !== 'object' || value === null || !('from' in value && 'to' in value)) return false
  return [value.from, value.to].every((end) => end === null || typeof end === 'number')
}
