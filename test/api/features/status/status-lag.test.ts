import { expect, test } from 'vitest'
import type { DeliveryLag } from '../../../../api/features/status/delivery.ts'
import type { StatusReport } from '../../../../api/features/status/report.ts'
import { statusPage } from '../../../../api/features/status/status-page.ts'

const REPORT: Omit<StatusReport, 'delivery'> = {
  ...{ state: 'ok', reasons: [], as_of: Date.UTC(2026, 0, 2, 12), source_mode: 'live', feeds: [], groups: [] },
  ...{ month: '2026-01', before: null, after: null, uptime: null },
  ready: {
    status: 'ready',
    redis: true,
    lake: true,
    store_full: false,
    redis_read_only: false,
    waiting_for: [],
    landing: [],
    phase: 'STEADY',
  },
}

const textOf = (delivery: DeliveryLag, language: 'es' | 'en'): string =>
  statusPage({ ...REPORT, delivery }, language, 'https://api.example.org/status')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')

test.each([
  [30, 'Webhooks ● On time 30 s', 0, 'Streams (1,234 open in this process) ● On time 0 s'],
  [31, 'Webhooks ▲ Late 31 s', 600, 'Streams (1,234 open in this process) ▲ Late 10 min'],
  [null, 'Webhooks Unknown —', 7200, 'Streams (1,234 open in this process) ■ Stuck 2 h'],
])('the page says how far webhooks (%s s) and streams are behind', (webhooks_lag_s, webhooks, streams_lag_s, streams) => {
  const text = textOf({ webhooks_lag_s, streams_lag_s, streams_open: 1234 }, 'en')
  expect(text).toContain(webhooks)
  expect(text).toContain(streams)
})

test('the page says in both languages from when on they are late and stuck', () => {
  const delivery = { webhooks_lag_s: 601, streams_lag_s: 0, streams_open: 0 }
  expect(textOf(delivery, 'en')).toContain('On time: up to 30 s. Late: up to 10 min. Stuck: more than 10 min.')
  expect(textOf(delivery, 'es')).toContain('Al día: hasta 30 s. Con retraso: hasta 10 min. Parado: más de 10 min.')
  expect(textOf(delivery, 'es')).toContain('Webhooks ■ Parado 10 min')
})
