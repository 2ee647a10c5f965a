import { writeWebhookState } from '../../api/features/webhooks/state.ts'
import { createJob } from '../../lake/exports/jobs.ts'
import { newGroupCounts } from '../../lake/requests/durations.ts'
import { dayObject, encodeDay } from '../../lake/requests/uptime.ts'
import { FEEDS } from '../api/main/feed-listings.ts'
import type { TestService } from '../api/service.ts'

const DAY_MS = 86_400_000

/** Fills an account of a customer: two keys, a month of requests, a failing webhook and an export job. Returns its id. */
export async function fillAccount(service: TestService, time: { now: number }): Promise<string> {
  const { accounts } = service.access
  const email = 'customer@example.org'
  const main = await accounts.create({ email, label: 'production', language: 'en', plan: 'ENTERPRISE' })
  await accounts.create({ email, label: 'trial', language: 'en' })
  const { account } = main
  const today = time.now
  for (let day = 29; day >= 0; day--) {
    time.now = today - day * DAY_MS
    for (let asked = 0; asked <= 12 + 9 * Math.sin(day); asked++)
      await service.open(asked % 6 === 5 ? '/api/v16?x=1' : '/api/freshness', { 'X-API-Key': main.key })
    time.now += 60_000
    await service.requests.flush()
  }
  time.now = today + 60_000
  const made = await fetch(`${service.url}/api/webhooks`, {
    method: 'POST',
    headers: { 'X-API-Key': main.key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ url: 'https://receiver.example.org/traffic' }),
  })
  const { id } = (await made.json()) as { id: string }
  const delivery = { id: 'dlv_0123456789abcdef0123', event_id: 'evt_1', type: 'incident.created', offset: '1-0', created_at: time.now }
  const failed = { at: time.now, status: 503, ms: 212, error: 'not a 2xx status', retryAfter_s: null }
  await writeWebhookState(service.lake.store, id, {
    ...{ scanned: 1, isBehind: false, waiting: [], replay: null, failing_since: time.now, mailed_days: 0 },
    ...{ disabled_at: null, disabled_reason: null },
    deliveries: [
      { ...delivery, status: 'RETRYING', attempts: 2, last: failed, next_at: time.now + 300_000 },
      { ...delivery, id: 'dlv_1', status: 'DELIVERED', attempts: 1, last: { ...failed, status: 204, error: null }, next_at: null },
    ],
  })
  const [listed] = await accounts.list(account)
  await createJob(service.lake.store, {
    ...{ id: 'exp_0123456789abcdef0123', slot: listed?.slot as string, created_at: time.now, dataset: 'incidents' },
    ...{ from: null, to: null, province: null, columns: null, format: 'parquet', split: 'none' },
  })
  return account
}

/** Fills a month of the state of the service with every kind of entry: groups that kept the promise and one that did not. */
export async function fillStatus(service: TestService, now: number): Promise<void> {
  for (const { id, every_s } of FEEDS.slice(0, 8)) {
    const at = now - every_s * (id === 'sct_incidents' ? 2500 : id === 'fuel_stations' ? 4000 : 500)
    await service.tell({ feed: id, last_attempt_at: now, last_success_at: at, fresh_at: at, data_time: at })
  }
  for (let at = now - 40 * DAY_MS; at < now - DAY_MS; at += DAY_MS) {
    const date = new Date(at).toISOString().slice(0, 10)
    const counts = { ...newGroupCounts(), requests: 1_234_567, refused: 60_000, failed: 321 }
    counts.durations[4] = 1_000_000
    counts.durations[12] = 90_000
    const groups = ['road', 'rail', 'fuel'].map((group, n) => ({ group, ...counts, failing: n === 1 ? [10, 11, 12] : [] }))
    await service.lake.store.put(dayObject(date), encodeDay({ date, beats: [[0, 1440]], groups }))
  }
}
