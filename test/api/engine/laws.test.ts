import { isDeepStrictEqual } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { endpoints } from '../../../api/endpoints/catalog.ts'
import { requestOf } from '../../../api/engine/request/example-request.ts'
import { allParams } from '../../../api/engine/request/request.ts'
import { datasetsOf } from '../../../api/kernel/endpoint.ts'
import { columnsOf, type Fields, isNested } from '../../../api/kernel/fields.ts'
import { recordWriter } from '../../../api/kernel/reads/shape.ts'
import { PLANS } from '../../../lake/schema/dataset.ts'
import { exampleService } from '../example-service.ts'
import { checkSchema } from '../main/schemas.ts'
import { strictReply } from '../requests.ts'
import { exampleRow, exampleTableRows, type Reply, type TestService } from '../service.ts'

let service: TestService
beforeAll(async () => {
  service = await exampleService()
})

describe('declarations', () => {
  test('paths are well-formed and unique', () => {
    const paths = endpoints.map((endpoint) => endpoint.path)
    expect(new Set(paths).size).toBe(paths.length)
    for (const path of paths) expect(path).toMatch(/^\/api(\/([a-z0-9-]+|\{[a-z0-9_]+\}))+$/)
  })

  test('lists of live data and of catalogues give 20,000 records at once', () => {
    for (const { path, returns, read } of endpoints)
      if (returns.kind === 'list' && ['memory', 'system'].includes(read.kind)) expect(returns.limit.max, path).toBe(20_000)
  })

  test('names of records are unique', () => {
    const shapes = new Map(endpoints.map(({ returns, around }) => [around?.plain ?? returns.record, returns.record.name]))
    expect(new Set(shapes.values()).size).toBe(shapes.size)
  })

  test('members and parameters are snake_case, and no parameter hides another', () => {
    for (const endpoint of endpoints) {
      const { path, params, returns } = endpoint
      for (const name of [...allParams(endpoint).keys(), ...Object.keys(returns.record.fields)])
        expect(name, path).toMatch(/^[a-z][a-z0-9_]*$/)
      const own = Object.entries(params).flatMap(([name, one]) => (one.kind === 'group' ? Object.keys(one.members) : [name]))
      expect(new Set(own).size, path).toBe(own.length)
      for (const name of ['limit', 'cursor', 'fields', 'format', 'lang', 'sort']) expect(own, path).not.toContain(name)
    }
  })

  test('every member has an example, and one that is null only where it may be', () => {
    const check = (path: string, fields: Fields): void => {
      for (const [name, field] of Object.entries(fields)) {
        if (isNested(field)) check(`${path} ${name}`, field.fields)
        else if (field.example === null) expect(field.nullable, `${path} ${name} is never null`).toBe(true)
        else expect(field.example, `${path} ${name} has no example`).toBeDefined()
      }
    }
    for (const { path, returns } of endpoints) check(path, returns.record.fields)
  })

  test('no plan is lower than that of the data it shows', () => {
    for (const endpoint of endpoints) {
      const { path, plan, read, recent } = endpoint
      for (const dataset of datasetsOf(endpoint)) {
        const least = read.kind === 'lake' ? dataset.plan.history : dataset.plan.live
        // A lower plan may see one or two columns of a state, if the endpoint says which; never where or when something is.
        const excerpt = endpoint.excerpts?.find(({ of }) => of === dataset)
        if (excerpt) {
          expect(PLANS.indexOf(plan), `${path} needs no excerpt of ${dataset.id}`).toBeLessThan(PLANS.indexOf(least))
          expect(excerpt.columns.length, path).toSatisfy((count: number) => count >= 1 && count <= 2)
          // A year is no time of a thing: published counts are by year.
          for (const name of excerpt.columns.filter((one) => one !== 'year'))
            expect(['string', 'code', 'boolean'], `${path} ${name}`).toContain(dataset.columns[name]?.kind)
          const shown = [...columnsOf(dataset, endpoint.returns.record.fields).values()]
          expect(
            shown.filter((name) => !excerpt.columns.includes(name)),
            path,
          ).toEqual([])
          continue
        }
        // A lower plan may see the last day of a history, if the endpoint says so and which plan may see the rest.
        if (recent) expect([recent.hours <= 24, PLANS.indexOf(recent.wider) >= PLANS.indexOf(least)], path).toEqual([true, true])
        else expect(PLANS.indexOf(plan), `${path} ${dataset.id}`).toBeGreaterThanOrEqual(PLANS.indexOf(least))
      }
    }
  })

  test('records have only the fields of the requested view', () => {
    const views = endpoints.filter((endpoint) => allParams(endpoint).has('view'))
    expect(views.length).toBeGreaterThan(1)
    for (const { path, read, returns } of views) {
      const { omit } = read as { readonly omit?: { readonly by: string } }
      expect([omit?.by, (returns.record.sometimes ?? []).length > 0], path).toEqual(['view', true])
    }
    for (const { path, returns } of endpoints)
      for (const name of returns.record.sometimes ?? []) expect(Object.keys(returns.record.fields), path).toContain(name)
  })

  test('the schema of rows requires no column that a parameter leaves out', async () => {
    const omitting = endpoints.flatMap((endpoint) => {
      const { omit } = endpoint.read as { readonly omit?: { readonly by: string } }
      return omit ? [{ endpoint, by: omit.by, value: allParams(endpoint).get(omit.by)?.example as string }] : []
    })
    expect(omitting.length).toBeGreaterThan(3)
    for (const { endpoint, by, value } of omitting) {
      const { required } = (await service.json(`/schemas/${endpoint.returns.record.name}`)) as { readonly required: readonly string[] }
      for (const given of [null, value]) {
        const rows = await (await service.get(requestOf(endpoint, { [by]: given, format: 'csv' }))).text()
        const columns = rows.slice(0, rows.indexOf('\r\n')).split(',')
        expect(columns.length, `${endpoint.path} ${by}=${given}`).toBeGreaterThan(1)
        expect(columns, `${endpoint.path} ${by}=${given}`).toEqual(expect.arrayContaining([...required]))
      }
    }
  })

  test('descriptions are short: 400 characters, and 25 words a sentence', () => {
    const long: string[] = []
    const check = (where: string, text: string | undefined): void => {
      for (const sentence of (text ?? '').split(/(?<=[.!?:;])\s+/))
        if (sentence.split(/\s+/).length > 25) long.push(`${where}: ${sentence}`)
    }
    const checkFields = (where: string, fields: Fields): void => {
      for (const [name, field] of Object.entries(fields)) {
        check(`${where} ${name}`, field.about)
        if (isNested(field)) checkFields(`${where} ${name}`, field.fields)
      }
    }
    for (const endpoint of endpoints) {
      const { path, plan, summary, about = '', explained, returns, around, statistic } = endpoint
      // With a page, /openapi.json has the plan before the text.
      const described = explained ? `Plan: ${plan}. ${about}` : about
      expect(described.length, path).toBeLessThanOrEqual(400)
      for (const text of [summary, about, statistic?.grain, statistic?.method]) check(path, text)
      for (const { name, about: text, fields } of [returns.record, around?.plain ?? returns.record]) {
        check(`${path} ${name}`, text)
        checkFields(path, fields)
      }
      if (returns.kind === 'list') checkFields(path, returns.sideLists ?? {})
      for (const [name, param] of allParams(endpoint)) check(`${path} ?${name}`, param.about)
    }
    expect(long).toEqual([])
  })

  test('hours are numbers', () => {
    const check = (path: string, fields: Fields): void => {
      for (const [name, field] of Object.entries(fields)) {
        if (isNested(field)) check(`${path} ${name}`, field.fields)
        else if (/^hour(_local)?$/.test(name)) expect([field.kind, field.unit], `${path} ${name}`).toEqual(['integer', 'h'])
      }
    }
    for (const { path, returns } of endpoints) check(path, returns.record.fields)
  })

  test('excerpts are of datasets that the endpoint reads', () => {
    for (const endpoint of endpoints)
      for (const { of } of endpoint.excerpts ?? []) expect(datasetsOf(endpoint), `${endpoint.path} ${of.id}`).toContain(of)
  })

  test('a deprecated path answers for another year, and its replacement exists and stays', () => {
    for (const { path, deprecated } of endpoints) {
      if (!deprecated) continue
      expect((Date.parse(deprecated.sunset) - Date.parse(deprecated.since)) / 86_400_000, path).toBeGreaterThanOrEqual(365)
      if (!deprecated.replacement) continue
      const instead = endpoints.find((one) => one.path === deprecated.replacement)
      expect([instead?.path, instead?.deprecated], path).toEqual([deprecated.replacement, undefined])
    }
  })

  test('lists are ordered by fields they have, and numbers that are added have a unit', () => {
    for (const { path, returns } of endpoints) {
      if (returns.kind === 'one') continue
      const names = Object.keys(returns.record.fields)
      // A measure may order records, but does not identify one: `ties`.
      if (returns.key.includes('id'))
        for (const name of returns.key) expect(['decimal', 'float'], `${path} ${name}`).not.toContain(returns.record.fields[name]?.kind)
      for (const name of [...returns.key, ...(returns.ties ?? []), ...returns.sorts, returns.order.replace(/^-/, '')])
        expect(names, path).toContain(name)
      for (const [name, field] of Object.entries(returns.record.fields)) {
        if (!['integer', 'decimal', 'float'].includes(field.kind)) continue
        expect('unit' in field || 'unitIn' in field, `${path} ${name} has no unit`).toBe(true)
      }
    }
  })
})

describe.each(endpoints.map((endpoint) => [endpoint.path, endpoint] as const))('%s', (_path, endpoint) => {
  test('answers its own example, with nothing missing and nothing added, and the values of the rows', async () => {
    const response = await service.get(requestOf(endpoint), { Accept: 'application/json' })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    const reply: Reply = await response.json()
    checkSchema(strictReply(endpoint), reply)
    const { returns } = endpoint
    for (const dataset of datasetsOf(endpoint)) {
      const computed = COMPUTED[`${endpoint.path} ${dataset.id}`] ?? []
      // A field that only has the origin of a column, such as a province's name, is another value.
      const isColumn = ([name, column]: readonly [string, string]): boolean => returns.record.fields[name] === dataset.columns[column]
      const columns = [...columnsOf(dataset, returns.record.fields)].filter((one) => isColumn(one) && !computed.includes(one[0]))
      const fields = Object.fromEntries(columns.map(([name]) => [name, returns.record.fields[name] as Fields[string]]))
      const written = recordWriter({ name: '', about: '', fields })
      const rows = [exampleRow(dataset), ...exampleTableRows(dataset)].map((row) =>
        written(Object.fromEntries(columns.map(([name, column]) => [name, row[column] ?? null]))),
      )
      const records: readonly Reply[] = returns.kind === 'list' ? reply[returns.name] : [reply]
      const shown = records.map((record) => Object.fromEntries(Object.keys(rows[0] ?? {}).map((name) => [name, record[name]])))
      // Some record has every value of a row of the dataset.
      if (columns.length > 1)
        expect(rows, dataset.id).toContainEqual(shown.find((one) => rows.some((row) => isDeepStrictEqual(one, row))) ?? shown[0])
    }
  })
})

/** Members that replies compute, though a column declares them, by path and dataset: the tests of their endpoints check them. */
const COMPUTED: Readonly<Record<string, readonly string[]>> = {
  // The reading's sensor is not in the catalogue of the examples, whose sections are Barcelona's; the request is for Madrid.
  '/api/trafico/intensidad traffic_sensors': ['name', 'district', 'province_code', 'position', 'source_id'],
  '/api/trafico/ciudades/{ciudad} traffic_sensors': ['name', 'district', 'position'],
  '/api/trafico/ciudades/{ciudad} traffic_section_states': ['level', 'source_state', 'forecast_15min_level', 'source_forecast_state'],
  '/api/trafico/ciudades/{ciudad} traffic_sections': ['length_m'],
  // The example asks for the comparison with typical weeks, which shows a count and no forecast.
  '/api/trafico/prediccion traffic_forecasts': ['hour_local', 'forecast_kind', 'recent_error', 'reason'],
  // Left out where the source states none.
  '/api/trenes/alertas rail_alerts': ['effect'],
  '/api/trenes/alertas/{id} rail_alerts': ['effect'],
  '/api/trenes/alertas/historico rail_alerts': ['effect'],
  // The register of the examples has another station.
  '/api/trenes/estaciones rail_station_register': ['address', 'postal_code', 'is_metre_gauge'],
  '/api/trenes/estaciones/{id} rail_station_register': ['address', 'postal_code', 'is_metre_gauge'],
  // Computed from road and kilometre, where the source has none.
  '/api/accidentes/microdata road_accidents': ['position', 'location_method', 'location_error_m'],
}
