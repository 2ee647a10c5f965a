import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { RecordBatchReader } from 'apache-arrow'
import type { ArrowJSONLike } from 'apache-arrow/io/interfaces'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commercialUseOf } from '../../../../api/endpoints/service/dataset.ts'
import { datasets } from '../../../../lake/catalog.ts'
import { fuelPrices } from '../../../../lake/datasets/fuel/prices.ts'
import { railTimetableChanges } from '../../../../lake/datasets/rail/timetable.ts'
import { incidents } from '../../../../lake/datasets/road/incidents.ts'
import { trafficReadings } from '../../../../lake/datasets/road/traffic-readings.ts'
import { createTable } from '../../../../lake/iceberg/create.ts'
import { migrateTable } from '../../../../lake/iceberg/migrate.ts'
import { tableKey } from '../../../../lake/iceberg/schema.ts'
import { type QualityDay, readQualityDay, writeQualityDay } from '../../../../lake/quality/days.ts'
import { readTableQuality, type TableQuality, writeTableQuality } from '../../../../lake/quality/tables.ts'
import type { Dataset } from '../../../../lake/schema/dataset.ts'
import { jsonProperties } from '../../../../lake/schema/json.ts'
import { tableColumns } from '../../../../lake/schema/physical.ts'
import { isoInstant } from '../../../../lake/schema/time.ts'
import { until } from '../../../helpers/until.ts'
import { exampleTableRow, fillWithExamples, type Reply, startService, type TestService } from '../../service.ts'

const open = datasets.filter(({ visibility }) => visibility === 'public')
let service: TestService
let engine: DuckDBConnection

beforeAll(async () => {
  engine = await (await DuckDBInstance.create()).connect()
  service = await startService()
})
afterAll(async () => {
  engine.disconnectSync()
  await service.close()
})

/** The data files of a dataset, as stored. */
const filesOf = (dataset: Dataset): string[] => globSync(join(service.shared.storeFolder, tableKey(dataset), 'data', '**', '*.parquet'))
const listOf = (dataset: Dataset): string => `[${filesOf(dataset).map((file) => `'${file}'`)}]`
const cardOf = (id: string): Promise<Reply> => service.json(`/api/datasets/${id}`)

describe('before anything has landed', () => {
  test('the catalogue lists every published dataset, and says that it is empty', async () => {
    const { total, datasets: listed } = await service.json('/api/datasets')
    expect(total).toBe(open.length)
    expect(listed.map((one: Reply) => one.id)).toEqual(open.map(({ id }) => id).sort())
    for (const one of listed) expect([one.rows, one.bytes, one.covered_until, one.schema_version]).toEqual([0, 0, null, null])
  })

  test('a schema is the one that is declared, and has no version', async () => {
    const schema = await service.json('/api/datasets/incidents/schema')
    expect([schema.version, schema.versions]).toEqual([null, []])
    expect(schema.columns.map((one: Reply) => one.name)).toContain('fetch_id')
    const refused = await service.get('/api/datasets/incidents/schema?version=0')
    expect(refused.status).toBe(400)
    expect((await refused.json()) as Reply).toMatchObject({ detail: expect.stringContaining('not created yet') })
  })
})

describe('with a row in each table', () => {
  beforeAll(async () => {
    const before = (await service.get('/api/datasets')).headers.get('etag')
    await fillWithExamples(service)
    // A landing shows without a refresh by the request, and with another tag.
    await until('the catalogue has them', async () => {
      const response = await service.get('/api/datasets')
      const { datasets: listed } = (await response.json()) as Reply
      return response.headers.get('etag') !== before && listed.every((one: Reply) => one.rows > 0)
    })
  })

  test.each(open.map((dataset) => [dataset.id, dataset] as const))('%s has the rows and bytes of its files', async (id, dataset) => {
    const card = await cardOf(id)
    const [[rows] = []] = (await engine.runAndReadAll(`SELECT count(*) FROM read_parquet(${listOf(dataset)})`)).getRows()
    expect(card.rows).toBe(Number(rows))
    expect(card.files).toBe(filesOf(dataset).length)
    expect(card.bytes).toBe(filesOf(dataset).reduce((sum, file) => sum + statSync(file).size, 0))
    const time = `"${dataset.time}"`
    const [span = []] = (
      await engine.runAndReadAll(`SELECT epoch_ms(min(${time})), epoch_ms(max(${time})) FROM read_parquet(${listOf(dataset)})`)
    ).getRows()
    expect([card.covered_from, card.latest_row_at]).toEqual(span.map((instant) => isoInstant(Number(instant))))
  })

  test.each(open.map((dataset) => [dataset.id, dataset] as const))('%s has the columns and types of its files', async (id, dataset) => {
    const { columns } = await service.json(`/api/datasets/${id}/schema`)
    const described = (
      await engine.runAndReadAll(`DESCRIBE SELECT * FROM read_parquet(${listOf(dataset)}, hive_partitioning = false)`)
    ).getRows()
    const types = described.map(([name, type]) => [name, String(type)])
    expect(columns.map((one: Reply) => [one.name, duckdbType(one.iceberg_type)])).toEqual(types)
    expect(columns).toHaveLength(types.length)
  })

  test.each(open.map((dataset) => [dataset.id] as const))('%s has an Arrow schema that readers of Arrow take', async (id) => {
    const { arrow_schema, columns } = await service.json(`/api/datasets/${id}/schema`)
    const { schema } = RecordBatchReader.from({ schema: arrow_schema, batches: [] } as object as ArrowJSONLike).open()
    expect(schema.fields.map(({ name, nullable, type }) => [name, nullable, String(type)])).toEqual(
      columns.map((one: Reply) => [one.name, one.nullable, arrowName(one.iceberg_type)]),
    )
  })

  test.each(open.map((dataset) => [dataset.id, dataset] as const))(
    '%s has a JSON Schema that its own examples keep',
    async (id, dataset) => {
      const { json_schema } = await service.json(`/api/datasets/${id}/schema`)
      const check = new Ajv2020({ strict: false, validateFormats: false }).compile(json_schema)
      const row = exampleTableRow(dataset)
      const shown = Object.entries(tableColumns(dataset)).flatMap(([name, column]) =>
        jsonProperties(name, column).map((member) => [member.name, member.json(row[name] ?? null)] as const),
      )
      check(Object.fromEntries(shown))
      expect(check.errors ?? []).toEqual([])
      check(Object.fromEntries(shown.slice(1)))
      expect(check.errors).toMatchObject([{ keyword: 'required' }])
    },
  )

  test('the catalogue is narrowed by domain, licence and commercial use, and refuses unknown values', async () => {
    const ids = async (query: string): Promise<string[]> =>
      (await service.json(`/api/datasets?${query}`)).datasets.map((one: Reply) => one.id)
    const those = (isWanted: (dataset: Dataset) => boolean): string[] =>
      open
        .filter(isWanted)
        .map(({ id }) => id)
        .sort()
    expect(await ids('domain=FUEL')).toEqual(those(({ domain }) => domain === 'fuel'))
    expect(await ids('licence=CC BY 4.0&domain=road')).toEqual(
      those(({ domain, sources }) => domain === 'road' && sources.some(({ licence }) => licence === 'CC BY 4.0')),
    )
    const paid = await ids('commercial_use=yes')
    const others = [...(await ids('commercial_use=unknown')), ...(await ids('commercial_use=no'))]
    expect([...paid, ...others].sort()).toEqual(open.map(({ id }) => id).sort())
    expect(others).toContain('rail_fleet')
    const refused = await service.get('/api/datasets?domain=raod')
    expect((await refused.json()) as Reply).toMatchObject({
      status: 400,
      detail: expect.stringContaining('did you mean road?'),
      errors: [{ parameter: 'domain' }],
    })
  })

  test('a card names the feeds that fill it, with their health, and the paths that show it', async () => {
    await service.tell({ feed: 'madrid_traffic', last_success_at: Date.now(), fresh_at: Date.now(), data_time: Date.now() })
    const found = async (): Promise<Reply> => (await cardOf(trafficReadings.id)).feeds
    const [feed, ...rest] = await found()
    expect(rest).toEqual([])
    expect(feed).toMatchObject({ id: 'madrid_traffic', is_direct: true, cadence_s: 300, landed_until: expect.stringContaining('Z') })
    const { endpoints, links, plans } = await cardOf(trafficReadings.id)
    expect(endpoints.map((one: Reply) => one.path)).toEqual(
      expect.arrayContaining(['/api/trafico/intensidad', '/api/trafico/sensores/{id}', '/api/trafico/sensores/{id}/historico']),
    )
    expect(endpoints.map((one: Reply) => one.path)).not.toContain('/api/incidents')
    expect(links).toContainEqual({ rel: 'schema', path: '/api/datasets/traffic_readings/schema' })
    for (const { path } of links) expect((await service.get(path)).status, path).toBe(200)
    expect(plans).toEqual(trafficReadings.plan)
  })

  test('a derived dataset names the feeds of its inputs', async () => {
    const row = exampleTableRow(railTimetableChanges, { subject_id: 'another' })
    await service.land(railTimetableChanges, [row], Date.UTC(2026, 7, 22), ['renfe_gtfs_cercanias'])
    await until('its feed is known', async () => {
      const { feeds } = await cardOf(railTimetableChanges.id)
      return feeds.some((feed: Reply) => feed.id === 'renfe_gtfs_cercanias' && feed.is_direct === false)
    })
  })

  test('a change in one table changes the tag of its schema, and of no other', async () => {
    const tagOf = async (id: string): Promise<string | null> => (await service.get(`/api/datasets/${id}/schema`)).headers.get('etag')
    const [mine, other] = [await tagOf(fuelPrices.id), await tagOf('fuel_stations')]
    await service.land(fuelPrices, [exampleTableRow(fuelPrices, { station_id: '2' })], Date.now())
    await until('the tag changes', async () => (await tagOf(fuelPrices.id)) !== mine)
    expect(await tagOf('fuel_stations')).toBe(other)
  })

  test('days are listed as they were gathered, newest first, and for a requested range', async () => {
    const path = '/api/datasets/incidents/quality'
    const { store } = service.lake
    const [example] = (await service.json(path)).days
    expect(example).toMatchObject({
      ...{ date: '2026-01-02', rows: 354, as_of: '2026-01-03T05:00:00.000Z', nulls: [{ column: 'km', share: 0.027119 }] },
      feeds: [{ id: 'dgt_incidents', publications: 1438, expected: 1440, gaps: 1, longest_gap_s: 240, quarantined: 2, rejected: 3 }],
    })
    const before = (await service.get(path)).headers.get('etag')
    const day = (await readQualityDay(store, '2026-01-02')) as QualityDay
    for (const date of ['2026-01-03', '2026-01-04', '2026-01-05']) await writeQualityDay(store, { ...day, date, as_of: day.as_of + 1 })
    await until('the new days are listed', async () => (await service.get(path)).headers.get('etag') !== before)
    const dates = async (query: string): Promise<string[]> => (await service.json(`${path}${query}`)).days.map((one: Reply) => one.date)
    expect(await dates('')).toEqual(['2026-01-05', '2026-01-04', '2026-01-03', '2026-01-02'])
    // Days without rows: feeds have statistics of them and the table has none.
    expect((await service.json(path)).days[0]).toMatchObject({ rows: 0, nulls: [], feeds: [{ id: 'dgt_incidents', publications: 1438 }] })
    expect(await dates('?from=2026-01-03&to=2026-01-05')).toEqual(['2026-01-04', '2026-01-03'])
    expect(await dates('?from=2027-01-01')).toEqual([])
    // A dataset that did not exist on those days has nothing to list. One that never existed is an unknown path.
    expect((await service.json('/api/datasets/rail_stock/quality')).days).toEqual([])
    expect((await service.get('/api/datasets/nothing/quality')).status).toBe(404)
    const refused = await service.get(`${path}?from=2026-01-05&to=2026-01-05`)
    expect((await refused.json()) as Reply).toMatchObject({ status: 400, errors: [{ parameter: 'from' }] })
  })

  test('days that an archive brought late are listed as soon as they are counted, those of years ago too', async () => {
    const path = '/api/datasets/incidents/quality'
    const { store } = service.lake
    const before = (await service.get(path)).headers.get('etag')
    const known = (await readTableQuality(store, 'incidents', 1)) as TableQuality
    const as_of = Date.UTC(2026, 0, 6, 12)
    const days = { '2019-06-30': { as_of, rows: 7, nulls: { km: 0.5 } }, ...known.days }
    expect(await writeTableQuality(store, 'incidents', { seq: 2, quality: { ...known, as_of, days } })).toBe(true)
    expect(await writeTableQuality(store, 'incidents', { seq: 2, quality: known })).toBe(false)
    await until('the new day is listed', async () => (await service.get(path)).headers.get('etag') !== before)
    const [first] = (await service.json(`${path}?sort=date&to=2020-01-01`)).days
    expect(first).toEqual({
      date: '2019-06-30',
      rows: 7,
      as_of: '2026-01-06T12:00:00.000Z',
      nulls: [{ column: 'km', share: 0.5 }],
      feeds: [],
    })
  })

  test('a misspelt id gets a suggestion', async () => {
    const response = await service.get('/api/datasets/incident')
    expect((await response.json()) as Reply).toMatchObject({ status: 404, detail: expect.stringContaining('did you mean incidents?') })
  })
})

describe('a table that was migrated', () => {
  let migrated: TestService
  beforeAll(async () => {
    migrated = await startService()
    const { remark: _remark, km, ...columns } = incidents.columns
    const before = { ...incidents, columns: { ...columns, post: { ...km, was: [] } } } as unknown as Dataset
    const { store } = migrated.lake
    await createTable({ store, dataset: before, properties: {} })
    const now = { ...incidents, columns: { ...incidents.columns, km: { ...km, was: ['post'] } } } as unknown as Dataset
    await migrateTable(migrated.lake.table(incidents), now)
  })
  afterAll(() => migrated.close())

  test('has the schema of each of its versions', async () => {
    const [current, old] = [
      await migrated.json('/api/datasets/incidents/schema'),
      await migrated.json('/api/datasets/incidents/schema?version=0'),
    ]
    expect([current.version, current.is_current, current.versions]).toEqual([1, true, [0, 1]])
    expect([old.version, old.is_current, old.versions]).toEqual([0, false, [0, 1]])
    const names = ({ columns }: Reply): string[] => columns.map((one: Reply) => one.name)
    expect(names(current)).toEqual(expect.arrayContaining(['km', 'remark']))
    expect(names(old)).toContain('post')
    expect(names(old).filter((name) => name === 'km' || name === 'remark')).toEqual([])
    expect(old.columns.find((one: Reply) => one.name === 'post')).toMatchObject({ field_id: 10, unit: 'km' })
    expect(Object.keys(old.json_schema.properties)).not.toContain('remark')
    const refused = await migrated.get('/api/datasets/incidents/schema?version=2')
    expect((await refused.json()) as Reply).toMatchObject({ status: 400, errors: [{ parameter: 'version', allowed: ['0', '1'] }] })
  })
})

test('of several sources the strictest decides whether commercial use is allowed', () => {
  const uses = (...all: ('yes' | 'no' | 'unknown')[]): string => commercialUseOf(all.map((commercial_use) => ({ commercial_use })))
  expect([uses('yes'), uses('yes', 'unknown'), uses('unknown', 'no', 'yes')]).toEqual(['yes', 'unknown', 'no'])
})

function duckdbType(iceberg: string): string {
  const list = /^list<(.+)>$/.exec(iceberg)
  if (list) return `${duckdbType(list[1] as string)}[]`
  if (iceberg.startsWith('decimal')) return iceberg.toUpperCase().replace(', ', ',')
  const types: Record<string, string> = {
    ...{ string: 'VARCHAR', int: 'INTEGER', long: 'BIGINT', double: 'DOUBLE', boolean: 'BOOLEAN' },
    ...{ timestamptz: 'TIMESTAMP WITH TIME ZONE', date: 'DATE', binary: 'BLOB' },
  }
  return types[iceberg] as string
}

function arrowName(iceberg: string): string {
  const list = /^list<(.+)>$/.exec(iceberg)
  if (list) return `List<${arrowName(list[1] as string)}>`
  const [, precision, scale] = /^decimal\((\d+), (\d+)\)$/.exec(iceberg) ?? []
  if (precision) return `Decimal[${precision}e+${scale}]`
  const types: Record<string, string> = {
    ...{ string: 'Utf8', int: 'Int32', long: 'Int64', double: 'Float64', boolean: 'Bool' },
    ...{ timestamptz: 'Timestamp<MICROSECOND, UTC>', date: 'Date32<DAY>', binary: 'Binary' },
  }
  return types[iceberg] as string
}
