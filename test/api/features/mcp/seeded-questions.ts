import { airQualityIndex } from '../../../../lake/datasets/air/air-quality.ts'
import { flights } from '../../../../lake/datasets/aviation/flights.ts'
import { fuelDays, fuelPrices, fuelStations } from '../../../../lake/datasets/fuel/prices.ts'
import { marinePrices } from '../../../../lake/datasets/maritime/marine-fuel.ts'
import { vesselPositions } from '../../../../lake/datasets/maritime/vessels.ts'
import { imdSections } from '../../../../lake/datasets/mobility/imd.ts'
import { mobilityFlowDays } from '../../../../lake/datasets/mobility/trips.ts'
import { railAlerts } from '../../../../lake/datasets/rail/alerts.ts'
import { railStations, railStopTimes } from '../../../../lake/datasets/rail/timetable.ts'
import { incidents } from '../../../../lake/datasets/road/incidents.ts'
import { accidentHotspots } from '../../../../lake/datasets/safety/hotspots.ts'
import { weatherForecastDaily } from '../../../../lake/datasets/weather/forecasts.ts'
import { weatherAlerts } from '../../../../lake/datasets/weather/weather-alerts.ts'
import { weatherDays } from '../../../../lake/datasets/weather/weather-days.ts'
import { weatherObservations } from '../../../../lake/datasets/weather/weather-stations.ts'
import type { Json } from '../../../../lake/schema/columns.ts'
import type { Dataset } from '../../../../lake/schema/dataset.ts'
import { exampleRow, exampleTableRow, fillWithExamples, startService, type TestService } from '../../service.ts'

/** A person's question, the one call that answers it, and the facts that the answer contains. */
export interface SeededQuestion {
  readonly question: string
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  /** When it is asked, ISO 8601. */
  readonly at: string
  readonly says: readonly string[]
}

/** Times at which the examples are current. */
const ASKED = {
  winter: '2026-01-02T12:30:00Z',
  eve: '2026-01-08T12:00:00Z',
  fuel: '2025-09-27T17:00:00Z',
  summer: '2026-08-22T03:00:00Z',
  alert: '2024-04-05T09:00:00Z',
  air: '2026-09-02T22:00:00Z',
  autumn: '2026-10-26T12:35:00Z',
} as const
const { winter, eve, fuel, summer, alert, air, autumn } = ASKED

/** A row of a dataset's examples, which the service has. */
const of = (dataset: Dataset): Record<string, unknown> => exampleRow(dataset)
const [station, price, fuelDay, rail] = [of(fuelStations), of(fuelPrices), of(fuelDays), of(railAlerts)]
const [day, observed, warning, index, history] = [
  of(weatherForecastDaily),
  of(weatherObservations),
  of(weatherAlerts),
  of(airQualityIndex),
  of(weatherDays),
]
const [flows, section, hotspot, marine, vessel, flight] = [
  of(mobilityFlowDays),
  of(imdSections),
  of(accidentHotspots),
  of(marinePrices),
  of(vesselPositions),
  of(flights),
]
const said = (value: unknown, unit = ''): string => `${String(value)}${unit === '' ? '' : ` ${unit}`}`

/** Twenty questions about the datasets' examples and the incidents below, as an assistant asks them from the tools' list. */
export const seededQuestions: readonly SeededQuestion[] = [
  {
    question: 'Is the A-6 closed?',
    ...{ at: winter, tool: 'get_incidents', args: { road: 'A-6', closed: true } },
    says: ['1 found', 'A-6 km 165', 'Rueda, Valladolid', 'calzada cortada'],
  },
  {
    question: 'Is the A-5 closed? (a lane is)',
    ...{ at: winter, tool: 'get_incidents', args: { road: 'A-5', closed: true } },
    says: ['0 found', 'Nothing matches.'],
  },
  {
    question: 'Is the A-6 clear at km 165?',
    ...{ at: winter, tool: 'get_road_status', args: { road: 'A-6', km_from: 160, km_to: 170 } },
    says: ['State of a road, incident: 0 found', 'roadworks: 1 found', 'calzada cortada', 'panel: 0 found'],
  },
  {
    question: 'How is the traffic in Barcelona?',
    ...{ at: '2026-08-24T17:52:00Z', tool: 'get_traffic_intensity', args: { city: 'barcelona' } },
    says: ['Traffic in a city, city: 1 found', '19:50 local', '- Barcelona: 100 % of its network dense or worse', 'Diagonal'],
  },
  {
    question: 'Where is diesel cheapest in Abrera?',
    ...{ at: fuel, tool: 'find_fuel', args: { fuel: 'diesel', municipality: 'Abrera' } },
    says: [`${said(price['price'])} EUR/L at ${said(station['brand'])}`, said(station['address']), said(station['opening_hours'])],
  },
  {
    question: 'Is diesel getting dearer?',
    ...{ at: fuel, tool: 'get_fuel_trend', args: { fuel: 'diesel' } },
    says: ['Average now, Spain:', `Trend: STABLE, ${said(fuelDay['price_mean'])} EUR/L`],
  },
  {
    question: 'When is the next train from Chamartín to Atocha?',
    ...{ at: summer, tool: 'get_train_status', args: { what: 'departures', station: 'Chamartín', to: 'Atocha' } },
    says: ['Departs Madrid-Chamartín-Clara Campoamor 2026-08-22T03:30:00.000Z (05:30 local): C1, train 19799'],
  },
  {
    question: 'Is there trouble on the commuter trains?',
    ...{ at: winter, tool: 'get_train_status', args: { what: 'alerts', network: 'CERCANIAS' } },
    says: [said(rail['text_es']), '10:53 local'],
  },
  {
    question: 'What will the weather be in Madrid tomorrow?',
    ...{ at: eve, tool: 'get_weather', args: { what: 'forecast', municipality: 'Madrid' } },
    says: [`2026-01-09: «${said(day['sky_description'])}» min ${said(day['temp_min_c'])} °C max ${said(day['temp_max_c'])} °C`],
  },
  {
    question: 'What is the weather in Madrid?',
    ...{ at: winter, tool: 'get_weather', args: { what: 'now', municipality: 'Madrid' } },
    says: ['RETIRO', said(observed['temp_c'], '°C'), '10:00 local'],
  },
  {
    question: 'Are there weather warnings in Huesca?',
    ...{ at: alert, tool: 'get_weather', args: { what: 'alerts', province: 'Huesca' } },
    says: [`${said(warning['level'])} warning of ${said(warning['phenomenon'])}`, '2024-04-05T22:00:00.000Z (2024-04-06 00:00 local)'],
  },
  {
    question: 'How is the air in Madrid?',
    ...{ at: air, tool: 'get_weather', args: { what: 'air', municipality: 'Madrid' } },
    says: [`PLAZA DE ESPAÑA: ${said(index['level'])}`, 'NO2 38 ug/m3', '(23:00 local)'],
  },
  {
    question: 'How much did it rain in Retiro, day by day?',
    ...{ at: winter, tool: 'get_weather', args: { what: 'history', station: 'Retiro', interval: '1d' } },
    says: ['2025-12-06 at station 3195', `rain ${said(history['precipitation_mm'], 'mm')}`],
  },
  {
    question: 'How many people travel from Álava to Bizkaia?',
    ...{ at: winter, tool: 'get_mobility', args: { origin: 'Álava', destination: 'Bizkaia' } },
    says: ['2022-02', `${said(flows['trips'])} trips`],
  },
  {
    question: 'How busy is the A-6?',
    ...{ at: winter, tool: 'get_mobility', args: { road: 'A-6' } },
    says: [`${said(section['year'])}: ${said(section['imd'])} vehicles/day`],
  },
  {
    question: 'Where are the black spots of Madrid?',
    ...{ at: winter, tool: 'get_road_safety', args: { what: 'hotspots', province: 'Madrid' } },
    says: [`Black spot 1: ${said(hotspot['accidents'])} accidents`, 'AVDA. ALBUFERA'],
  },
  {
    question: 'What does diesel cost in the ports of Lanzarote?',
    ...{ at: '2026-06-20T09:00:00Z', tool: 'get_maritime', args: { what: 'fuel', port: 'Marina Lanzarote' } },
    says: [`${said(marine['price'])} EUR/L`, '(09:02 local)'],
  },
  {
    question: 'Where is the Example Star?',
    ...{ at: '2026-08-27T05:45:00Z', tool: 'get_maritime', args: { what: 'vessels', vessel: 'Example Star' } },
    says: [said(vessel['mmsi']), '(07:40 local)'],
  },
  {
    question: 'Is flight IB 438 late?',
    ...{ at: autumn, tool: 'get_aviation', args: { what: 'delays', flight: 'IB 438' } },
    says: [`DEPARTURE ${said(flight['flight_number'])} at MAD`, `delay ${said(flight['delay_minutes'], 'min')}`, '(12:45 local)'],
  },
  {
    question: 'What is the id of the station Chamartín?',
    ...{ at: winter, tool: 'search_transport', args: { query: 'chamartin', collections: ['rail-stations'] } },
    says: ['Madrid-Chamartín-Clara Campoamor (rail-stations)', 'id 17000'],
  },
]

const [MEASURE] = incidents.columns.measures.example as readonly [Readonly<Record<string, Json>>]

/** Roadworks that close a carriageway of the A-6, and others that close a lane of the A-5. */
const INCIDENTS = [
  exampleRow(incidents, {
    ...{ source_id: 'a6', incident_id: 'inc_A6', type: 'ROADWORKS', road: 'A-6', km: 165, km_to: 164, province_code: '47' },
    ...{ municipality: 'Rueda', municipality_code: '47139', measures: [{ ...MEASURE, kind: 'CARRIAGEWAY_CLOSED', lanes: ['ALL'] }] },
    description: 'Obras en la A-6, km 165 a 164, Rueda (Valladolid): calzada cortada.',
  }),
  exampleRow(incidents, { source_id: 'a5', incident_id: 'inc_A5', type: 'ROADWORKS', road: 'A-5' }),
]

/** The next stop of the example's train. */
const ATOCHA = { stop_id: '18000', name: 'Madrid-Atocha Cercanías', position: { lat: 40.406442, lon: -3.690886 } }

/** Starts a service with the examples, these incidents and this stop, whose time can be set. */
export async function startSeededService(): Promise<{ readonly service: TestService; readonly setTime: (at: string) => void }> {
  let now = Date.parse(winter)
  const service = await startService({ clock: () => now })
  await fillWithExamples(service)
  await service.publish(incidents, INCIDENTS, { at: now })
  const until = Date.parse('2026-08-23T00:00:00Z')
  await service.land(railStations, [exampleTableRow(railStations, ATOCHA)], until)
  const arrival = 5.75 * 3600
  await service.land(
    railStopTimes,
    [exampleTableRow(railStopTimes, { stop_id: ATOCHA.stop_id, stop_sequence: 2, arrival, departure: arrival })],
    until,
  )
  return {
    service,
    setTime: (at) => {
      now = Date.parse(at)
    },
  }
}
