import { join } from 'node:path'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openOwnTables } from '../../../../api/features/lake/own-tables.ts'
import { incidents } from '../../../../lake/datasets/road/incidents.ts'
import type { TableState } from '../../../../lake/iceberg/table.ts'
import { fileStore } from '../../../../lake/store/file.ts'
import { tempFolder } from '../../../helpers/temp.ts'
import { exampleTableRow, type Reply, startService, type TestService } from '../../service.ts'
import { openWriter, required, type Writer } from './writer.ts'

const TABLES = '/namespaces/own/tables'
const field = (id: number, name: string, type: unknown = 'string') => ({ id, name, type, required: false })
const schema = { type: 'struct', fields: [field(1, 'a', 'long'), field(2, 'b')] }

let service: TestService
let writer: Writer
beforeAll(async () => {
  service = await startService()
  writer = await openWriter(service)
})
afterAll(async () => {
  writer?.close()
  await service?.close()
})
const create = (name: string, more: object = {}): Promise<Reply> => writer.send('POST', TABLES, { name, schema, ...more })
const names = async (): Promise<string[]> => (await writer.send('GET', TABLES)).identifiers.map(({ name }: Reply) => name)
/** Removes what may go some days from now, as the service does now and then. */
const tidyIn = (days: number): Promise<void> =>
  openOwnTables({ store: service.lake.store, clock: () => Date.now() + days * 24 * 3_600_000 }).tidy()
const objects = async (): Promise<string[]> => {
  const keys: string[] = []
  for await (const { key } of service.lake.store.list('lake/own/')) keys.push(key)
  return keys
}

describe('a table of a lake writer', () => {
  test('is made, changed, listed and dropped, with partitions and types that our tables do not have', async () => {
    const nested = field(3, 'c', {
      type: 'map',
      'key-id': 4,
      key: 'string',
      'value-id': 5,
      value: { type: 'struct', fields: [field(6, 'x', 'fixed[3]')] },
    })
    const made = await create('trips', {
      schema: { type: 'struct', fields: [...schema.fields, nested] },
      'partition-spec': { fields: [{ name: 'a_bucket', transform: 'bucket[4]', 'source-id': 1 }] },
      'write-order': { fields: [{ transform: 'identity', 'source-id': 1, direction: 'asc', 'null-order': 'nulls-first' }] },
      properties: { 'format-version': '2', note: 'mine' },
    })
    expect(made).toMatchObject({
      status: 200,
      metadata: {
        ...{
          'format-version': 2,
          'last-column-id': 6,
          'last-partition-id': 1000,
          'default-sort-order-id': 1,
          properties: { note: 'mine' },
        },
        'partition-specs': [{ 'spec-id': 0, fields: [{ 'field-id': 1000, transform: 'bucket[4]' }] }],
      },
    })
    expect(made.metadata.location).toMatch(/^s3:\/\/lake\/files\/own\/trips-[0-9a-f]{16}$/)
    expect(await names()).toEqual(['trips'])
    const changed = await writer.send('POST', `${TABLES}/trips`, {
      requirements: [{ type: 'assert-table-uuid', uuid: made.metadata['table-uuid'] }],
      updates: [
        { action: 'add-spec', spec: { fields: [] } },
        { action: 'set-default-spec', 'spec-id': -1 },
        { action: 'set-properties', updates: { any: 'name' } },
      ],
    })
    expect(changed.metadata).toMatchObject({ 'default-spec-id': 1, properties: { any: 'name', note: 'mine' } })
    expect(await writer.send('HEAD', `${TABLES}/trips`)).toEqual({ status: 204 })
    expect((await create('trips')).error).toMatchObject({ code: 409, type: 'AlreadyExistsException' })
    expect(await writer.send('DELETE', `${TABLES}/trips?purgeRequested=True`)).toEqual({ status: 204 })
    expect(await names()).toEqual([])
    expect(await objects()).toEqual([])
    for (const method of ['GET', 'DELETE', 'POST'])
      expect((await writer.send(method, `${TABLES}/trips`, method === 'POST' ? {} : undefined)).error).toMatchObject({
        code: 404,
        type: 'NoSuchTableException',
      })
  })

  test('keeps its files for a week if it is dropped without a purge, and a later one of its name has none of them', async () => {
    const first = await create('again')
    await writer.send('DELETE', `${TABLES}/again`)
    expect((await objects()).length).toBeGreaterThan(0)
    const second = await create('again')
    expect(second.metadata.location).not.toBe(first.metadata.location)
    expect(second.metadata['table-uuid']).not.toBe(first.metadata['table-uuid'])
    await writer.send('DELETE', `${TABLES}/again?purgeRequested=true`)
    expect((await objects()).length).toBeGreaterThan(0)
    await tidyIn(6)
    expect((await objects()).length).toBeGreaterThan(0)
    await tidyIn(8)
    expect(await objects()).toEqual([])
  })

  test('leaves no files for good: neither losers of a race for its name, nor what comes after its end', async () => {
    const made = await Promise.all([create('race'), create('race'), create('race')])
    expect(made.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    const client = await writer.storage(`${TABLES}/race`)
    const { metadata } = await writer.send('GET', `${TABLES}/race`)
    await writer.send('DELETE', `${TABLES}/race?purgeRequested=true`)
    const Key = `${metadata.location.replace('s3://lake/', '')}/data/late.parquet`
    await client.send(new PutObjectCommand({ Bucket: 'lake', Key, Body: 'x' }))
    await create('other')
    await tidyIn(2)
    expect((await objects()).length).toBeGreaterThan(2)
    await tidyIn(4)
    expect((await objects()).every((key) => key.includes('/other-'))).toBe(true)
    await writer.send('DELETE', `${TABLES}/other?purgeRequested=true`)
    expect(await objects()).toEqual([])
  })

  test('is dropped even if its files cannot be removed just then', async () => {
    const { store } = service.lake
    const own = openOwnTables({ store: { ...store, deleteMany: () => Promise.reject(new Error('no')) }, clock: Date.now })
    await create('stuck')
    await own.drop('stuck', true)
    expect(await names()).not.toContain('stuck')
    await tidyIn(0)
    expect(await objects()).toEqual([])
  })

  test('is made by its first commit if it was staged', async () => {
    const { metadata, config } = await create('staged', { 'stage-create': true })
    expect(config['s3.session-token']).toBeDefined()
    expect(await names()).toEqual([])
    const commit = (more: object[] = [], before: object[] = []) =>
      writer.send('POST', `${TABLES}/staged`, {
        requirements: [{ type: 'assert-create' }],
        updates: [
          ...before,
          { action: 'assign-uuid', uuid: metadata['table-uuid'] },
          { action: 'add-schema', schema },
          { action: 'set-current-schema', 'schema-id': -1 },
          { action: 'add-spec', spec: { fields: [] } },
          { action: 'set-default-spec', 'spec-id': -1 },
          { action: 'set-location', location: metadata.location },
          ...more,
        ],
      })
    expect((await commit([{ action: 'set-location', location: 's3://lake/files/road/incidents' }])).error.message).toContain(
      'stays where it is',
    )
    // A snapshot may come before the schema that it is read with.
    const snapshot = { 'snapshot-id': 2 ** 40, 'sequence-number': 1, 'manifest-list': `${metadata.location}/metadata/none.avro` }
    expect((await commit([], [{ action: 'add-snapshot', snapshot }])).error.message).toContain('there is no file')
    expect((await commit()).metadata).toMatchObject({ location: metadata.location, 'table-uuid': metadata['table-uuid'] })
    expect((await commit()).error).toMatchObject({ code: 409 })
    expect(await names()).toEqual(['staged'])
  })

  test('of two at once with a name one is made', async () => {
    const made = await Promise.all([create('race'), create('race'), create('race'), create('other')])
    expect(made.map(({ status }) => status).sort()).toEqual([200, 200, 409, 409])
    expect(await names()).toEqual(expect.arrayContaining(['other', 'race']))
  })

  test.each([
    [{ name: 'Ä' }, 'no name of a table'],
    [{ name: '../x' }, 'no name of a table'],
    [{ location: 's3://elsewhere' }, 'chooses the location'],
    [{ properties: { 'format-version': '3' } }, 'version 2, not 3'],
    [{ schema: { fields: [] } }, 'must be a list of columns'],
    [{ schema: { fields: [field(1, 'a', 'geometry')] } }, 'version 2 does not have'],
    [{ schema: { fields: [field(1, 'a'), field(1, 'b')] } }, 'of another one'],
    [{ schema: { fields: [field(1, 'a'), field(2, 'A')] } }, 'two columns'],
    [{ 'partition-spec': { fields: [{ name: 'x', transform: 'identity', 'source-id': 9 }] } }, 'field 9'],
    [{ 'partition-spec': { fields: [{ name: 'x' }] } }, 'needs name, transform and source-id'],
  ])('is refused: %j', async (more, why) => {
    expect((await create('refused', more)).error).toMatchObject({
      code: 400,
      type: 'BadRequestException',
      message: expect.stringContaining(why),
    })
    expect(await names()).not.toContain('refused')
  })

  test('is not for other keys, and no other namespace is for such tables', async () => {
    await create('private')
    const others = await service.key('ENTERPRISE')
    expect((await writer.send('GET', `${TABLES}/private`, undefined, others)).error).toMatchObject({ code: 404 })
    expect((await writer.send('GET', TABLES, undefined, others)).error).toMatchObject({ code: 404, type: 'NoSuchNamespaceException' })
    expect((await writer.send('POST', '/namespaces/road/tables', { name: 'x', schema })).error.message).toContain(
      'in the namespace own only',
    )
    expect((await writer.send('DELETE', '/namespaces/road/tables/incidents')).error.message).toContain('in the namespace own only')
    expect((await writer.send('POST', '/namespaces/nothing/tables', { name: 'x', schema })).error).toMatchObject({ code: 404 })
  })
})

describe('a commit whose outcome is not known', () => {
  test('is no conflict: the client must not delete its files', async () => {
    const store = await fileStore(join(tempFolder(), 'store'))
    let [isSilent, isSent] = [false, false]
    const faulty: typeof store = {
      ...store,
      putIfAbsent: async (key, body) => {
        if (!isSilent || !/v\d+\.metadata\.json$/.test(key)) return store.putIfAbsent(key, body)
        isSent = true
        throw new Error('timed out')
      },
      get: async (key, range) => {
        if (isSent) throw new Error('timed out')
        return store.get(key, range)
      },
    }
    const other = await startService({ store: faulty })
    const client = await openWriter(other)
    await other.land(incidents, [exampleTableRow(incidents)], Date.now())
    const state = (await other.lake.table(incidents).load()) as TableState
    await client.send('GET', '/namespaces/road/tables/incidents')
    isSilent = true
    const updates = [{ action: 'set-properties', updates: { 'own.x': '1' } }]
    const reply = await client.send('POST', '/namespaces/road/tables/incidents', { requirements: required(state), updates })
    isSent = false
    expect(reply.error).toMatchObject({ code: 500, type: 'CommitStateUnknownException' })
    client.close()
    await other.close()
  })
})
