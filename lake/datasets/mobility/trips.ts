import { col, orNull } from '../../schema/columns.ts'
import { defineDataset, month } from '../../schema/dataset.ts'
import { DISTANCE_BANDS, MOBILITY_STUDIES, ZONE_LEVELS } from './codes.ts'
import { mitma } from './sources.ts'

/**
 * Settings that differ between studies and zone levels. Each has its own table: all contain the same trips, so they are never
 * added up.
 */
interface Level {
  readonly id: string
  readonly study?: keyof typeof MOBILITY_STUDIES.codes
  /** Example day. */
  readonly day?: string
  readonly title: string
  /** The zones, for the description. */
  readonly zones: string
  readonly zone_level: keyof typeof ZONE_LEVELS.codes
  /** Example zones. */
  readonly origin: string
  readonly destination: string
}

/** Trips between zones by hour and distance. Purpose, residence, age, sex and income of the study are summed over. */
const tripsBetween = ({ id, study = 'V2', day = '2022-02-01', title, zones, zone_level, origin, destination }: Level) =>
  defineDataset({
    id,
    domain: 'mobility',
    title,
    about: `Estimated trips by ${zones}, hour of the local clock and distance band.`,
    sources: [mitma],
    columns: {
      study: col.code(1, 'Study.', MOBILITY_STUDIES, { example: study }),
      study_day: col.string(2, 'Study and day of the file; it is republished in full.', { example: `${study}-${day}` }),
      local_date: col.local_date(3, 'Day, Madrid time.', { example: day }),
      day_starts_at: col.instant(4, 'Begin of the day.', { example: '2022-01-31T23:00:00.000Z' }),
      zone_level: col.code(5, 'Level of both zones.', ZONE_LEVELS, { example: zone_level }),
      origin_zone: col.string(6, 'Zone of origin.', { example: origin }),
      destination_zone: col.string(7, 'Zone of destination; includes regions of France and Portugal, and externo.', {
        example: destination,
      }),
      hour: col.integer(8, 'Hour in which the trips begin: 8 is 08:00 to 09:00.', { unit: 'h', example: 8, min: 0, max: 23 }),
      starts_at: col.instant(
        9,
        'Begin of the hour; null if the clock change skips or repeats the hour.',
        orNull('2022-02-01T07:00:00.000Z'),
      ),
      is_clock_change: col.boolean(10, 'True for the hour that the clock change skips in spring or repeats in autumn.', { example: false }),
      distance_band: col.code(11, 'Length of the trips.', DISTANCE_BANDS, { example: '10-50' }),
      trips: col.decimal(12, 'Trips: an estimate for the whole population, not a count.', {
        scale: 3,
        precision: 15,
        unit: '1',
        example: 2.925,
        min: 0,
      }),
      trip_km: col.decimal(13, 'Total length of these trips.', { scale: 3, precision: 15, unit: 'km', example: 137.889, min: 0 }),
    },
    entity: ['study_day', 'zone_level', 'origin_zone', 'destination_zone', 'hour', 'distance_band'],
    time: 'day_starts_at',
    version: 'study_day',
    isObservation: true,
    partition: [month('local_date')],
    order: ['study_day', 'origin_zone', 'destination_zone', 'hour', 'distance_band'],
    plan: { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' },
  })

/** Trips between municipal zones: the input of the roll-up by province. */
export const mobilityTrips = tripsBetween({
  id: 'mobility_trips',
  title: 'Trips between municipal zones',
  zones: 'municipal zone of origin and destination',
  zone_level: 'MUNICIPALITY',
  origin: '01001',
  destination: '01002',
})

/** Trips between districts. */
export const mobilityDistrictTrips = tripsBetween({
  id: 'mobility_district_trips',
  title: 'Trips between districts',
  zones: 'district of origin and destination',
  zone_level: 'DISTRICT',
  origin: '0105901',
  destination: '0105902',
})

/** Trips between large urban areas and the municipal zones outside them. */
export const mobilityGauTrips = tripsBetween({
  id: 'mobility_gau_trips',
  title: 'Trips between large urban areas',
  zones: 'large urban area, or zone outside them, of origin and destination',
  zone_level: 'GAU',
  origin: 'GAU Vitoria-Gasteiz',
  destination: '01002',
})

/** Trips between municipal zones of the 2020 and 2021 study, which has other zones and distance bands. */
export const mobilityV1Trips = tripsBetween({
  id: 'mobility_v1_trips',
  study: 'V1',
  day: '2021-02-01',
  title: 'Trips between municipal zones in 2020 and 2021',
  zones: 'municipal zone of origin and destination of the study of 2020 and 2021',
  zone_level: 'MUNICIPALITY',
  origin: '01001_AM',
  destination: '01002',
})
