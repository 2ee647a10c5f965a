import { apiUsage } from '../../../lake/datasets/service/api-usage.ts'
import { type Column, col, orNull } from '../../../lake/schema/columns.ts'
import { PLANS } from '../../../lake/schema/dataset.ts'
import { meaning, nested } from '../../kernel/fields.ts'

/** Public name of the key of examples. */
export const EXAMPLE_ID = 'key_1f0c44a9b7d25e83c6aa'
// The key that all API documentation and tests use; it belongs to nobody.
const EXAMPLE_KEY = 'tia_0123456789ABCDEFGHIJKLMNOPQRST120YGD'

const id = col.string(0, 'Public name of the key.', { example: EXAMPLE_ID })
const label = col.string(0, 'Name given by its owner.', orNull('My car'))
const plan = col.string(0, 'Plan of the key; a plan is granted to one key.', { values: PLANS, example: 'FREE' })
const status = col.string(0, 'ROTATING works until ends_at, besides the key that replaces it; REVOKED and EXPIRED do not work.', {
  values: ['ACTIVE', 'ROTATING', 'REVOKED', 'EXPIRED'],
  example: 'ACTIVE',
})

/** A key as replies show it. */
export const KEY_FIELDS = Object.freeze({
  ...{ id, hint: col.string(0, 'First 8 and last 4 characters of the key.', { example: 'tia_0123…0YGD' }), label, plan, status },
  created_at: col.instant(0, 'When it was made.', { example: '2026-01-02T12:00:00.000Z' }),
  ends_at: col.instant(0, 'When it expires: the end of a rotation, or of the time to confirm the e-mail address. Null: never.', {
    nullable: true,
  }),
})

/** A new key, as one reply shows it. */
export const NEW_KEY_FIELDS = Object.freeze({ key: col.string(0, 'The key, shown only once.', { example: EXAMPLE_KEY }), ...KEY_FIELDS })

const { answered, not_modified, client_error, limited, server_error, day_units, path } = apiUsage.columns
const date = col.local_date(0, 'The day, in Madrid.', { example: '2026-01-02' })
const requests = (about: string, example: number): Column<number> => col.integer(0, about, { unit: '1', min: 0, example })
const counts = Object.freeze({
  requests: requests('All requests, whatever their outcome.', 152),
  ...{ answered, not_modified, client_error, limited, server_error },
  day_units: meaning(day_units, 'Requests that count for the daily limit: all but 304, 429 and 5xx.'),
})

/** The report of usage. */
export const USAGE_FIELDS = Object.freeze({
  as_of: col.instant(0, 'Time up to which requests are counted.', { example: '2026-01-02T12:23:00.000Z' }),
  timezone: col.string(0, 'Time zone of the days.', { example: 'Europe/Madrid' }),
  from: col.local_date(0, 'First day that is shown.', { example: '2026-01-02' }),
  to: col.local_date(0, 'First day that is not shown.', { example: '2026-01-03' }),
  keys: nested.objects('The keys.', {
    ...{ id, label, plan, status },
    day_quota: requests('Requests that the plan admits in any 24 hours.', 1000),
    day_units_24h: requests('Requests of the last 24 hours that count for it, including keys that it was rotated from or to.', 122),
  }),
  days: nested.objects('Totals of each day up to today.', { date, ...counts }),
  usage: nested.objects('By day, key, plan and path.', { date, key: id, plan, path, ...counts }),
})
