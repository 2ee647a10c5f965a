import { fuelStations } from '../../../lake/datasets/fuel/prices.ts'
import { cameras, speedCameras } from '../../../lake/datasets/road/cameras.ts'
import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { DETECTOR_SOURCE, LIVE_SOURCE } from '../../../lake/datasets/road/traffic-archive.ts'
import { trafficReadings } from '../../../lake/datasets/road/traffic-readings.ts'
import { trafficSectionStates } from '../../../lake/datasets/road/traffic-sections.ts'
import { trafficSensors } from '../../../lake/datasets/road/traffic-sensors.ts'
import { v16Beacons } from '../../../lake/datasets/road/v16.ts'
import { vmsDevices, vmsMessages } from '../../../lake/datasets/road/vms.ts'
import { DRIVING_CONDITIONS } from '../../../lake/datasets/weather/codes.ts'
import { weatherAlerts } from '../../../lake/datasets/weather/weather-alerts.ts'
import { weatherObservations, weatherStations } from '../../../lake/datasets/weather/weather-stations.ts'
import { allIslands, islandAt } from '../../../lake/places/islands.ts'
import { codeOfRegion, isIsland, nameOfRegion, type Region } from '../../../lake/places/regions.ts'
import { defineCodes } from '../../../lake/schema/codes.ts'
import type { MultiPolygon, Point } from '../../../lake/schema/columns.ts'
import { defineEndpoint, keyedList, type State, type StatesOf } from '../../kernel/endpoint.ts'
import { field, maybe, record, type ValueOf } from '../../kernel/fields.ts'
import { provinceParam } from '../../kernel/params/params-place.ts'
import { touches } from '../../kernel/reads/geo.ts'
import { memo } from '../../kernel/reads/memo.ts'
import { provinceField } from '../common-fields.ts'
import { weatherNow } from '../weather/weather.ts'
import { isReporting } from './city-traffic.ts'
import { toIncident } from './incident.ts'
import { closesRoad } from './incident-filters.ts'
import { panelsOf } from './panels.ts'
import { withoutDuplicates } from './same-incident.ts'
import { readingsOf } from './traffic-intensity.ts'

const INTENSITY = '/api/trafico/intensidad'
const RECENT = '&is_stale=false'
const ADVERSE = Object.keys(DRIVING_CONDITIONS.codes).join()

/** What is counted: in Spanish and English, and the list that shows it with the filter that selects it. */
const TOPICS = {
  INCIDENTS: ['Incidencias', 'Incidents', '/api/incidents'],
  CLOSURES: ['Carreteras o calzadas cortadas', 'Closed roads or carriageways', '/api/incidents?closed=true'],
  ACCIDENTS: ['Accidentes', 'Accidents', '/api/incidents?type=ACCIDENT'],
  CONGESTION: ['Retenciones', 'Congestion', '/api/incidents?type=CONGESTION'],
  WORKS: ['Obras', 'Roadworks', '/api/trafico/obras'],
  BEACONS: ['Balizas V16 activas', 'Active V16 beacons', '/api/v16'],
  PANELS: ['Paneles con mensaje', 'Panels with a message', '/api/panels?has_message=true'],
  SENSORS: ['Detectores de carretera con medida reciente', 'Detectors of roads with a recent reading', `${INTENSITY}?source=dgt${RECENT}`],
  CITY_SENSORS: ['Sensores urbanos con medida reciente', 'City sensors with a recent reading', `${INTENSITY}?source=madrid${RECENT}`],
  CITY_SECTIONS: ['Tramos urbanos con estado reciente, por ciudad', 'City sections with a recent state, by city', '/api/trafico/ciudades'],
  WEATHER_WARNINGS: ['Avisos meteorológicos', 'Weather warnings', '/api/weather/alerts'],
  ADVERSE_WEATHER: ['Estaciones con tiempo adverso', 'Weather stations with adverse conditions', `/api/weather?condition=${ADVERSE}`],
  FUEL_STATIONS: ['Gasolineras', 'Filling stations', '/api/gas-stations'],
  CAMERAS: ['Cámaras', 'Cameras', '/api/camaras'],
  SPEED_CAMERAS: ['Radares', 'Speed cameras', '/api/radares'],
} as const satisfies Record<string, readonly [es: string, en: string, path: string]>
type Topic = keyof typeof TOPICS

const SUMMARY_TOPICS = defineCodes(
  'summary_topic',
  'What a count of the summary is about.',
  Object.fromEntries(Object.entries(TOPICS).map(([topic, [es, en]]) => [topic, [es, en] as const])),
)

const DATASETS = [
  incidents,
  v16Beacons,
  vmsMessages,
  vmsDevices,
  trafficReadings,
  trafficSensors,
  trafficSectionStates,
  weatherAlerts,
  weatherObservations,
  weatherStations,
  fuelStations,
  cameras,
  speedCameras,
] as const

/** Numbers by the INE codes of provinces and islands that a thing is in, separated by blanks. */
type Counts = ReadonlyMap<string, number>

function countsBy<T>(things: readonly T[], placesOf: (thing: T) => readonly (string | null)[]): Counts {
  const counts = new Map<string, number>()
  for (const thing of things) {
    const key = placesOf(thing)
      .filter((code) => code !== null)
      .join(' ')
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}

/** The number of things in a region, each counted once. */
function countIn(counts: Counts, region: Region | null): number {
  const codes = region === null ? null : isIsland(region) ? [codeOfRegion(region)] : region
  const isInside = (key: string): boolean => codes === null || key.split(' ').some((code) => codes.includes(code))
  return counts.entries().reduce((sum, [key, count]) => (isInside(key) ? sum + count : sum), 0)
}

const islandsTouched = (province_codes: readonly string[], area: MultiPolygon | null): string[] =>
  allIslands()
    .filter(({ code, box }) => area !== null && province_codes.includes(code.slice(0, 2)) && touches({ kind: 'box', ...box }, area))
    .map(({ code }) => code)

const byProvince = <T extends { readonly province_code: string | null; readonly position: Point | null }>(things: readonly T[]): Counts =>
  countsBy(things, ({ province_code, position }) => [province_code, islandAt(province_code, position)])

const incidentCounts = memo((state: State<typeof incidents>): readonly (readonly [Topic, Counts])[] => {
  const all = withoutDuplicates(state.rows).map(toIncident)
  const of = (type: string): Counts => byProvince(all.filter((one) => one.type === type))
  return [
    ['INCIDENTS', byProvince(all)],
    ['CLOSURES', byProvince(all.filter(({ measures }) => measures.some(closesRoad)))],
    ['ACCIDENTS', of('ACCIDENT')],
    ['CONGESTION', of('CONGESTION')],
    ['WORKS', of('ROADWORKS')],
  ]
})
const rowCounts = memo(({ rows }: { readonly rows: Parameters<typeof byProvince>[0] }) => byProvince(rows))
const panelCounts = memo((messages: State<typeof vmsMessages>, devices: State<typeof vmsDevices>) =>
  byProvince(panelsOf([messages, devices]).filter(({ has_message }) => has_message)),
)
const sensorCounts = memo(
  (readings: State<typeof trafficReadings>, sensors: State<typeof trafficSensors>): readonly (readonly [Topic, Counts])[] => {
    const recent = readingsOf([readings, sensors]).filter(({ is_stale }) => !is_stale)
    return [
      ['SENSORS', byProvince(recent.filter(({ source }) => source === DETECTOR_SOURCE))],
      ['CITY_SENSORS', byProvince(recent.filter(({ source }) => source === LIVE_SOURCE))],
    ]
  },
)
const sectionCounts = memo((state: State<typeof trafficSectionStates>) => countsBy(state.rows.filter(isReporting), () => []))
const warningCounts = memo((state: State<typeof weatherAlerts>, minute: number) =>
  countsBy(
    state.rows.filter(({ expires_at }) => expires_at > minute),
    ({ province_codes, area }) => [...province_codes, ...islandsTouched(province_codes, area)],
  ),
)
const adverseCounts = memo((observations: State<typeof weatherObservations>, stations: State<typeof weatherStations>) =>
  byProvince(weatherNow([observations, stations]).filter(({ conditions }) => conditions.length > 0)),
)

const PROVINCE_CODE = maybe.text('INE code of the requested province; null for all of Spain, a community or an island.', '28')

const count = record(
  'SummaryCount',
  'The number of things on the roads now, of one kind.',
  {
    topic: field.code('What is counted.', SUMMARY_TOPICS, 'INCIDENTS'),
    title: field.text('The same in words.', 'Incidencias'),
    count: maybe.integer('Number of them; null while their feed has not arrived, or if it states no province.', '1', 12),
    province: provinceField(PROVINCE_CODE),
    province_code: PROVINCE_CODE,
    updated_at: maybe.instant('Newest publication that the number comes from; null before the first.', '2026-01-02T12:23:28.413Z'),
    url: field.text('Path of the list of them; for sections the cities, with `sensors_reporting` of each.', '/api/incidents'),
  },
  { localise: (one, lang) => (lang === 'en' ? { ...one, title: SUMMARY_TOPICS.codes[one.topic]?.en ?? one.topic } : one) },
)

/** The topics whose things are in no province. */
const WITHOUT_PROVINCE: ReadonlySet<Topic> = new Set(['CITY_SECTIONS'])

/** The counts of all lists about roads. */
export const trafficSummary = defineEndpoint({
  path: '/api/trafico/resumen',
  plan: 'FREE',
  summary: 'Live counts of incidents, works, beacons, panels, weather and stations',
  summary_es: 'Recuento en directo de incidencias, obras, balizas, paneles y más',
  about: 'One number for each list about roads, as of its newest publication. `meta.missing` names feeds that have not arrived.',
  params: { province: provinceParam },
  returns: keyedList('counts', count, ['topic'], { sorts: ['topic', 'count'], limit: { default: null, max: 20_000 } }),
  read: {
    kind: 'memory',
    from: DATASETS,
    isOfAny: true,
    reportsMissing: true,
    clockGranularity_s: 60,
    answer: ({ states }, { province }, now) => countsOf(states, now).map((one) => shown(one, province)),
  },
  example: { province: 'Granada' },
})

interface Counted {
  readonly topic: Topic
  readonly counts: Counts
  readonly updated_at: number | null
}

function countsOf(states: StatesOf<typeof DATASETS>, now: number): Counted[] {
  const [incident, beacon, message, device, reading, sensor, section, alert, observation, station, fuel, camera, speedCamera] = states
  const newest = ({ parts }: State): number | null => (parts.length === 0 ? null : Math.max(...parts.map(({ data_time }) => data_time)))
  const of = (topic: Topic, counts: Counts, state: State): Counted => ({ topic, counts, updated_at: newest(state) })
  return [
    ...incidentCounts(incident).map(([topic, counts]) => of(topic, counts, incident as State)),
    of('BEACONS', rowCounts(beacon), beacon as State),
    of('PANELS', panelCounts(message, device), message as State),
    ...sensorCounts(reading, sensor).map(([topic, counts]) => of(topic, counts, reading as State)),
    of('CITY_SECTIONS', sectionCounts(section), section as State),
    of('WEATHER_WARNINGS', warningCounts(alert, now), alert as State),
    of('ADVERSE_WEATHER', adverseCounts(observation, station), observation as State),
    of('FUEL_STATIONS', rowCounts(fuel), fuel as State),
    of('CAMERAS', rowCounts(camera), camera as State),
    of('SPEED_CAMERAS', rowCounts(speedCamera), speedCamera as State),
  ]
}

function shown({ topic, counts, updated_at }: Counted, region: Region | null): ValueOf<typeof count.fields> {
  const isKnown = updated_at !== null && (region === null || !WITHOUT_PROVINCE.has(topic))
  const [title, , url] = TOPICS[topic]
  return {
    topic,
    title,
    count: isKnown ? countIn(counts, region) : null,
    province: region && nameOfRegion(region),
    province_code: region?.length === 1 && !isIsland(region) ? (region[0] as string) : null,
    updated_at,
    url: region === null || WITHOUT_PROVINCE.has(topic) ? url : `${url}${url.includes('?') ? '&' : '?'}province=${codeOfRegion(region)}`,
  }
}
