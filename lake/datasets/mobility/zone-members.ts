import { col, orNull } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { COUNT } from '../../schema/quantities.ts'
import { MOBILITY_STUDIES, ZONE_LEVELS } from './codes.ts'
import { mitma } from './sources.ts'

/** The municipalities of each study zone: one row per municipality that is wholly or partly in the zone. */
export const mobilityZoneMembers = defineDataset({
  id: 'mobility_zone_members',
  domain: 'mobility',
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
  plan: { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' },
})
