import { trafficCountStations } from '../../../lake/datasets/road/traffic-count-stations.ts'
import { trafficCountsHourly } from '../../../lake/datasets/road/traffic-counts-hourly.ts'
import { ABOUT_HOLIDAYS } from '../../../lake/places/holidays.ts'
import { defineEndpoint } from '../../kernel/endpoint.ts'
import { nested, optional, record } from '../../kernel/fields.ts'
import { areaFilter } from '../../kernel/filters/area.ts'
import { placeFilter } from '../../kernel/filters/place.ts'
import { integerParam, required, textParam } from '../../kernel/params/params.ts'
import { profileFields } from './corridor-sensors.ts'
import { countStationsOf, stationFields, stationProfile, stationYears, yearFields } from './count-station.ts'

const ABOUT = "Madrid's permanent count stations, which count on streets and on the M-30."

const listed = record('CountStation', 'A permanent count station.', stationFields)

/** The counting stations. */
export const countStationList = defineEndpoint({
  path: '/api/movilidad/estaciones',
  domain: 'mobility',
  plan: 'PRO',
  summary: 'Traffic counting stations',
  summary_es: 'Estaciones de aforo',
  about: `${ABOUT} One-way streets have counts in one direction only.`,
  statistic: { grain: 'One permanent count station.', method: 'As the city publishes it, in a list separate from the counts.' },
  params: {},
  filters: [placeFilter, areaFilter],
  returns: {
    kind: 'list',
    name: 'stations',
    record: listed,
    key: ['id', 'source'],
    id: 'id',
    sorts: ['id', 'name', 'updated_at'],
    order: 'id',
    limit: { default: 100, max: 20_000 },
  },
  read: {
    kind: 'memory',
    from: [trafficCountStations],
    records: ([state]) => countStationsOf(state),
  },
  example: { province: 'Madrid', limit: '5' },
})

const detail = record('CountStationDetail', 'A permanent count station with its years and usual hourly values.', {
  ...stationFields,
  years: nested.objects('Its counts in each year with data.', yearFields),
  profile_year: optional(yearFields.year, 'Year of the profile; null without counts.'),
  profile: nested.maybeObjects('Usual values of each hour of that year, vehicles of all directions; null without counts.', profileFields),
})

/** One counting station. */
export const countStationById = defineEndpoint({
  path: '/api/movilidad/estaciones/{id}',
  domain: 'mobility',
  plan: 'PRO',
  summary: 'One counting station: mean daily vehicles by year, and hourly profile',
  summary_es: 'Una estación de aforo: vehículos diarios por año y perfil horario',
  about: ABOUT,
  statistic: {
    grain: 'One station, by year, and by kind of day and hour of the local clock.',
    method:
      'Complete days with 24 valid hours, per direction, added up. Excluded are hours of outages, errors and clock changes, and days that repeat another one of the same series. ' +
      `At the maximum of a counter (9999) actual traffic was at least this; ceiling_hours is the number of such hours. ${ABOUT_HOLIDAYS}`,
  },
  params: {
    id: required(textParam("The publisher's id of the station.", { max: 20, example: 'ES01' })),
    year: integerParam('Year of the profile; by default the newest with counts.', { min: 1990, max: 2200, example: '2023' }),
  },
  returns: { kind: 'one', record: detail },
  read: {
    kind: 'memory',
    from: [trafficCountStations],
    lake: [trafficCountsHourly],
    needs: [],
    answer: async ({ states: [state], cached: slice }, { id, year }) => {
      const found = countStationsOf(state).find((one) => one.id === id)
      if (!found) return null
      const years = await slice(stationYears, id)
      const of = year ?? years.at(-1)?.year ?? null
      const profile = of === null ? [] : await slice(stationProfile, JSON.stringify([id, of]))
      return { ...found, years, profile_year: of, profile: profile.length > 0 ? profile : null }
    },
  },
  example: { id: 'ES01', year: '2023' },
})
