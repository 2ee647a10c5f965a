import { col, orNull } from '../../schema/columns.ts'
import { COUNT } from '../../schema/quantities.ts'
import { mobilityDataset } from '../domains.ts'
import { MOBILITY_STUDIES, ZONE_LEVELS } from './codes.ts'
import { mitma } from './sources.ts'

/**
 * Names of the study zones and their population, as published by the ministry. Their municipalities are in
 * `mobility_zone_members`.
 */
export const mobilityZones = mobilityDataset({
  id: 'mobility_zones',
  title: 'Names and population of zones of mobility',
  about: 'Name and population of each zone of the studies of mobility, by level; every state is kept.',
  sources: [mitma],
  columns: {
    study: col.code(1, 'Study.', MOBILITY_STUDIES, { example: 'V2' }),
    zone_level: col.code(2, 'Level of the zone.', ZONE_LEVELS, { example: 'MUNICIPALITY' }),
    zone_id: col.string(3, 'Zone, as trips and overnight stays name it.', { example: '01047_AM' }),
    observed_at: col.instant(4, 'Fetch that gave this state: the lists have no date.', {
      example: '2024-07-16T00:00:00.000Z',
    }),
    name: col.string(5, 'Name of the zone as published.', { example: 'Erriberabeitia agregacion de municipios' }),
    population: col.integer(6, 'Inhabitants of the zone, as published; null for land that several municipalities share.', {
      ...COUNT,
      nullable: true,
      example: 3771,
    }),
  },
  entity: ['study', 'zone_level', 'zone_id'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'missing',
  order: ['zone_level', 'zone_id', 'observed_at'],
})

/** The municipalities of each study zone: one row per municipality that is wholly or partly in the zone. */
export const mobilityZoneMembers = mobilityDataset({
  id: 'mobility_zone_members',
  title: 'Zones of the studies of mobility',
  about: 'The municipalities that each zone contains, fully or partly; every state of the zoning is kept.',
  sources: [mitma],
  columns: {
    study: col.code(1, 'Study.', MOBILITY_STUDIES, { example: 'V2' }),
    zone_level: col.code(2, 'Level of the zone.', ZONE_LEVELS, { example: 'MUNICIPALITY' }),
    zone_id: col.string(3, 'Zone, as trips and overnight stays name it.', { example: '01047_AM' }),
    member_id: col.string(4, "INE code of the municipality; for land that several share, the study's own id.", { example: '01047' }),
    observed_at: col.instant(5, 'Fetch that gave this state: the list has no date.', {
      example: '2024-07-16T00:00:00.000Z',
    }),
    municipality_code: col.string(6, 'INE code of the municipality; null for land that several share.', orNull('01047')),
    province_code: col.string(7, 'INE code of its province.', orNull('01')),
    sections: col.integer(
      8,
      'Census sections of the municipality in the zone; 0 for land that several share, null if the study states none.',
      { ...COUNT, nullable: true, example: 1 },
    ),
  },
  entity: ['study', 'zone_level', 'zone_id', 'member_id'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'missing',
  order: ['zone_level', 'zone_id', 'member_id', 'observed_at'],
})

/** Centroids of the zones of the study since 2022, as the ministry publishes them, including zones abroad. */
export const mobilityZonePoints = mobilityDataset({
  id: 'mobility_zone_points',
  title: 'Centroids of zones of mobility',
  about:
    'The centroid of each zone of the study of mobility since 2022 (V2), by level, including France and Portugal; every state is kept.',
  sources: [mitma],
  columns: {
    study: col.code(1, 'Study.', MOBILITY_STUDIES, { example: 'V2' }),
    zone_level: col.code(2, 'Level of the zone.', ZONE_LEVELS, { example: 'MUNICIPALITY' }),
    zone_id: col.string(3, 'Zone, as trips and overnight stays name it; zones abroad by NUTS 3 code.', { example: '01047_AM' }),
    observed_at: col.instant(4, 'Fetch that gave this state: the files have no date.', {
      example: '2024-07-16T00:00:00.000Z',
    }),
    position: col.point(
      [5, 6],
      'Centroid of the zone, converted from the published ETRS89 / UTM 30N (EPSG:25830); it may be outside the zone.',
      {
        example: { lat: 42.709, lon: -2.954 },
      },
    ),
  },
  entity: ['study', 'zone_level', 'zone_id'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'missing',
  order: ['zone_level', 'zone_id', 'observed_at'],
})

/** Greatest distance between the border of a simplified outline and that of the area, m. */
export const OUTLINE_TOLERANCE_M = 50

const AREA_EXAMPLE = {
  type: 'MultiPolygon',
  coordinates: [
    [
      [
        [-2.5336, 42.8102],
        [-2.4871, 42.8095],
        [-2.4892, 42.8561],
        [-2.5298, 42.8574],
        [-2.5336, 42.8102],
      ],
    ],
  ],
} as const

/**
 * Areas of the zones of the study since 2022. Editions are whole, in files of their own: polygons are too large for live state.
 */
export const mobilityZoneAreas = mobilityDataset({
  id: 'mobility_zone_areas',
  title: 'Areas of zones of mobility',
  about:
    'The polygons of each zone of the study of mobility since 2022 (V2), by level, as published and simplified. Each edition is complete; earlier editions are kept.',
  sources: [mitma],
  columns: {
    study: col.code(1, 'Study.', MOBILITY_STUDIES, { example: 'V2' }),
    zone_level: col.code(2, 'Level of the zone.', ZONE_LEVELS, { example: 'MUNICIPALITY' }),
    zone_id: col.string(3, 'Zone, as trips and overnight stays name it; zones abroad by NUTS 3 code.', { example: '01001' }),
    edition: col.string(4, 'Day in Madrid on which this content was first fetched: the files have no date.', {
      example: '2024-07-16',
    }),
    observed_at: col.instant(5, 'Fetch of the edition.', { example: '2024-07-16T00:00:00.000Z' }),
    area: col.multipolygon(
      6,
      'The zone with all published points, converted from ETRS89 / UTM 30N (EPSG:25830) to WGS84 [lon, lat] with a precision of 1 cm. As published, it may intersect itself or have overlapping parts.',
      { example: AREA_EXAMPLE },
    ),
    outline: col.multipolygon(
      7,
      `The zone simplified for maps: borders are at most ${OUTLINE_TOLERANCE_M} m off, smaller parts are omitted, and zones keep their shared borders if their points are identical.`,
      { example: AREA_EXAMPLE },
    ),
  },
  entity: ['edition', 'study', 'zone_level', 'zone_id'],
  time: 'observed_at',
  version: 'edition',
  order: ['edition', 'zone_level', 'zone_id'],
})
