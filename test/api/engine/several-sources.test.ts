import { expect, test } from 'vitest'
import { endpoints } from '../../../api/endpoints/catalog.ts'
import { changedOf, incident, incidentDetail, toIncident, toIncidentDetail } from '../../../api/endpoints/road/incident.ts'
import { trafficIntensity } from '../../../api/endpoints/road/traffic-intensity.ts'
import { codeListList } from '../../../api/endpoints/service/codes.ts'
import type { SystemView } from '../../../api/kernel/endpoint.ts'
import { WHOLE_LIST } from '../../../api/kernel/page.ts'
import { datasets } from '../../../lake/catalog.ts'
import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import { defineCodes } from '../../../lake/schema/codes.ts'
import { col } from '../../../lake/schema/columns.ts'
import { everything, variant } from '../../lake/query/fixtures.ts'
import { openapi } from '../openapi.ts'
import { exampleRow } from '../service.ts'

test('an incident of a source that states no creation is as old as its first publication', () => {
  const row = exampleRow(incidents, { created_at: null, first_seen_at: Date.UTC(2026, 1, 3, 19, 36) }) as never
  expect(toIncident(row).created_at).toBe(Date.UTC(2026, 1, 3, 19, 36))
  expect(toIncidentDetail(row).created_at).toBe(Date.UTC(2026, 1, 3, 19, 36))
  // A report before we saw it is earlier; later reports make it no younger.
  const reported = (at: number): number =>
    toIncident(exampleRow(incidents, { created_at: null, first_seen_at: 5000, reported_at: at }) as never).created_at as number
  expect([reported(4000), reported(9000)]).toEqual([4000, 5000])
  expect(toIncident(exampleRow(incidents) as never).created_at).toBe(Date.parse('2021-12-10T13:15:55.000Z'))
})

test('a reply always has it, and a change of it is announced', () => {
  for (const { fields } of [incident, incidentDetail]) expect(fields.created_at.nullable).toBe(false)
  expect(changedOf(['created_at'])).toContain('created_at')
})

test("a sensor missing in the catalogue belongs to the city of its source's other sensors", () => {
  const { read } = trafficIntensity
  if (read.kind !== 'memory' || !read.records) throw new Error('live readings are read live')
  const reading = (source: string, sensor_id: string) => exampleRow(trafficReadings, { source, sensor_id })
  const sensors = [
    exampleRow(trafficSensors, { source: 'madrid', sensor_id: '1', city: 'madrid' }),
    exampleRow(trafficSensors, { source: 'dt_gv', sensor_id: '1', city: 'bilbao' }),
  ]
  const states = [
    { rows: [reading('madrid', '1'), reading('madrid', '2'), reading('dt_gv', '2'), reading('valencia', '9')] },
    { rows: sensors },
  ]
  const records = read.records(states as never) as readonly { source: string; id: string; city: string }[]
  expect(records.map(({ source, id, city }) => [source, id, city])).toEqual([
    ['madrid', '1', 'madrid'],
    ['madrid', '2', 'madrid'],
    ['dt_gv', '2', 'bilbao'],
    ['valencia', '9', null],
  ])
})

/** The ids of the code lists that datasets and endpoints use. */
async function listed(datasets: SystemView['datasets'], endpoints: SystemView['endpoints'] = []): Promise<string[]> {
  const { read } = codeListList
  if (read.kind !== 'system') throw new Error('code lists are read from the system')
  const lists = (await read.records({ datasets, endpoints } as SystemView, { list: null } as never, 0, WHOLE_LIST)) as readonly {
    readonly id: string
  }[]
  return lists.map(({ id }) => id)
}

test('every code list that the description names is listed', async () => {
  const published = datasets.filter(({ visibility }) => visibility !== 'internal')
  const ids = await listed(published, endpoints)
  const named = new Set(JSON.stringify(openapi(endpoints, 'https://api.example.org')).match(/(?<="x-code-list":")[^"]+/g))
  expect(named.size).toBeGreaterThan(10)
  expect([...named].filter((id) => !ids.includes(id))).toEqual([])
})

test('the lists that members of a JSON column are of are listed with the others', async () => {
  const colours = defineCodes('wagon_colour', 'Colour of a wagon.', { RED: ['rojo', 'red'] })
  const trains = variant({ columns: { ...everything.columns, wagons: col.json(30, 'Wagons.', { lists: [colours] }) } })
  expect(await listed([trains])).toContain('wagon_colour')
  expect(await listed([])).not.toContain('incident_cause')
  expect(await listed([incidents])).toEqual(
    expect.arrayContaining(['incident_cause', 'measure_kind', 'lane', 'carriageway', 'vehicle', 'compass_direction']),
  )
})
