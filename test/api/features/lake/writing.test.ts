import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { incidents } from '../../../../lake/datasets/road/incidents.ts'
import { trafficReadings } from '../../../../lake/datasets/road/traffic-readings.ts'
import { commit } from '../../../../lake/iceberg/commit.ts'
import { removeOrphans } from '../../../../lake/iceberg/expire.ts'
import { liveFiles } from '../../../../lake/iceberg/files.ts'
import type { TableState } from '../../../../lake/iceberg/table.ts'
import { scan, scanFiles } from '../../../../lake/query/scan.ts'
import { sql } from '../../../../lake/query/sql.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'
import { openWriter, ROOT, required, type Writer } from './writer.ts'

const PATH = '/namespaces/road/tables/incidents'
const FETCH = 'dgt_incidents.20260102T120000000Z'
const row = (source_id: string, fetch_id = 'mine') => exampleTableRow(incidents, { source_id, incident_id: `inc_${source_id}`, fetch_id })

let service: TestService
let writer: Writer
beforeAll(async () => {
  service = await startService()
  await service.land(incidents, [row('a', FETCH)], Date.now())
  await service.land(incidents, [row('b', FETCH)], Date.now())
  // As a table that a feed fills.
  await commit({ table: service.lake.table(incidents), operation: 'append', properties: () => ({ 'landed.dgt_incidents': '1-2' }) })
  writer = await openWriter(service)
})
afterAll(async () => {
  writer?.close()
  await service?.close()
})
const load = async (): Promise<TableState> => (await service.lake.table(incidents).load({ isFresh: true })) as TableState
let state: TableState
beforeEach(async () => {
  state = await load()
})
const commitTo = (updates: readonly object[], requirements: readonly object[] = required(state)): Promise<Reply> =>
  writer.send('POST', PATH, { requirements, updates })
const ids = async (): Promise<unknown[]> =>
  (await service.lake.query(sql`SELECT source_id FROM ${scan(incidents)} ORDER BY ALL`)).map(({ source_id }) => source_id)
const refusal = ({ status, error }: Reply): unknown[] => [status, error?.type, error?.message]

describe('who may write', () => {
  test('a key of the operator alone; others get 403, and config does not list it for them', async () => {
    const others = await service.key('ENTERPRISE')
    for (const [method, path] of [
      ['POST', PATH],
      ['POST', '/namespaces/road/tables'],
      ['POST', '/namespaces/own/tables'],
      ['DELETE', PATH],
    ] as const)
      expect(refusal(await writer.send(method, path, { updates: [] }, others))).toEqual([
        403,
        'ForbiddenException',
        expect.stringContaining('--lake-writer'),
      ])
    const endpoints = async (key: string): Promise<string[]> => (await writer.send('GET', '/config', undefined, key)).endpoints
    expect((await endpoints(others)).some((one) => /^(DELETE|POST .*(tables|table})$)/.test(one))).toBe(false)
    expect(await endpoints(writer.key)).toEqual(expect.arrayContaining(['POST /v1/{prefix}/namespaces/{namespace}/tables/{table}']))
    expect((await writer.send('GET', '/namespaces', undefined, others)).namespaces).not.toContainEqual(['own'])
    expect((await writer.send('GET', '/namespaces')).namespaces).toContainEqual(['own'])
  })
})

test('everything that config lists for a writer is described, with the updates and requirements that commits take', async () => {
  const { endpoints } = await writer.send('GET', '/config')
  const { paths, components } = (await (await fetch(`${service.url}/openapi.json`)).json()) as Reply
  const missing = (endpoints as string[]).filter((one) => {
    const [method = '', path = ''] = one.replace('/v1/{prefix}', `${ROOT}`).split(' ')
    return method !== 'HEAD' && !paths[path]?.[method.toLowerCase()]
  })
  expect([endpoints.length, missing]).toEqual([11, []])
  const { requirements, updates } = components.schemas.IcebergCommit.properties
  expect(requirements.items.properties.type.enum).toContain('assert-create')
  expect(requirements.items.properties).toHaveProperty('last-assigned-field-id')
  for (const action of updates.items.properties.action.enum)
    expect((await commitTo([{ action }])).error?.message ?? '').not.toContain('does not have this update')
})

describe('an append', () => {
  test('is in the table beside what we land, by manifests of ours, and outlives the clean-up', async () => {
    const made = await writer.snapshot(state, incidents, { add: [row('theirs')] })
    const { status, metadata, 'metadata-location': at } = await commitTo(made.updates)
    expect([status, at]).toEqual([200, expect.stringMatching(/^s3:\/\/lake\/files\/road\/incidents\/metadata\/v\d+\.metadata\.json$/)])
    expect(metadata.location).toBe('s3://lake/files/road/incidents')
    const after = await load()
    expect(after.snapshotId).toBe(made.id)
    expect(after.snapshot?.['manifest-list']).toContain(service.lake.store.location('lake/road/incidents/metadata/s'))
    await service.land(incidents, [row('c', FETCH)], Date.now())
    expect(await ids()).toEqual(['a', 'b', 'c', 'theirs'])
    const gone = await removeOrphans({ table: service.lake.table(incidents), grace_ms: -1000 })
    expect(gone.filter((key) => /-m0|snap-/.test(key))).toHaveLength(2)
    expect(await ids()).toEqual(['a', 'b', 'c', 'theirs'])
  })

  test('of two at once both are made, the second once it was made again', async () => {
    const [one, other] = await Promise.all(['x', 'y'].map((id) => writer.snapshot(state, incidents, { add: [row(id)] })))
    const replies = await Promise.all([one, other].map((made) => commitTo((made as NonNullable<typeof made>).updates)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
    const [late] = replies.filter(({ status }) => status === 409)
    expect(late.error).toMatchObject({
      type: 'CommitFailedException',
      code: 409,
      message: expect.stringContaining('assert-ref-snapshot-id'),
    })
    state = await load()
    const again = await writer.snapshot(state, incidents, { add: [row(replies[0]?.status === 409 ? 'x' : 'y')] })
    expect((await commitTo(again.updates)).status).toBe(200)
    expect(await ids()).toEqual(['a', 'b', 'c', 'theirs', 'x', 'y'])
  })

  test('that a landing has overtaken is a conflict, also without a requirement', async () => {
    const made = await writer.snapshot(state, incidents, { add: [row('late')] })
    await service.land(incidents, [row('d', FETCH)], Date.now())
    expect(refusal(await commitTo(made.updates, []))).toEqual([409, 'CommitFailedException', expect.stringContaining('sequence-number')])
  })

  test.each([
    ['a fetch of ours', { add: [row('forged', FETCH)] }, /fetch_id of their own/],
    ['of a feed of ours', { add: [row('forged', 'dgt_incidents.mine')] }, /fetch_id of their own/],
    ['as a replace', { add: [row('more')], operation: 'replace' }, /a replace keeps the rows/],
    ['as a delete', { add: [row('more')], operation: 'delete' }, /a delete adds no files/],
    [
      'listed as existing',
      { add: [row('more')], entries: (all: never[]) => all.map((one: object) => ({ ...one, status: 0 })) },
      /its parent does not/,
    ],
    [
      'with deletes',
      { add: [row('more')], manifests: (all: never[]) => all.map((one: object) => ({ ...one, content: 'deletes' })) },
      /delete files: delete with PyIceberg or with Spark/,
    ],
    ['of a file twice', { add: [row('more')], entries: (all: never[]) => [...all, ...all] }, /listed twice/],
    [
      'of another size',
      { add: [row('more')], entries: (all: never[]) => all.map((one: Reply) => ({ ...one, file: { ...one.file, bytes: 5 } })) },
      /5 bytes expected/,
    ],
    [
      'with other counts',
      { add: [row('more')], entries: (all: never[]) => all.map((one: Reply) => ({ ...one, file: { ...one.file, rows: 7 } })) },
      /manifests state 7/,
    ],
  ])('is refused: %s', async (_what, made, why) => {
    const { updates } = await writer.snapshot(state, incidents, made as never)
    expect(refusal(await commitTo(updates))).toEqual([400, 'BadRequestException', expect.stringMatching(why)])
    expect((await load()).version).toBe(state.version)
  })

  test('of observations is refused if one of them is in the future', async () => {
    const path = '/namespaces/road/tables/traffic_readings'
    const at = (observed_at: number) => exampleTableRow(trafficReadings, { observed_at, fetch_id: 'mine' })
    const table = service.lake.table(trafficReadings)
    await service.land(trafficReadings, [exampleTableRow(trafficReadings)], Date.now())
    await commit({ table, operation: 'append', properties: () => ({ 'landed.dgt_detectors': '1' }) })
    const append = async (...rows: readonly number[]): Promise<Reply> => {
      const now = (await table.load({ isFresh: true })) as TableState
      const { updates } = await writer.snapshot(now, trafficReadings, { add: rows.map(at) })
      return writer.send('POST', path, { requirements: required(now), updates })
    }
    const now = Date.now()
    expect((await append(now - 60_000, now)).status).toBe(200)
    expect(refusal(await append(now, now + 3_600_000))).toEqual([
      ...[400, 'BadRequestException'],
      expect.stringContaining('observed_at is when something was observed: 20'),
    ])
  })

  test('is refused with a file that was in the table before', async () => {
    const made = await writer.snapshot(state, incidents, { add: [row('once')] })
    expect((await commitTo(made.updates)).status).toBe(200)
    state = await load()
    const entry = (await state.table.manifests(state)).map((one) => state.table.entries(state, one))
    const old = (await Promise.all(entry)).flat().find(({ file }) => made.files.includes(file.key)) as Reply
    const removed = await writer.snapshot(state, incidents, { remove: made.files, operation: 'delete' })
    expect((await commitTo(removed.updates)).status).toBe(200)
    expect(await ids()).not.toContain('once')
    state = await load()
    const back = await writer.snapshot(state, incidents, { add: [row('more')], entries: (all) => [...all, { ...old, status: 1 }] })
    expect(refusal(await commitTo(back.updates))).toEqual([400, 'BadRequestException', expect.stringContaining('in the table already')])
  })
})

describe('rows that we have landed', () => {
  const holding = async (source_id: string): Promise<string[]> => {
    const keys: string[] = []
    for (const file of await liveFiles(state)) {
      const found = await service.lake.query(sql`SELECT 1 AS one FROM ${scanFiles(incidents, [file])} WHERE source_id = ${source_id}`)
      if (found.length > 0) keys.push(file.key)
    }
    return keys
  }

  test('are not deleted or changed', async () => {
    const before = await ids()
    const remove = await holding('a')
    for (const made of [
      { remove, operation: 'delete' },
      { remove, add: [row('a', 'changed')], operation: 'overwrite' },
    ]) {
      const { updates } = await writer.snapshot(state, incidents, made)
      expect(refusal(await commitTo(updates))).toEqual([
        400,
        'BadRequestException',
        expect.stringContaining('cannot be changed or deleted'),
      ])
    }
    expect(await ids()).toEqual(before)
  })

  test('are compacted: by a replace, or by a delete and an append in one commit', async () => {
    const before = await ids()
    const rowsOf = (one: string): readonly Reply[] => [row(one, FETCH)]
    const replaced = await writer.snapshot(state, incidents, {
      remove: [...(await holding('a')), ...(await holding('b'))],
      add: [...rowsOf('a'), ...rowsOf('b')],
      operation: 'replace',
    })
    expect((await commitTo(replaced.updates)).status).toBe(200)
    state = await load()
    const gone = await writer.snapshot(state, incidents, { remove: replaced.files, operation: 'delete' })
    const back = await writer.snapshot(state, incidents, { add: [...rowsOf('a'), ...rowsOf('b')], after: gone })
    expect((await commitTo([...gone.updates, ...back.updates])).error).toBeUndefined()
    expect(await ids()).toEqual(before)
    expect((await load()).snapshotId).toBe(back.id)
  })
})

describe('other updates', () => {
  test('tags, branches, properties and nullable columns are taken', async () => {
    const field = { id: state.metadata['last-column-id'] + 1, name: 'note', type: 'string', required: false }
    const ref = { 'snapshot-id': state.snapshotId, action: 'set-snapshot-ref' }
    const { status, metadata } = await commitTo([
      { ...ref, 'ref-name': 'audit', type: 'tag', 'max-ref-age-ms': 9223372036854775807n },
      { ...ref, 'ref-name': 'work', type: 'branch' },
      { action: 'remove-snapshot-ref', 'ref-name': 'work' },
      { action: 'set-properties', updates: { 'own.note': 'x', 'write.target-file-size-bytes': '1' } },
      { action: 'remove-properties', removals: ['write.target-file-size-bytes'] },
      { action: 'add-schema', schema: { type: 'struct', fields: [...state.fields, field] } },
      { action: 'set-current-schema', 'schema-id': -1 },
    ])
    expect(status).toBe(200)
    expect([Object.keys(metadata.refs).sort(), metadata.properties['own.note']]).toEqual([['audit', 'main'], 'x'])
    const after = await load()
    expect(after.fields.at(-1)).toMatchObject(field)
    await service.land(incidents, [row('e', FETCH)], Date.now())
    expect(await ids()).toContain('e')
  })

  test.each([
    ['add-spec', { spec: { fields: [] } }, 'declares how its table is partitioned'],
    ['set-default-sort-order', { 'sort-order-id': 0 }, 'declares the order'],
    ['remove-snapshots', { 'snapshot-ids': [1] }, 'expires snapshots itself'],
    ['upgrade-format-version', { 'format-version': 3 }, 'version 2, not 3'],
    ['set-location', { location: 's3://elsewhere/x' }, 'stays where it is'],
    ['set-statistics', { statistics: {} }, 'does not have this update'],
    ['toString', {}, 'does not have this update'],
    ['assign-uuid', { uuid: 'other' }, 'has the uuid'],
    ['set-properties', { updates: { 'landed.dgt_incidents': '1-9' } }, 'belongs to the service'],
    ['set-properties', { updates: { 'gc.enabled': 'true' } }, 'belongs to the service'],
    ['remove-properties', { removals: ['source-mode'] }, 'belongs to the service'],
    ['set-properties', { updates: { 'write.data.path': 's3://elsewhere' } }, 'elsewhere'],
    ['set-properties', { updates: { 'own.number': 1 } }, 'needs a text'],
    ['remove-snapshot-ref', { 'ref-name': 'main' }, 'rows of the table'],
    ['set-snapshot-ref', { 'ref-name': 'main', type: 'branch', 'snapshot-id': 1 }, 'is not set back'],
    [
      'add-schema',
      { schema: { fields: [{ id: 20_000, name: 'x', type: 'string', required: true }] } },
      'would be gone: columns can only be added',
    ],
  ])('are refused by name: %s %j', async (action, more, why) => {
    const [status, type, message] = refusal(await commitTo([{ action, ...more }]))
    expect([status, type, message]).toEqual([400, 'BadRequestException', expect.stringContaining(why)])
    expect(message).toContain(`${action}: `)
  })

  test.each([
    [{ required: true }, 'is required'],
    [{ type: 'variant' }, 'version 2 does not have'],
    [{ type: { type: 'struct', fields: [{ id: 30_000, name: 'y', type: 'int' }] } }, 'compaction could not keep'],
    [{ type: 'fixed[4]' }, 'a primitive type but fixed'],
    [{ 'write-default': 'x' }, 'default value'],
  ])('refuse a column %j', async (more, why) => {
    const id = state.metadata['last-column-id'] + 1
    const fields = [...state.fields, { id, name: 'other', type: 'string', required: false, ...more }]
    const reply = await commitTo([
      { action: 'add-schema', schema: { type: 'struct', fields } },
      { action: 'set-current-schema', 'schema-id': -1 },
    ])
    expect(refusal(reply)).toEqual([400, 'BadRequestException', expect.stringContaining(why)])
  })

  test('refuse a column of ours that would change, and say what can be', async () => {
    const [first, ...rest] = state.fields
    const reply = await commitTo([{ action: 'add-schema', schema: { type: 'struct', fields: [{ ...first, name: 'renamed' }, ...rest] } }])
    expect(refusal(reply)).toEqual([400, 'BadRequestException', expect.stringMatching(/would change: .* scripts\/lake drop-column$/)])
  })

  test('take columns of primitive types and lists of them', async () => {
    const types = ['boolean', 'int', 'long', 'float', 'double', 'decimal(9,3)', 'date', 'time', 'timestamp', 'timestamptz', 'string']
    const last = state.metadata['last-column-id']
    const more = [...types, 'uuid', 'binary', { type: 'list', 'element-id': last + 90, element: 'int', 'element-required': false }]
    const fields = more.map((type, at) => ({ id: last + 1 + at, name: `added_${at}`, type, required: false }))
    const { status } = await commitTo([
      { action: 'add-schema', schema: { type: 'struct', fields: [...state.fields, ...fields] } },
      { action: 'set-current-schema', 'schema-id': -1 },
    ])
    expect(status).toBe(200)
    const landed = (await load()).fields.slice(-fields.length).map(({ name }) => name)
    expect(landed).toEqual(fields.map(({ name }) => name))
    await service.land(incidents, [row('f', FETCH)], Date.now())
    expect(await ids()).toContain('f')
  })

  test.each([
    { type: 'assert-create' },
    { type: 'assert-table-uuid', uuid: 'other' },
    { type: 'assert-ref-snapshot-id', ref: 'main', 'snapshot-id': 9223372036854775807n },
    { type: 'assert-ref-snapshot-id', ref: 'audit', 'snapshot-id': null },
    { type: 'assert-last-assigned-field-id', 'last-assigned-field-id': 3 },
    { type: 'assert-current-schema-id', 'current-schema-id': 99 },
    { type: 'assert-last-assigned-partition-id', 'last-assigned-partition-id': 1 },
    { type: 'assert-default-spec-id', 'default-spec-id': 4 },
    { type: 'assert-default-sort-order-id', 'default-sort-order-id': 9 },
  ])('are not made if a requirement is not met: $type', async (requirement) => {
    const reply = await commitTo([{ action: 'set-properties', updates: { 'own.x': '1' } }], [requirement])
    expect(refusal(reply)).toEqual([409, 'CommitFailedException', expect.stringContaining(requirement.type)])
  })

  test('bodies without the form of a commit are refused', async () => {
    for (const body of [{ updates: 'x' }, { updates: [null] }, { requirements: 7 }, { requirements: [{ type: 'assert-nothing' }] }])
      expect((await writer.send('POST', PATH, body)).status).toBe(400)
    const { url } = service
    const headers = { Authorization: `Bearer ${writer.key}`, 'Content-Type': 'application/json' }
    expect((await fetch(`${url}/lake/iceberg/v1${PATH}`, { method: 'POST', headers, body: '{' })).status).toBe(400)
  })
})
