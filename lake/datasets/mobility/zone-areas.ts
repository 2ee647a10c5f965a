import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { MOBILITY_STUDIES, ZONE_LEVELS } from './codes.ts'
import { mitma } from './sources.ts'

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
export const mobilityZoneAreas = defineDataset({
  id: 'mobility_zone_areas',
  domain: 'mobility',
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
  plan: { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' },
})
