import { expect, test } from 'vitest'
import { DEFAULT_PLANS, featurePath, featuresOf } from '../../api/auth/plans.ts'
import { endpoints } from '../../api/endpoints/catalog.ts'
import { collections } from '../../api/endpoints/search/catalog.ts'
import { EVENT_KINDS } from '../../api/events/kinds.ts'
import { ShownBatches } from '../../api/events/shown.ts'
import { tools } from '../../api/features/mcp/server.ts'
import { datasetsOf } from '../../api/kernel/endpoint.ts'
import type { RecordShape } from '../../api/kernel/fields.ts'
import { recordSchema } from '../../api/kernel/reads/shape.ts'
import { derivations } from '../../jobs/derive/catalog.ts'
import { inputsOf } from '../../jobs/derive/define.ts'
import { datasets } from '../../lake/catalog.ts'
import { CHANGE_EVENTS, type EventType } from '../../lake/events/types.ts'
import type { LiveRow } from '../../lake/live/types.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import { INPUTS } from '../api/features/mcp/inputs.ts'
import { exampleRow, type Reply } from '../api/service.ts'

/** Datasets that stay out of a part of the service, each with its reason. */
type Absent = Readonly<Record<string, string>>

const EXPORT_ONLY: Absent = {
  accident_sections: 'the sections of a risk model; replies show its estimates',
  animal_accident_positions: 'positions of animal accidents, for analyses',
  enroute_atfm_delays: 'delays by airspace; no endpoint is about airspaces',
  mobility_overnight_stays: 'large; analysts download it',
  rail_timetable_changes: 'differences between timetables, for analyses',
  traffic_sensor_editions: 'former positions of sensors, for analyses of old readings',
  weather_road_days: 'weather of roads by day, for analyses; replies compute theirs',
}

const NOT_SEARCHED: Absent = {
  accident_codebook: 'codes, not things with a place',
  mobility_zone_members: 'zones are found as municipalities',
  mobility_zone_points: 'zones are found as municipalities',
  vms_messages: 'a panel is found by its place, not by what it shows',
}

const NO_EVENTS: Absent = {
  traffic_count_stations: 'equipment that measures; its readings are what changes',
  traffic_sections: 'equipment that measures; its readings are what changes',
  traffic_sensors: 'equipment that measures; its readings are what changes',
  vms_devices: 'a panel is news by its message: /api/panels/changes',
  vms_messages: 'messages change by the minute: /api/panels/changes',
  marine_prices: 'the event types are agreed: fuel_price.changed is about road fuel',
  rail_trip_updates: 'the event types are agreed: delays of trains are in rail_alert',
}

const NO_TOOL: Absent = {
  accident_codebook: 'tools have labels, not codes of the source',
  low_emission_zones: 'zones are found by search_transport, which links to their details',
  mobility_zone_members: 'get_mobility takes names of places',
  mobility_zone_points: 'get_mobility takes names of places',
  mobility_zones: 'get_mobility takes names of places',
  rail_station_register: 'get_train_status answers about trains; stations are found by search_transport',
  rail_stock: 'rolling stock is found by search_transport',
}

const shown = datasets.filter(({ visibility }) => visibility === 'public')
const live = shown.filter((dataset) => dataset.live && endpoints.some((endpoint) => datasetsOf(endpoint).includes(dataset)))

/** Expects that the datasets without a declaration are those that have a reason; a reason that is no longer needed fails too. */
function expectReasons(without: readonly Dataset[], reasons: Absent): void {
  expect(without.map(({ id }) => id).sort()).toEqual(Object.keys(reasons).sort())
}

test('every public dataset is shown by an endpoint or is an input of one that is, or there is a reason', () => {
  const used = new Set([...endpoints.flatMap(datasetsOf), ...derivations.flatMap(inputsOf)])
  expectReasons(
    shown.filter((dataset) => !used.has(dataset)),
    EXPORT_ONLY,
  )
})

test('every live catalogue and everything live with a name is in a collection of the search, or there is a reason', () => {
  const searched = new Set(collections.flatMap(({ from, slices }) => [...from, ...Object.values(slices).flatMap((slice) => slice.from)]))
  expectReasons(
    live.filter((dataset) => (dataset.absence === 'missing' || 'name' in dataset.columns) && !searched.has(dataset)),
    NOT_SEARCHED,
  )
})

test('what begins and ends, and catalogues of roads, have events in the stream and for webhooks, or there is a reason', () => {
  const isNews = ({ absence, domain }: Dataset): boolean => absence === 'ends' || (absence === 'missing' && domain === 'road')
  expectReasons(
    live.filter((dataset) => isNews(dataset) && !CHANGE_EVENTS.some((one) => one.dataset === dataset)),
    NO_EVENTS,
  )
  expect(EVENT_KINDS.map(({ dataset }) => dataset.id).sort()).toEqual(CHANGE_EVENTS.map(({ dataset }) => dataset.id).sort())
})

test('a change of each dataset with events is shown, with its members, by a type of its topic; its path is an endpoint', () => {
  const shown = new ShownBatches({
    maxSize: 1e6,
    onError: (error) => {
      throw error
    },
  })
  for (const [at, { dataset, typeOf }] of CHANGE_EVENTS.entries()) {
    // A late flight, and a price that changed.
    const row = exampleRow(dataset, { delay_minutes: 60 }) as LiveRow
    const changed = ['price', 'status', 'delay_minutes', 'province_code', 'road'].filter((name) => name === 'status' || name in row)
    const change = { kind: 'UPDATED', key: 'x', row, changed } as const
    const type = typeOf(change) as EventType
    const event = { id: `evt_${at}`, type, thing: 'x', at: 0, change: { ...change, dataset: dataset.id } }
    const [one] = shown.of({ offset: at + 1, origin: 'x', recorded_at: 0, events: [JSON.parse(JSON.stringify(event))] })
    const kind = EVENT_KINDS.find(({ topic }) => topic === one?.topic)
    expect(kind?.dataset.id, dataset.id).toBe(dataset.id)
    const { data } = JSON.parse(one?.body ?? '{}')
    const { required, properties } = recordSchema(kind?.record as RecordShape, { strict: false }) as Reply
    expect(Object.keys(data), dataset.id).toEqual(expect.arrayContaining(required))
    if ('province_code' in row && 'province' in properties) expect(data.changed, dataset.id).toContain('province')
    const path = kind?.path?.split('?')[0]
    if (path !== undefined) expect(endpoints.map((endpoint) => endpoint.path)).toContain(path)
  }
})

test('every live dataset is in the answers of a tool for assistants, or there is a reason', async () => {
  const requests = await Promise.all(
    tools.flatMap(({ name, requests }) => (INPUTS[name] ?? []).map(async (input) => requests(input as never, async () => [], 0))),
  )
  const paths = new Set(requests.flat().map(({ path }) => path))
  const answered = new Set(endpoints.filter(({ path }) => paths.has(path)).flatMap(datasetsOf))
  expectReasons(
    live.filter((dataset) => !answered.has(dataset)),
    NO_TOOL,
  )
})

test('every endpoint above FREE belongs to a feature of its plan', () => {
  const wordsOf = (path: string): string[] => path.split('/').slice(2)
  const belongs = ({ plan, path }: (typeof endpoints)[number]): boolean =>
    featuresOf(DEFAULT_PLANS, plan)
      .filter((feature) => !DEFAULT_PLANS.FREE.features.includes(feature))
      .some((feature) => wordsOf(featurePath(feature) ?? '').some((word) => wordsOf(path).includes(word)))
  const isHistory = (path: string): boolean => /\/(history|historico)$/.test(path)
  const paid = endpoints.filter(({ plan }) => plan !== 'FREE')
  expect(paid.filter((endpoint) => !isHistory(endpoint.path) && !belongs(endpoint)).map(({ path }) => path)).toEqual([])
})
