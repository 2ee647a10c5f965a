import type { LiveChange, LiveRow, LiveUpdate } from '../../../lake/live/types.ts'

/** A row of a made-up dataset. */
export function liveRow(name: string, value: number, status: LiveRow['status'] = 'ACTIVE'): LiveRow {
  return {
    name,
    value,
    note: `line one\nline "two" of ${name}`,
    position: { lat: 40.4, lon: -3.7 },
    status,
    updated_at: value,
    is_stale: false,
  }
}

/** Rows by key. */
export function liveRows(values: Readonly<Record<string, number>>): Map<string, LiveRow> {
  return new Map(Object.entries(values).map(([key, value]) => [key, liveRow(key, value)]))
}

/** The changes from one set of rows to another. */
export function differences(before: ReadonlyMap<string, LiveRow>, after: ReadonlyMap<string, LiveRow>): LiveChange[] {
  const changes: LiveChange[] = []
  for (const [key, row] of after) {
    const old = before.get(key)
    if (!old) changes.push({ kind: 'CREATED', key, row, changed: [] })
    else if (old.value !== row.value) changes.push({ kind: 'UPDATED', key, row, changed: ['value'] })
  }
  for (const [key, row] of before) if (!after.has(key)) changes.push({ kind: 'ENDED', key, row: { ...row, status: 'ENDED' }, changed: [] })
  return changes
}

/** A publication of the made-up dataset `things` by the feed `maker`; its data time is its sequence. */
export function liveUpdate(seq: number, rows: ReadonlyMap<string, LiveRow>, more: Partial<LiveUpdate> = {}): LiveUpdate {
  const at = { data_time: seq * 1000, fetched_at: seq * 1000 + 5 }
  return { dataset: 'things', feed: 'maker', seq, fetch_id: `maker.${seq}`, ...at, rows, changes: [], ...more }
}
