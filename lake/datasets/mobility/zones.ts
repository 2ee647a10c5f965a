import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { COUNT } from '../../schema/quantities.ts'
import { MOBILITY_STUDIES, ZONE_LEVELS } from './codes.ts'
import { mitma } from './sources.ts'

/**
 * Names of the study zones and their population, as published by the ministry. Their municipalities are in
 * `mobility_zone_members`.
 */
export const mobilityZones = defineDataset({
  id: 'mobility_zones',
  domain: 'mobility',
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
  plan: { live: 'PRO', history: 'PRO', bulk: 'ENTERPRISE' },
})
