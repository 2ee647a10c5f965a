import type { LiveChange } from '../../lake/live/types.ts'
import { defineCodes } from '../../lake/schema/codes.ts'
import type { Column } from '../../lake/schema/columns.ts'
import type { ListReturn } from '../kernel/endpoint.ts'
import type { Fields, RecordShape } from '../kernel/fields.ts'
import { field } from '../kernel/reply-fields.ts'
import { withExample } from './common-fields.ts'

/** Kinds of change. */
export const CHANGE_KINDS = defineCodes('change_kind', 'Kind of change.', {
  CREATED: ['Aparece', 'Created'],
  UPDATED: ['Cambia', 'Updated'],
  ENDED: ['Termina', 'Ended'],
})

const CHANGED_ABOUT =
  'Members that differ from the previous state (both members of a position). For an end, those that differ because of it; empty for a creation.'

const CHANGE_FIELDS = {
  kind: field.code('Kind of change.', CHANGE_KINDS, 'CREATED'),
  at: field.instant('Publication that brought the change.'),
  changed: field.list(CHANGED_ABOUT, field.text('Name of a member.'), []),
} as const

/** First fields of every change feed entry. `time` is the publication column that their examples come from. */
export function changeFields(time: Column): typeof CHANGE_FIELDS {
  return Object.freeze({ ...CHANGE_FIELDS, at: withExample(CHANGE_FIELDS.at, time.example) })
}

/** Members changed by a change, from its changed columns by `membersOf`. An end changes only the state. */
export function changedBy(
  { kind, changed }: Pick<LiveChange, 'kind' | 'changed'>,
  membersOf: (columns: readonly string[]) => string[],
): string[] {
  return kind === 'CREATED' ? [] : membersOf(kind === 'ENDED' ? ['status'] : changed)
}

/** The list of a change feed: in log order, 100 entries a page, at most 1,000. `key` identifies an entry. */
export function changesReturn<F extends Fields>(record: RecordShape<F>, key: readonly (keyof F & string)[]): ListReturn<F> {
  return { kind: 'list', name: 'changes', record, key, sorts: [], order: 'at', limit: { default: 100, max: 1000 } }
}

/** Description shared by all change feeds. */
export const ABOUT_CHANGES =
  'How to follow: read the list, then request changes repeatedly with the `next_cursor` of the previous reply; `more` says that more changes are available now. A request scans at most 20,000 log entries, so a page of a rare selection may be short or empty while `more` is true: continue. ' +
  '`since` is compared with `at`, the publication time. Start with the `updated_at` of the list, which includes the changes of that publication (applying them again changes nothing), or with a later time for newer changes only. ' +
  'Without `since` and `cursor` the reply begins with the oldest change in the log. ' +
  'If `reset` is true, the log (7 days) no longer contains the changes after the cursor: read the list again and continue from `next_cursor`. ' +
  'Entries are in the order of events, each once. `sort`, `ids` and `updated_since` are not available; use `since` instead of `updated_since`.'
