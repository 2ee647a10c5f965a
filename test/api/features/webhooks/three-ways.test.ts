import { dirname } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { batch, defineFeed } from '../../../../jobs/feeds/define.ts'
import { makeRunner } from '../../../../jobs/ingest/runner.ts'
import { prepareTables } from '../../../../jobs/upkeep/tasks.ts'
import { incidents } from '../../../../lake/datasets/road/incidents.ts'
import { dgt } from '../../../../lake/datasets/road/sources.ts'
import type { AnyRow } from '../../../../lake/schema/dataset.ts'
import { openTestContext, startPublisher } from '../../../helpers/pipeline.ts'
import { readStream } from '../../../helpers/stream.ts'
import { until } from '../../../helpers/until.ts'
import { exampleRow, type Reply, startService, type TestService } from '../../service.ts'
import { deliver, receive, subscribe } from './stage.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.close())

const {
  incident_id: _id,
  first_seen_at: _first,
  observed_at: _at,
  status: _status,
  updated_at: _updated,
  is_stale: _stale,
  ...example
} = exampleRow(incidents)

/** A feed of incidents: their severities by id. */
const feed = defineFeed({
  id: 'three_ways',
  source: dgt,
  into: [incidents],
  every_s: 60,
  plans: [
    {
      requests: [
        {
          ...{ name: 'document', url: 'https://publisher.example/document.json', accept: 'application/json', expects: 'json' },
          ...{ maxBytes: 1_000_000, maxDecodedBytes: 1_000_000, timeout_ms: 5000 },
        },
      ],
    },
  ],
  bands: { incidents: { atLeast: 0, minRatio: 0, maxRatio: 1000 } },
  *rows(bodies, _clock, diagnostics) {
    const document = JSON.parse(String(bodies[0]?.bytes)) as { readonly at: string; readonly beacons: Readonly<Record<string, number>> }
    diagnostics.publishedAt(Date.parse(document.at))
    const severities = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL']
    yield batch(
      incidents,
      Object.entries(document.beacons).map(
        ([source_id, severity]) => ({ ...example, source_id, severity: severities[severity] }) as AnyRow as never,
      ),
    )
  },
})

const TYPES = { CREATED: 'incident.created', UPDATED: 'incident.updated', ENDED: 'incident.ended' } as const

test('the feed of changes, the stream and a webhook have the same events in the same order', async () => {
  const receiver = await receive()
  await subscribe(service, receiver.url, { types: ['incident'] })
  await deliver(service).leading
  const stream = await readStream(`${service.url}/api/stream?topics=incident`, await service.keyed('PRO'))
  onTestFinished(() => stream.close())
  await until('the stream is open', () => stream.lastId() !== null)
  const start = Date.UTC(2026, 0, 2, 10)
  const publisher = await startPublisher({ at: new Date(start).toISOString(), beacons: {} })
  onTestFinished(() => publisher.close())
  const context = await openTestContext({
    folder: dirname(service.shared.storeFolder),
    redisUrl: service.events.redisUrl,
    publisher: publisher.url,
  })
  onTestFinished(() => context.close())
  await prepareTables(context, [incidents])
  const runner = makeRunner(context)
  const states = [
    { a: 0, b: 1 },
    { a: 1, b: 1, c: 2 },
    { a: 1, c: 3 },
    { a: 1, c: 3 },
    { a: 2, c: 3 },
    { a: 2, b: 0, c: 3, d: 1 },
  ]
  for (const [minute, beacons] of states.entries()) {
    publisher.document = { at: new Date(start + minute * 60_000).toISOString(), beacons }
    expect((await runner.fetch(feed, new AbortController().signal)).outcome).toBe('accepted')
  }
  let changes: Reply[] = []
  await until('all changes', async () => {
    ;({ changes } = await service.json('/api/incidents/changes'))
    return changes.length === 9
  })
  await until('all messages', () => stream.messages.length === 9 && receiver.received.length >= 9)
  const byStream: Reply[] = stream.messages.map(({ data }) => JSON.parse(data))
  // Deliveries of different things go beside each other: by thing they are in order.
  const byWebhook: Reply[] = receiver.received.map(({ body }) => JSON.parse(body))
  const shown = changes.map(({ kind, changed, at, incident }) => ({
    type: TYPES[kind as keyof typeof TYPES],
    timestamp: at,
    data: { ...incident, changed },
  }))
  expect(byStream.map(({ id: _, ...event }) => event)).toEqual(shown)
  const idsOf = (events: readonly Reply[], incident: string): string[] =>
    events.filter(({ data }) => data.id === incident).map(({ id }) => id)
  for (const incident of new Set(changes.map(({ id }) => id as string)))
    expect(idsOf(byWebhook, incident)).toEqual(idsOf(byStream, incident))
  expect(new Map(byWebhook.map((event) => [event.id, event]))).toEqual(new Map(byStream.map((event) => [event.id, event])))
  expect(byStream.map(({ type }) => type)).toContain('incident.ended')
})
