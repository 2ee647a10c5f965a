import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { MOBILITY_STUDIES, ZONE_LEVELS } from './codes.ts'
import { mitma } from './sources.ts'

/** Centroids of the zones of the study since 2022, as the ministry publishes them, including zones abroad. */
export const mobilityZonePoints = defineDataset({
  id: 'mobility_zone_points',
  domain: 'mobility',
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
  plan: { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' },
})
