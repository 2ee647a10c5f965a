import { col, orNull } from '../../schema/columns.ts'
import { COUNT } from '../../schema/quantities.ts'
import { serviceDataset } from '../domains.ts'
import { USAGE_PLANS } from './codes.ts'
import { ownRecords } from './sources.ts'

const requests = (id: number, which: string, example: number) =>
  col.integer(id, `Requests that were ${which}.`, { unit: '1', long: true, min: 0, example })

/**
 * API usage by day in Madrid, the day of all plain dates and of invoices. No feed fills it: it is derived from the objects that
 * API processes write every minute (`lake/requests`). Callers without a key are one, since no addresses are kept.
 */
export const apiUsage = serviceDataset({
  id: 'api_usage',
  title: 'Usage of the API',
  about: 'Requests for data by day, key and path.',
  sources: [ownRecords],
  columns: {
    period_start: col.instant(1, 'Begin of the day in Madrid.', { example: '2026-01-01T23:00:00.000Z' }),
    date: col.local_date(2, 'The day, in Madrid.', { example: '2026-01-02' }),
    caller: col.string(3, 'Public name of the key; ANONYMOUS for all callers without one.', { example: 'key_1f0c44a9b7d25e83c6aa' }),
    slot: col.string(
      4,
      'Position of the key in its account, to which limits apply; null without a key.',
      orNull('0000000000000000000000000000000000000000000000000000000000000000.1'),
    ),
    plan: col.code(5, 'Plan of the key at the time.', USAGE_PLANS, { example: 'PRO' }),
    path: col.string(6, 'The path as declared.', { example: '/api/incidents/{id}' }),
    answered: requests(7, 'answered with 2xx', 120),
    not_modified: requests(8, 'answered with 304', 30),
    client_error: requests(9, 'rejected as client errors (4xx except 429)', 2),
    limited: requests(10, 'rejected by a limit (429)', 0),
    server_error: requests(11, 'failed with a server error (5xx)', 0),
    day_units: col.integer(12, 'Units charged to the daily quota.', { ...COUNT, long: true, example: 122 }),
  },
  entity: ['caller', 'plan', 'path'],
  time: 'period_start',
  writeMode: 'append',
  live: false,
  visibility: 'internal',
  order: ['caller', 'path', 'period_start'],
  plan: { live: 'ENTERPRISE', history: 'ENTERPRISE', bulk: 'ENTERPRISE' },
})
