import { col } from '../../schema/columns.ts'
import { defineDataset, identity } from '../../schema/dataset.ts'
import { ROAD_DIRECTIONS } from '../road/codes.ts'
import { madrid } from '../road/sources.ts'
import {
  ABSENCE_REASONS,
  ACCIDENT_SEVERITIES,
  ACCIDENT_TYPES,
  ACCIDENT_WEATHER,
  ACCIDENT_ZONES,
  ALIGNMENTS,
  FOGS,
  ISLANDS,
  JUNCTION_TYPES,
  LIGHTS,
  LOCATION_METHODS,
  PEDESTRIAN_CAUSES,
  PRIORITY_RULES,
  ROAD_OWNERS,
  ROAD_TYPES,
  ROAD_USERS,
  SIDEWALKS,
  SIGHT_LIMITS,
  SURFACES,
  TIME_PRECISIONS,
  TRAFFIC_LEVELS,
} from './codes.ts'
import { barcelona, dgtAccidentFiles, sctAccidentList } from './sources.ts'

const persons = (id: number, about: string, example: number | null) =>
  col.integer(id, about, { unit: '1', nullable: true, example, min: 0 })

const sourceText = (id: number, column: string) =>
  col.string(id, `Source value that has no code in ${column}; else null.`, { nullable: true, example: null })

/**
 * Road accidents, one row each. An edition is a publisher's file, usually a year; a corrected edition replaces its rows. Sources
 * overlap: accidents of Madrid, Barcelona and Catalonia are also in the national table, under other ids.
 */
export const roadAccidents = defineDataset({
  id: 'road_accidents',
  domain: 'safety',
  title: 'Road accidents',
  about: 'Accidents on roads and streets, one row each, with counts of persons. Sources overlap: never add up rows of different sources.',
  sources: [dgtAccidentFiles, madrid, barcelona, sctAccidentList],
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'dgt_accidents' }),
    edition: col.string(2, "Source and year of the publisher's file.", { example: 'dgt-2024' }),
    accident_id: col.string(3, "The source's id, unique in the edition; if it has none, derived from the record.", {
      example: '202400001234',
    }),
    period_start: col.instant(4, 'Begin of the span in which it happened, with the published precision.', {
      example: '2024-02-29T23:00:00.000Z',
    }),
    period_end: col.instant(5, 'End of that span, not included.', { example: '2024-03-31T22:00:00.000Z' }),
    occurred_at: col.instant(
      6,
      'Time of the accident, to the hour or minute; null if only a day or month is published, or during a clock change.',
      {
        nullable: true,
        example: null,
      },
    ),
    time_precision: col.code(7, 'Precision of the published time.', TIME_PRECISIONS, { example: 'MONTH' }),
    year: col.integer(8, 'Year, local.', { unit: '1', example: 2024, min: 1990, max: 2200 }),
    month: col.integer(9, 'Month, 1 to 12, local.', { unit: '1', example: 3, min: 1, max: 12 }),
    weekday_iso: col.integer(10, 'Day of the week, 1 Monday to 7 Sunday.', { unit: '1', nullable: true, example: 5, min: 1, max: 7 }),
    hour_local: col.integer(11, 'Local hour, 0 to 23.', { unit: 'h', nullable: true, example: 14, min: 0, max: 23 }),
    province_code: col.string(12, 'INE code of the province.', { nullable: true, example: '18' }),
    municipality_code: col.string(13, 'INE code of the municipality; null for small ones that the source withholds.', {
      nullable: true,
      example: '18087',
    }),
    island: col.code(14, 'Island.', ISLANDS, { nullable: true, example: null }),
    zone: col.code(15, 'Kind of place.', ACCIDENT_ZONES, { nullable: true, example: 'ROAD' }),
    is_urban: col.boolean(16, 'Whether it was on an urban road; a road through a town counts as one.', { nullable: true, example: false }),
    road: col.string(17, 'Road designation as published.', { nullable: true, example: 'A-44' }),
    km: col.decimal(18, 'Kilometre point.', { scale: 3, unit: 'km', nullable: true, example: 118.4, min: 0, max: 2000 }),
    direction: col.code(19, 'Direction along the road.', ROAD_DIRECTIONS, { nullable: true, example: 'POSITIVE' }),
    crossing_road: col.string(20, 'Designation of the crossing road.', { nullable: true, example: null }),
    street: col.string(21, 'Street or streets, as published by cities.', { nullable: true, example: null }),
    district: col.string(22, 'District of the city, as published.', { nullable: true, example: null }),
    position: col.point([23, 24], 'Where it was.', { nullable: true, example: null }),
    location_method: col.code(25, 'Origin of the position; null if there is none.', LOCATION_METHODS, {
      nullable: true,
      example: null,
    }),
    location_error_m: col.decimal(26, 'Expected position error.', {
      scale: 1,
      unit: 'm',
      nullable: true,
      example: null,
      min: 0,
    }),
    road_owner: col.code(27, 'Owner of the road.', ROAD_OWNERS, { nullable: true, example: 'STATE' }),
    road_type: col.code(28, 'Kind of road.', ROAD_TYPES, { nullable: true, example: 'AUTOVIA' }),
    accident_type: col.code(29, 'Kind of accident.', ACCIDENT_TYPES, { nullable: true, example: 'REAR_END' }),
    is_junction: col.boolean(30, 'Whether it was at a junction.', { nullable: true, example: false }),
    junction_type: col.code(31, 'Kind of junction.', JUNCTION_TYPES, { nullable: true, example: null }),
    alignment: col.code(32, 'Horizontal alignment of the road.', ALIGNMENTS, { nullable: true, example: 'STRAIGHT' }),
    surface: col.code(33, 'State of the surface.', SURFACES, { nullable: true, example: 'DRY' }),
    light: col.code(34, 'Light.', LIGHTS, { nullable: true, example: 'DAYLIGHT' }),
    weather: col.code(35, 'Weather.', ACCIDENT_WEATHER, { nullable: true, example: 'CLEAR' }),
    fog: col.code(36, 'Fog; null if the source notes none.', FOGS, { nullable: true, example: null }),
    is_windy: col.boolean(37, 'Whether a strong wind was noted; null if the source has no wind column.', {
      nullable: true,
      example: false,
    }),
    sight_limit: col.code(38, 'Cause of restricted visibility.', SIGHT_LIMITS, { nullable: true, example: 'NONE' }),
    sidewalk: col.code(39, 'Pavement for pedestrians.', SIDEWALKS, { nullable: true, example: null }),
    traffic_level: col.code(40, 'Level of traffic.', TRAFFIC_LEVELS, { nullable: true, example: 'GREEN' }),
    priority_rules: col.list([41, 42], 'Priority rules there; empty if none is stated.', col.code(0, 'Rule.', PRIORITY_RULES), {
      example: ['RULE'],
    }),
    severity: col.code(
      43,
      'Worst harm to a person: by the counts at 30 days, or at 24 hours if there are no others.',
      ACCIDENT_SEVERITIES,
      {
        example: 'SLIGHT',
      },
    ),
    is_casualty: col.boolean(44, 'Whether anyone was killed or hurt.', { example: true }),
    killed_24h: persons(45, 'Persons killed, within 24 hours.', 0),
    hospitalised_24h: persons(46, 'Persons in hospital for more than a day, as known after 24 hours.', 0),
    slight_24h: persons(47, 'Persons hurt otherwise, as known after 24 hours.', 1),
    killed_30d: persons(48, 'Persons killed, within 30 days.', 0),
    hospitalised_30d: persons(49, 'Persons in hospital, as known after 30 days.', 0),
    slight_30d: persons(50, 'Persons hurt otherwise, as known after 30 days.', 1),
    persons: persons(51, 'Persons involved, hurt or not.', null),
    vehicles: persons(52, 'Vehicles involved.', 2),
    killed_by_user_24h: col.json(53, 'Persons killed within 24 hours by means of transport (road_user), without zeros.', {
      nullable: true,
      lists: [ROAD_USERS],
      example: null,
    }),
    killed_by_user_30d: col.json(54, 'The same within 30 days; only these include scooter riders.', {
      nullable: true,
      lists: [ROAD_USERS],
      example: null,
    }),
    absent: col.json(55, 'Why values are null (absence_reason), by column; null if the source omitted nothing.', {
      nullable: true,
      lists: [ABSENCE_REASONS],
      example: { sidewalk: 'NOT_APPLICABLE' },
    }),
    pedestrian_cause: col.code(56, 'Pedestrian behaviour that led to it.', PEDESTRIAN_CAUSES, { nullable: true, example: null }),
    island_source: sourceText(57, 'island'),
    zone_source: sourceText(58, 'zone'),
    direction_source: sourceText(59, 'direction'),
    road_owner_source: sourceText(60, 'road_owner'),
    road_type_source: sourceText(61, 'road_type'),
    accident_type_source: sourceText(62, 'accident_type'),
    junction_type_source: sourceText(63, 'junction_type'),
    alignment_source: sourceText(64, 'alignment'),
    surface_source: sourceText(65, 'surface'),
    light_source: sourceText(66, 'light'),
    weather_source: sourceText(67, 'weather'),
    fog_source: sourceText(68, 'fog'),
    sight_limit_source: sourceText(69, 'sight_limit'),
    sidewalk_source: sourceText(70, 'sidewalk'),
    traffic_level_source: sourceText(71, 'traffic_level'),
    pedestrian_cause_source: sourceText(72, 'pedestrian_cause'),
  },
  entity: ['edition', 'accident_id'],
  time: 'period_start',
  version: 'edition',
  writeMode: 'replace',
  isObservation: true,
  partition: [identity('edition')],
  order: ['edition', 'province_code', 'period_start', 'accident_id'],
  plan: { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' },
})
