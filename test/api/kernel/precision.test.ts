import { beforeAll, describe, expect, test } from 'vitest'
import { endpoints } from '../../../api/endpoints/catalog.ts'
import { requestOf } from '../../../api/engine/request/example-request.ts'
import type { Endpoint } from '../../../api/kernel/endpoint.ts'
import { type Fields, isNested } from '../../../api/kernel/fields.ts'
import { recordWriter } from '../../../api/kernel/reads/shape.ts'
import { tableColumns } from '../../../api/kernel/reads/table.ts'
import { type Column, col, isGeometry } from '../../../lake/schema/columns.ts'
import { DEGREE_DECIMALS, DIGITS, decimalsOf, FLOAT_DECIMALS, rounderOf } from '../../../lake/schema/precision.ts'
import { UNITS } from '../../../lake/schema/units.ts'
import { exampleService } from '../example-service.ts'
import { hasGeoJson } from '../requests.ts'
import type { Reply, TestService } from '../service.ts'

let service: TestService
beforeAll(async () => {
  service = await exampleService()
})

/** Digits behind the point of a number as JSON has it. */
function decimalsIn(value: number): number {
  const [, digits = '', exponent = '0'] = /^-?\d+(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? []
  return Math.max(0, digits.length - Number(exponent))
}

/** Digits of a number from the first that is not 0. */
function digitsIn(value: number): number {
  return String(value).replace(/e.*/, '').replaceAll(/[-.]/g, '').replace(/^0+/, '').length
}

/** The numbers of a JSON value, with their paths. */
function numbersIn(path: string, value: unknown): [string, number][] {
  if (typeof value === 'number') return [[path, value]]
  if (Array.isArray(value)) return value.flatMap((one, at) => numbersIn(`${path}[${at}]`, one))
  if (typeof value !== 'object') return []
  return Object.entries((value ?? {}) as object).flatMap(([name, one]) => numbersIn(`${path}.${name}`, one))
}

/** The numbers of a reply with more decimals than their fields declare. */
function tooPrecise(path: string, fields: Fields, record: Reply): string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const at = `${path} ${name}`
    if (isNested(field)) {
      const inner = record?.[name] ?? null
      const held = field.kind === 'object' ? [inner] : Object.values((inner ?? {}) as object)
      return held.filter((one) => one !== null).flatMap((one) => tooPrecise(at, field.fields, one))
    }
    const members = field.kind === 'point' ? (name === 'position' ? ['lat', 'lon'] : [`${name}_lat`, `${name}_lon`]) : [name]
    return members
      .flatMap((member) => numbersIn(at, record?.[member]))
      .filter(([, value]) => !isInPrecision(field, value))
      .map(([place, value]) => `${place} = ${value}`)
  })
}

function isInPrecision(column: Column, value: number): boolean {
  const of = column.of ?? column
  if (of.kind === 'integer') return Number.isInteger(value)
  const decimals = isGeometry(of.kind) ? DEGREE_DECIMALS : decimalsOf(of)
  return decimals === null ? decimalsIn(value) <= DIGITS || digitsIn(value) <= DIGITS : decimalsIn(value) <= decimals
}

test('every unit has a precision that examples keep, and no decimal of a dataset or reply has more digits than a euro of a mean', () => {
  expect(Object.keys(FLOAT_DECIMALS).sort()).toEqual(Object.keys(UNITS).sort())
  const check = (path: string, fields: Fields): void => {
    for (const [name, field] of Object.entries(fields)) {
      if (isNested(field)) {
        check(`${path} ${name}`, field.fields)
        continue
      }
      if (typeof field.example === 'number')
        expect(rounderOf(field)?.(field.example) ?? field.example, `${path} ${name}`).toBe(field.example)
      if (field.kind === 'decimal') expect(decimalsOf(field), `${path} ${name}`).toBeLessThanOrEqual(6)
    }
  }
  for (const { path, returns } of endpoints) check(path, returns.record.fields)
})

test.each<[Column, number, number]>([
  [col.float(0, '', { unit: 'km' }), 12.345678901234, 12.346],
  [col.float(0, '', { unit: 'km/h' }), -3.14999999, -3.1],
  [col.float(0, '', { unit: 'm' }), 417.5, 418],
  [col.float(0, '', { unit: '%' }), 33.333333333333336, 33.3],
  [col.float(0, '', { unit: 'EUR/L' }), 1.4190000000000003, 1.419],
  [col.float(0, '', { unit: '1' }), 0.00001234567891, 0.0000123457],
  [col.float(0, '', { unit: '1' }), 1234567.123456789, 1234567.123457],
  [col.float(0, '', { unitIn: 'unit' }), 0, 0],
  [col.decimal(0, '', { scale: 2, unit: '%' }), 9.705000000000002, 9.71],
  [col.decimal(0, '', { scale: 3, unit: 'km' }), -0.0004, 0],
])('rounds to the precision of the column: %#', (column, value, expected) => {
  const shape = { name: 'One', about: '', fields: { value: column } }
  expect(recordWriter(shape)({ value })).toEqual({ value: expected })
  expect(tableColumns(shape.fields)[0]?.of({ value })).toBe(expected)
  expect(rounderOf(column)?.(null)).toBe(null)
})

test('rounds coordinates to six decimals in every form', () => {
  const fields = {
    position: col.point([0, 0], ''),
    geometry: col.multipolygon(0, ''),
  }
  const position = { lat: 40.416775123456, lon: -3.703790987654 }
  const geometry = [[[[-3.703790987654, 40.416775123456]]]]
  expect(recordWriter({ name: 'Two', about: '', fields })({ position, geometry })).toEqual({
    ...{ lat: 40.416775, lon: -3.703791 },
    geometry: { type: 'MultiPolygon', coordinates: [[[[-3.703791, 40.416775]]]] },
  })
  expect(tableColumns(fields).map(({ of }) => of({ position, geometry }))).toEqual([40.416775, -3.703791, [[[[-3.703791, 40.416775]]]]])
})

describe.each(endpoints.map((endpoint): [string, Endpoint] => [endpoint.path, endpoint]))('%s', (path, endpoint) => {
  test('shows no number with more decimals than its field declares', async () => {
    const { returns } = endpoint
    const { fields } = returns.record
    const reply = (await service.json(requestOf(endpoint, { format: 'json' }))) as Reply
    const records: Reply[] = returns.kind === 'list' ? reply[returns.name] : [reply]
    expect(records.flatMap((one) => tooPrecise(path, fields, one))).toEqual([])
    const rest = returns.kind === 'list' ? { ...returns.counts, ...returns.sideLists } : {}
    expect(tooPrecise(path, rest, reply)).toEqual([])
    if (!hasGeoJson(endpoint)) return
    const collection = (await service.json(requestOf(endpoint, { format: 'geojson' }))) as Reply
    const features: Reply[] = returns.kind === 'list' ? collection.features : [collection]
    const coordinates = [...features.flatMap(({ geometry }) => numbersIn(path, geometry)), ...numbersIn(`${path} bbox`, collection.bbox)]
    expect(coordinates.filter(([, value]) => decimalsIn(value) > DEGREE_DECIMALS)).toEqual([])
  })
})
