import { col } from '../../schema/columns.ts'
import { defineDataset, identity } from '../../schema/dataset.ts'
import { MOBILITY_STUDIES, ZONE_LEVELS } from './codes.ts'
import { mitma } from './sources.ts'

/** How far a border of an outline may be from that of the area, m. */
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

/** What the zones of the study since 2022 cover. Whole editions, in files of their own: polygons are too large to be live state. */
export const mobilityZoneAreas = defineDataset({
  id: 'mobility_zone_areas',
  domain: 'mobility',
  title: 'Areas of zones of mobility',
  about:
    'The polygons of each zone of the study of mobility since 2022 (V2), level by level, as the ministry publishes them and with fewer points. Each edition is whole: those before it stay.',
  sources: [mitma],
  columns: {
    study: col.code(1, 'Study.', MOBILITY_STUDIES, { example: 'V2' }),
    zone_level: col.code(2, 'Level of the zone.', ZONE_LEVELS, { example: 'MUNICIPALITY' }),
    zone_id: col.string(3, 'Zone, as trips and overnight stays name it; one abroad by its code of NUTS 3.', { example: '01001' }),
    edition: col.string(
      4,
      'Day in Madrid on which the files were fetched with this content for the first time: they do not say when they were made.',
      {
        example: '2024-07-16',
      },
    ),
    observed_at: col.instant(5, 'Fetch of the edition.', { example: '2024-07-16T00:00:00.000Z' }),
    area: col.multipolygon(
      6,
      'The zone with all points that it is published with, there in ETRS89 / UTM 30N (EPSG:25830), here [lon, lat] in WGS84 to a centimetre; as published it may cross itself, or have parts that overlap.',
      { example: AREA_EXAMPLE },
    ),
    outline: col.multipolygon(
      7,
      `The same with fewer points, for maps: no border is more than ${OUTLINE_TOLERANCE_M} m off, zones share a border where both have the same points of it, and parts too small for that are left out.`,
      { example: AREA_EXAMPLE },
    ),
  },
  entity: ['edition', 'study', 'zone_level', 'zone_id'],
  time: 'observed_at',
  version: 'edition',
  land: 'replace',
  partition: [identity('edition')],
  order: ['edition', 'zone_level', 'zone_id'],
  plan: { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' },
})
