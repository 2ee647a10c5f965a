import type { LiveChange } from '../../lake/live/types.ts'
import { defineCodes } from '../../lake/schema/codes.ts'
import { type Column, col } from '../../lake/schema/columns.ts'
import type { ListReturn } from '../define/endpoint.ts'
import type { Fields, RecordShape } from '../define/fields.ts'
import { withExample } from './tail.ts'

/** What can happen to a thing. */
export const CHANGE_KINDS = defineCodes('change_kind', 'What happened to a thing.', {
  CREATED: ['Aparece', 'Created'],
  UPDATED: ['Cambia', 'Updated'],
  ENDED: ['Termina', 'Ended'],
})

const CHANGED_ABOUT =
  'Members that differ from the state before, of a position both; where it ended those that differ by that; none where it was created.'

const CHANGE_FIELDS = {
  kind: col.code(0, 'What happened.', CHANGE_KINDS, { example: 'CREATED' }),
  at: col.instant(0, 'Publication that brought the change.'),
  changed: col.list([0, 0], CHANGED_ABOUT, col.string(0, 'Name of a member.'), { example: [] }),
} as const

/** What every entry of a feed of changes begins with. `time` is the column of the publication that its examples are of. */
export function changeFields(time: Column): typeof CHANGE_FIELDS {
  return Object.freeze({ ...CHANGE_FIELDS, at: withExample(CHANGE_FIELDS.at, time.example) })
}

/** The members that a change changed, by `membersOf` the columns that did: an end leaves all columns as they were but the state. */
export function changedBy(
  { kind, changed }: Pick<LiveChange, 'kind' | 'changed'>,
  membersOf: (columns: readonly string[]) => string[],
): string[] {
  return kind === 'CREATED' ? [] : membersOf(kind === 'ENDED' ? ['status'] : changed)
}

/** The list of a feed of changes: in the order of the log, 100 entries a page and at most 1,000. `key` tells entries apart. */
export function changesReturn<F extends Fields>(record: RecordShape<F>, key: readonly (keyof F & string)[]): ListReturn<F> {
  return { kind: 'list', name: 'changes', record, key, sorts: [], order: 'at', limit: { default: 100, max: 1000 } }
}

/** What to say of every feed of changes. */
export const ABOUT_CHANGES =
  'Follow it: read the list, then ask for changes again and again with the `next_cursor` of the reply before; `more` says that there are more already. A request looks through 20,000 entries of the log at most, so that a page of few that it asks for may be short or empty while `more` is true: go on. ' +
  '`since` is compared with `at`, the time of the publication: pass it the `updated_at` of the list to begin, which gives what that very publication brought, too (applying it again changes nothing), or a later time for what has yet to come. ' +
  'Without `since` and `cursor` it begins with the oldest change kept. ' +
  'Where `reset` is true the log (7 days) no longer says what came after the cursor: read the list anew and go on from `next_cursor`. ' +
  'Entries come in the order they happened in, each once: there is no `sort`, `ids` or `updated_since`; `since` takes the place of the last.'
