import { defineCodes } from '../../lake/schema/codes.ts'
import { type Column, col } from '../../lake/schema/columns.ts'
import type { ChangeOf } from '../define/endpoint.ts'
import { type Fields, type RecordShape, record, type ValueOf } from '../define/fields.ts'
import { withExample } from './tail.ts'

/** Why a thing that begins and ends has ended. */
export const END_REASONS = defineCodes('end_reason', 'Why a thing counts as ended.', {
  DISAPPEARED: ['Ya no aparece en la fuente', 'No longer in the source'],
})

/** What a record of one thing, active or over, says of its end. */
export const END_FIELDS = {
  last_seen_at: col.instant(
    0,
    'Last publication that had it: count durations up to it; null while it is active, or where it is not known.',
    {
      nullable: true,
      example: null,
    },
  ),
  ended_at: col.instant(
    0,
    'Publication that confirmed its end: the third newer complete one in a row without it; null while it is active, or where that publication has not landed yet.',
    { nullable: true, example: null },
  ),
  end_reason: col.code(0, 'Why it counts as ended.', END_REASONS, { nullable: true, example: null }),
} as const

/** The columns that `END_FIELDS` depend on. */
export const END_DEPENDS = { last_seen_at: ['status'], ended_at: ['status'], end_reason: ['status'] } as const

/** A row, live or from its table. Only a row that tells an end has `last_seen_at`. */
interface EndingRow {
  readonly status: string
  readonly observed_at: number
  readonly last_seen_at?: number | null
}

/** Makes `END_FIELDS` of a row. */
export const endOf = {
  last_seen_at: (row: EndingRow) => (row.status === 'ENDED' ? (row.last_seen_at ?? null) : null),
  ended_at: (row: EndingRow) => (row.status === 'ENDED' ? row.observed_at : null),
  end_reason: (row: EndingRow) => (row.status === 'ENDED' ? 'DISAPPEARED' : null),
} as const

/** The record of a change's row, with its end where the change is the end: the row is as it was last. */
export function withEnd<R extends ValueOf<typeof END_FIELDS> & { readonly status: string }>(
  made: R,
  change: Pick<ChangeOf, 'kind' | 'at'>,
): R {
  return change.kind === 'ENDED' ? { ...made, status: 'ENDED', ended_at: change.at, end_reason: 'DISAPPEARED' } : made
}

/** What a record of a thing that is over says of its life. */
export const PAST_FIELDS = {
  ended_at: col.instant(0, 'Publication that confirmed its end: the third newer complete one in a row without it.'),
  end_reason: col.code(0, 'Why it counts as ended.', END_REASONS, { example: 'DISAPPEARED' }),
  began_at: col.instant(
    0,
    'Start of validity where the source states one that is not after the end, else the first publication that had it.',
  ),
  last_seen_at: col.instant(0, 'Last publication that had it.'),
  duration_minutes: col.integer(0, 'From its begin to the last publication that had it, whole minutes.', { unit: 'min' }),
  versions: col.integer(0, 'States it went through, its end included.', { unit: '1', example: 3 }),
} as const

/** When the example of a thing that is over began, was last seen and ended. */
type PastExamples = { readonly [N in 'began_at' | 'last_seen_at' | 'ended_at']: string } & { readonly duration_minutes: number }

/** The record of a thing that is over, as it was last, with what is said of its life; `examples` are of one. */
export function pastRecord<F extends Fields & { readonly status: Column<string> }>(
  name: string,
  about: string,
  fields: F,
  { examples, ...options }: Pick<RecordShape<F & typeof PAST_FIELDS>, 'localise' | 'languages'> & { readonly examples: PastExamples },
): RecordShape<F & typeof PAST_FIELDS> {
  const like = (name: keyof PastExamples): Column => withExample(PAST_FIELDS[name], examples[name])
  const own = {
    ...PAST_FIELDS,
    ...{ ended_at: like('ended_at'), began_at: like('began_at'), last_seen_at: like('last_seen_at') },
    duration_minutes: like('duration_minutes'),
  } as typeof PAST_FIELDS
  return record<F & typeof PAST_FIELDS>(name, about, { ...fields, status: withExample(fields.status, 'ENDED'), ...own }, options)
}

/** A row of `endedIn`, beside its dataset's columns. */
export type PastRow = Omit<ValueOf<typeof PAST_FIELDS>, 'end_reason'>

/** Makes `PAST_FIELDS` of a row of `endedIn`. */
export function pastOf({ ended_at, began_at, last_seen_at, duration_minutes, versions }: PastRow): ValueOf<typeof PAST_FIELDS> {
  return { ended_at, end_reason: 'DISAPPEARED', began_at, last_seen_at, duration_minutes, versions }
}
