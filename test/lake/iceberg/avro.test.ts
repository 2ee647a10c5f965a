import type { Schema } from 'avsc'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeContainer, encodeContainer } from '../../../lake/iceberg/avro.ts'
import { decodeManifest, encodeManifest, type ManifestEntry, STATUS } from '../../../lake/iceberg/manifest.ts'
import { decodeManifestList, encodeManifestList } from '../../../lake/iceberg/manifest-list.ts'
import type { PartitionPart } from '../../../lake/iceberg/manifest-schema.ts'
import { listedManifests, movedAvro } from '../../../lake/iceberg/moved.ts'
import type { Bound } from '../../../lake/iceberg/types.ts'

const schema = {
  type: 'record',
  name: 'row',
  fields: [
    { name: 'n', type: 'long', 'field-id': 7 },
    { name: 'list', type: { type: 'array', items: 'string', 'element-id': 9 }, 'field-id': 8 },
  ],
} as unknown as Schema

const paths = { toLocation: (key: string) => `/lake/${key}`, toKey: (location: string) => location.slice('/lake/'.length) }

describe('Avro object containers', () => {
  test('come back as they went, with the ids of the schema in the header', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ n: fc.integer(), list: fc.array(fc.string()) }, { noNullPrototype: true })), (records) => {
        const read = decodeContainer(encodeContainer({ schema, metadata: { 'format-version': '2', doc: 'ñ' }, records }))
        expect(read.records.map((record) => ({ ...(record as object) }))).toStrictEqual(records)
        expect(read.metadata.get('doc')).toBe('ñ')
        expect(JSON.parse(read.metadata.get('avro.schema') ?? '')).toStrictEqual(schema)
      }),
    )
  })

  test('that are cut or damaged are refused at every byte', () => {
    const bytes = encodeContainer({ schema, metadata: {}, records: [{ n: 1, list: ['a'] }] })
    const header = encodeContainer({ schema, metadata: {}, records: [] }).length
    for (let end = 0; end < bytes.length; end++) if (end !== header) expect(() => decodeContainer(bytes.subarray(0, end))).toThrow()
    expect(() => decodeContainer(Buffer.from('PAR1'))).toThrow('not an Avro object container')
  })
})

describe('Iceberg files with moved paths', () => {
  const move = (path: string): string => path.replace('/old/', 's3://new/')
  const paths = { toLocation: (key: string) => key, toKey: (location: string) => location }
  const line = {
    ...{ bytes: 10, content: 'data' as const, specId: 0, sequenceNumber: 3, minSequenceNumber: 1, snapshotId: 6631317463498318433n },
    ...{ added: { files: 1, rows: 2 }, existing: { files: 0, rows: 0 }, deleted: { files: 0, rows: 0 }, partitions: [] },
  } as const

  test('are equal at each time, and keep all else: ids of 64 bits, and values that are inherited', () => {
    const list = encodeManifestList({
      ...{ manifests: [{ ...line, key: '/old/m1.avro' }], snapshotId: 6631317463498318433n, parentId: null, sequenceNumber: 3 },
      paths,
    })
    const moved = movedAvro(list, move, () => 1234)
    expect(moved.equals(movedAvro(list, move, () => 1234))).toBe(true)
    expect(listedManifests(moved)).toEqual([{ path: 's3://new/m1.avro', deletes: false }])
    expect(decodeManifestList(moved, paths)).toEqual([{ ...line, key: 's3://new/m1.avro', bytes: 1234 }])
    const { metadata } = decodeContainer(list)
    expect(decodeContainer(moved).metadata).toEqual(metadata)
  })

  test('name the file that deletes are for at its new place', () => {
    const file = { file_path: '/old/d1.parquet', referenced_data_file: '/old/a.parquet', rows: 1 }
    const optional = { name: 'referenced_data_file', type: ['null', 'string'], 'field-id': 143 }
    const fields = [{ name: 'file_path', type: 'string', 'field-id': 100 }, optional, { name: 'rows', type: 'long', 'field-id': 103 }]
    const own = {
      type: 'record',
      name: 'manifest_entry',
      fields: [{ name: 'data_file', type: { type: 'record', name: 'r2', fields }, 'field-id': 2 }],
    }
    const bytes = encodeContainer({ schema: own as unknown as Schema, metadata: {}, records: [{ data_file: file }] })
    const [entry] = decodeContainer(movedAvro(bytes, move, () => 0)).records as { data_file: object }[]
    expect({ ...entry?.data_file }).toEqual({ file_path: 's3://new/d1.parquet', referenced_data_file: 's3://new/a.parquet', rows: 1 })
  })
})

describe('manifests', () => {
  const parts: PartitionPart[] = [
    'string',
    'int',
    'long',
    'timestamptz',
    'date',
    'boolean',
    'double',
    'binary',
    'decimal(9, 3)',
    'decimal(20, 1)',
  ].map((type, at) => ({ id: 1000 + at, name: `part_${at}`, type, sourceId: at + 1, sourceType: type, transform: 'identity' }))
  const long = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  const values: readonly fc.Arbitrary<Bound>[] = [
    fc.string({ unit: 'binary' }),
    fc.integer(),
    long,
    long,
    fc.integer(),
    fc.boolean(),
    fc.double({ noNaN: true }),
    fc.uint8Array().map((one) => Buffer.from(one)),
    fc.bigInt({ min: -999_999_999n, max: 999_999_999n }),
    fc.bigInt({ min: -(10n ** 19n), max: 10n ** 19n }),
  ]
  const counts = fc.array(fc.tuple(fc.nat(2000), fc.nat(2 ** 52 - 1)), { maxLength: 5 }).map((pairs) => new Map(pairs))
  const limits = fc
    .array(fc.tuple(fc.nat(2000), fc.uint8Array()), { maxLength: 5 })
    .map((pairs) => new Map(pairs.map(([id, one]) => [id, Buffer.from(one)])))
  const file = fc.record(
    {
      key: fc.string({ unit: 'binary-ascii' }),
      rows: fc.nat(),
      bytes: fc.nat(),
      partition: fc.tuple(...values.map((value) => fc.option(value))),
      sortOrderId: fc.nat(3),
      sizes: counts,
      values: counts,
      nulls: counts,
      nans: counts,
      lower: limits,
      upper: limits,
    },
    { noNullPrototype: true },
  )

  test('come back as they went, partition values of every type included', () => {
    const spec = { 'spec-id': 3, fields: [] }
    const table = { type: 'struct', 'schema-id': 1, fields: [] } as const
    fc.assert(
      fc.property(
        fc.array(fc.record({ file, status: fc.constantFrom(0, 1, 2), snapshotId: fc.nat() }, { noNullPrototype: true })),
        (found) => {
          const entries = found.map((one): ManifestEntry => ({ ...one, sequenceNumber: 5, fileSequenceNumber: 5 }))
          const bytes = encodeManifest({ schema: table, spec, parts, entries, paths })
          expect(decodeManifest({ bytes, parts, inherited: { snapshotId: 9, sequenceNumber: 5 }, paths })).toStrictEqual(entries)
        },
      ),
      { numRuns: 50 },
    )
  })

  test('leave the sequence numbers of added files to be inherited, and state all others', () => {
    const one = fc.sample(file, { numRuns: 1, seed: 1 })[0] as ManifestEntry['file']
    const entry = (status: number): ManifestEntry => ({
      status,
      snapshotId: 4,
      sequenceNumber: 4,
      fileSequenceNumber: 4,
      file: one,
    })
    const bytes = encodeManifest({
      schema: { type: 'struct', 'schema-id': 1, fields: [] },
      spec: { 'spec-id': 3, fields: [] },
      parts,
      entries: [entry(STATUS.ADDED), entry(STATUS.EXISTING), entry(STATUS.DELETED)],
      paths,
    })
    const read = decodeManifest({ bytes, parts, inherited: { snapshotId: 9, sequenceNumber: 9 }, paths })
    expect(read.map((found) => [found.sequenceNumber, found.fileSequenceNumber])).toStrictEqual([
      [9, 9],
      [4, 4],
      [4, 4],
    ])
    expect(decodeContainer(bytes).metadata.get('partition-spec-id')).toBe('3')
  })

  test('of a column that became a long since read its int partition values', () => {
    const int: PartitionPart = { id: 1000, name: 'part', type: 'int', sourceId: 1, sourceType: 'int', transform: 'identity' }
    const one = fc.sample(file, { numRuns: 1, seed: 1 })[0] as ManifestEntry['file']
    const entries = [{ status: STATUS.ADDED, snapshotId: 1, sequenceNumber: 1, fileSequenceNumber: 1, file: { ...one, partition: [-3] } }]
    const bytes = encodeManifest({
      schema: { type: 'struct', 'schema-id': 1, fields: [] },
      spec: { 'spec-id': 0, fields: [] },
      parts: [int],
      entries,
      paths,
    })
    const [read] = decodeManifest({ bytes, parts: [{ ...int, type: 'long' }], inherited: { snapshotId: 1, sequenceNumber: 1 }, paths })
    expect(read?.file.partition).toStrictEqual([-3n])
  })
})
