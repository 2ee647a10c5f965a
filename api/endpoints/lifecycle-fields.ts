import { defineCodes } from '../../lake/schema/codes.ts'
import type { Column } from '../../lake/schema/columns.ts'
import type { ChangeOf } from '../kernel/endpoint.ts'
import { type Fields, field, maybe, type RecordShape, record, type ValueOf } from '../kernel/fields.ts'
import { withExample } from './common-fields.ts'

/** Why a thing that begins and ends has ended. */
export const END_REASONS = defineCodes('end_reason', 'Why a thing counts as ended.', {
  DISAPPEARED: ['Ya no aparece en la fuente', 'No longer in the source'],
})

/** Fields about the end of a record, active or ended. */
export const END_FIELDS = {
  last_seen_at: maybe.instant('Last publication that had it: count durations up to it; null while it is active, or if unknown.', null),
  ended_at: maybe.instant(
    'Publication that confirmed its end: the third complete one in a row without it. Null while it is active, or if that publication has not landed yet.',
    null,
  ),
  end_reason: maybe.code('Why it counts as ended.', END_REASONS, null),
} as const

/** The columns that `END_FIELDS` depend on. */
export const END_DEPENDS = { last_seen_at: ['status'], ended_at: ['status'], end_reason: ['status'] } as const

/** A row, live or from its table. Only a row that records an end has `last_seen_at`. */
interface EndingRow {
  readonly status: string
  readonly observed_at: number
  readonly last_seen_at?: number | null
}

/** Makes `END_FIELDS` from a row. */
export const endOf = {
  last_seen_at: (row: EndingRow) => (row.status === 'ENDED' ? (row.last_seen_at ?? null) : null),
  ended_at: (row: EndingRow) => (row.status === 'ENDED' ? row.observed_at : null),
  end_reason: (row: EndingRow) => (row.status === 'ENDED' ? 'DISAPPEARED' : null),
} as const

/** The record of a change's row, with its end if the change is the end: the row then has its last state. */
export function withEnd<R extends ValueOf<typeof END_FIELDS> & { readonly status: string }>(
  made: R,
  change: Pick<ChangeOf, 'kind' | 'at'>,
): R {
  return change.kind === 'ENDED' ? { ...made, status: 'ENDED', ended_at: change.at, end_reason: 'DISAPPEARED' } : made
}

/** Fields about the lifetime of an ended record. */
export const PAST_FIELDS = {
  ended_at: field.instant('Publication that confirmed its end: the third complete one in a row without it.'),
  end_reason: field.code('Why it counts as ended.', END_REASONS, 'DISAPPEARED'),
  began_at: field.instant('Start of validity if the source states one before the end, else the first publication that had it.'),
  last_seen_at: field.instant('Last publication that had it.'),
  duration_minutes: field.integer('From its begin to the last publication that had it, whole minutes.', 'min'),
  versions: field.integer('Number of its states, including its end.', '1', 3),
} as const

/** When the example of an ended record began, was last seen and ended. */
type PastExamples = { readonly [N in 'began_at' | 'last_seen_at' | 'ended_at']: string } & { readonly duration_minutes: number }

/** Declares the record of an ended thing: its last state and its lifetime. `examples` belong together. */
export function pastRecord<F extends Fields & { readonly status: Column<string> }>(
  name: string,
  about: string,
  fields: F,
  {
    examples,
    ...options
  }: Pick<RecordShape<F & typeof PAST_FIELDS>, 'localise' | 'languages' | 'omitsNull'> & { readonly examples: PastExamples },
): RecordShape<F & typeof PAST_FIELDS> {
  const like = (name: keyof PastExamples): Column => withExample(PAST_FIELDS[name], examples[name])
  const own = {
    ...PAST_FIELDS,
    ...{ ended_at: like('ended_at'), began_at: like('began_at'), last_seen_at: like('last_seen_at') },
    duration_minutes: like('duration_minutes'),
  } as typeof PAST_FIELDS
  return record<F & typeof PAST_FIELDS>(name, about, { ...fields, status: withExample(fields.status, 'ENDED'), ...own }, options)
}

/** A row of `endedDuring`, besides its dataset's columns. */
export type PastRow = Omit<ValueOf<typeof PAST_FIELDS>, 'end_reason'>

/** Makes `PAST_FIELDS` from a row of `endedDuring`. */
export function pastOf({ ended_at, began_at, last_seen_at, duration_minutes, versions }: PastRow): ValueOf<typeof PAST_FIELDS> {
  return { ended_at, end_reason: 'DISAPPEARED', began_at, last_seen_at, duration_minutes, versions }
}
