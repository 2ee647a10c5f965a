import type { Schema } from 'avsc'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeContainer, encodeContainer } from '../../../lake/iceberg/avro.ts'
import { decodeManifest, encodeManifest, type ManifestEntry, STATUS } from '../../../lake/iceberg/manifest.ts'
import type { PartitionPart } from '../../../lake/iceberg/manifest-schema.ts'
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
