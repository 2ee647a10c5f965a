import type { LiveChange } from '../../lake/live/types.ts'
import { defineCodes } from '../../lake/schema/codes.ts'
import type { Column } from '../../lake/schema/columns.ts'
import type { ListReturn } from '../kernel/endpoint.ts'
import { type Fields, field, type RecordShape } from '../kernel/fields.ts'
import { defineMethodPage } from '../kernel/method-page.ts'
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
  'Read the list, then request changes since its `updated_at`, and go on with the `next_cursor` of each reply. While `more` is true, request again at once, also after an empty page. If `reset` is true, read the list again.'

/** The page about all change feeds. */
export const CHANGES_PAGE = defineMethodPage('changes', new URL('./changes.md', import.meta.url))
