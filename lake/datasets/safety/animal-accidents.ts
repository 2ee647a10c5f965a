import { AUTONOMOUS_CITIES, allBut, BASQUE_COUNTRY, CATALONIA } from '../../places/gaps.ts'
import { col, orNull } from '../../schema/columns.ts'
import { COUNT, ROAD_KM } from '../../schema/quantities.ts'
import { safetyDataset } from '../domains.ts'
import { ROAD_DIRECTIONS } from '../road/codes.ts'
import { ACCIDENT_SEVERITIES, ANIMAL_KINDS, ROAD_OWNERS, ROAD_TYPES } from './codes.ts'
import { dgtAccidentFiles } from './sources.ts'

const persons = (id: number, about: string) => col.integer(id, about, { ...COUNT, example: 0 })

/** Accidents with animals, including damage-only ones. Those with victims are also in road_accidents, under other ids. */
export const animalAccidents = safetyDataset({
  id: 'animal_accidents',
  title: 'Accidents with animals',
  about:
    'Accidents with animals on interurban roads, with victims or only damage; without Catalonia, the Basque Country, Ceuta and Melilla.',
  sources: [dgtAccidentFiles],
  lacks: allBut('accidents with animals', BASQUE_COUNTRY, CATALONIA, AUTONOMOUS_CITIES),
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'dgt_accidents' }),
    edition: col.string(2, "Year of the publisher's file.", { example: 'animals-2024' }),
    accident_id: col.string(3, "The source's id.", { example: '202402235890' }),
    occurred_at: col.instant(4, 'Time of the accident, Madrid time; the earlier one in the hour that October repeats.', {
      example: '2024-01-22T00:50:00.000Z',
    }),
    local_date: col.local_date(5, 'Day, local.', { example: '2024-01-22' }),
    hour_local: col.integer(6, 'Local hour, 0 to 23.', { unit: 'h', example: 1, min: 0, max: 23 }),
    province_code: col.string(7, 'INE code of the province.', { example: '02' }),
    municipality_code: col.string(8, 'INE code of the municipality; null if the source does not state it (00000).', orNull(null)),
    road: col.string(9, 'Road designation as published, cut at ten characters.', orNull('CM-332')),
    km: col.decimal(10, 'Kilometre point.', { ...ROAD_KM, nullable: true, example: 43.1 }),
    direction: col.code(11, 'Direction along the road.', ROAD_DIRECTIONS, { example: 'POSITIVE' }),
    road_type: col.code(12, 'Kind of road: motorways and autovías, or others.', ROAD_TYPES, { example: 'OTHER' }),
    road_owner: col.code(13, 'Owner of the road.', ROAD_OWNERS, { example: 'REGION' }),
    animal_code: col.string(14, "Species, as the source's code, whose list is not published; null if unknown (0).", orNull('8')),
    animal_kind: col.code(15, 'Wild or domestic, inferred from the code by counts; null if unknown (0).', ANIMAL_KINDS, orNull('WILD')),
    severity: col.code(16, 'Worst harm to a person, at 30 days.', ACCIDENT_SEVERITIES, { example: 'NONE' }),
    is_casualty: col.boolean(17, 'Whether anyone was killed or hurt.', { example: false }),
    killed_30d: persons(18, 'Persons killed, within 30 days.'),
    hospitalised_30d: persons(19, 'Persons in hospital, as known after 30 days.'),
    slight_30d: persons(20, 'Persons hurt otherwise, as known after 30 days.'),
  },
  entity: ['edition', 'accident_id'],
  time: 'occurred_at',
  version: 'edition',
  isObservation: true,
  order: ['edition', 'province_code', 'occurred_at', 'accident_id'],
})
