import { allBut, BASQUE_COUNTRY } from '../../places/gaps.ts'
import { col, orNull } from '../../schema/columns.ts'
import { ROAD_KM } from '../../schema/quantities.ts'
import { roadDataset } from '../domains.ts'
import { DELAY_SOURCES, INCIDENT_TYPES, ROAD_DIRECTIONS, SEVERITIES } from './codes.ts'
import { CARRIAGEWAYS, COMPASS_DIRECTIONS, INCIDENT_CAUSES, LANES, MEASURE_KINDS, VEHICLES } from './incident-codes.ts'
import { dgt, mallorca, sct, sctSituations, trafikoa } from './sources.ts'

/** Incidents on Spain's roads: one row per state of an incident. */
export const incidents = roadDataset({
  id: 'incidents',
  title: 'Road incidents',
  about: 'Accidents, works, congestion, closures and other incidents on Spanish roads, with every state.',
  sources: [dgt, sct, trafikoa, sctSituations, mallorca],
  lacksWithout: { feed: 'trafikoa_incidents', gap: allBut('incidents', BASQUE_COUNTRY) },
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'dgt' }),
    source_id: col.string(2, "The source's own id of the situation.", { example: '6129' }),
    incident_id: col.string(3, 'Public id, stable for the life of the incident.', { example: 'inc_7Q2M9KX4B1TZ' }),
    first_seen_at: col.instant(4, 'First publication that contained it.', { example: '2026-01-02T12:23:28.413Z' }),
    observed_at: col.instant(5, 'Publication of this state.', { example: '2026-01-02T12:23:28.413Z' }),
    type: col.code(6, 'Kind of incident.', INCIDENT_TYPES, { example: 'ROADWORKS' }),
    source_type: col.string(7, "The source's cause and detailed cause.", { example: 'roadMaintenance/roadworks' }),
    severity: col.code(8, 'Severity as the source grades it.', SEVERITIES, { example: 'LOW' }),
    road: col.string(9, 'Road designation as published.', orNull('GR-5202')),
    km: col.decimal(10, 'Kilometre point of its start.', { ...ROAD_KM, nullable: true, example: 18 }),
    km_to: col.decimal(11, 'Kilometre point of its end, if it has a length.', { ...ROAD_KM, nullable: true, example: 19 }),
    direction: col.code(12, 'Direction along the road.', ROAD_DIRECTIONS, { example: 'BOTH' }),
    destination: col.string(13, 'Destination of the affected direction, as published.', orNull('VALENCIA')),
    province_code: col.string(14, 'INE code of the province.', orNull('18')),
    municipality_code: col.string(15, 'INE code of the municipality.', orNull('18141')),
    municipality: col.string(16, 'Municipality as published, else the name for its code.', orNull('Murtas')),
    position: col.point([17, 18], 'Position, or start position if it has a length.', orNull({ lat: 36.905384, lon: -3.116189 })),
    to: col.point([19, 20], 'End position, if it has a length.', orNull({ lat: 36.909466, lon: -3.108543 })),
    description: col.string(21, 'One Spanish sentence, composed from the codes if the source has no text.', {
      example: 'Obras en la GR-5202, km 18 a 19, ambos sentidos, Murtas (Granada): carril derecho cortado.',
    }),
    description_en: col.string(22, 'The same sentence in English.', {
      example: 'Roadworks on GR-5202, km 18 to 19, both directions, Murtas (Granada): right lane closed.',
    }),
    delay_minutes: col.integer(
      23,
      'Delay: as reported by the source, else estimated from records with a congestion level and a length (see delay_source); else null.',
      { unit: 'min', nullable: true, example: null, min: 0 },
    ),
    measures: col.json(
      24,
      'Every record of the situation, the leading one first: kind (measure_kind), cause (incident_cause), severity, direction, carriageways, lanes, from and to km and position, vehicles, limits, period.',
      {
        lists: [MEASURE_KINDS, INCIDENT_CAUSES, SEVERITIES, ROAD_DIRECTIONS, COMPASS_DIRECTIONS, CARRIAGEWAYS, LANES, VEHICLES],
        example: [
          {
            record_id: '9454',
            version: 1,
            record_type: 'RoadOrCarriagewayOrLaneManagement',
            kind: 'LANES_CLOSED',
            cause: 'ROADWORKS',
            severity: 'LOW',
            reported_by: 'DGT',
            road: 'GR-5202',
            destination: null,
            direction: 'BOTH',
            compass_direction: null,
            carriageways: [],
            lanes: ['RIGHT'],
            from_km: 18,
            to_km: 19,
            from: { lat: 36.905384, lon: -3.116189 },
            to: { lat: 36.909466, lon: -3.108543 },
            municipality: 'Murtas',
            province: 'Granada',
            place_name: null,
            vehicles: [],
            limits: [],
            compliance: 'MANDATORY',
            created_at: '2021-12-10T13:15:55.000Z',
            starts_at: '2021-09-07T13:00:00.000Z',
            ends_at: null,
          },
        ],
      },
    ),
    created_at: col.instant(
      25,
      'Creation time that the source states for the leading record; null if it states none.',
      orNull('2021-12-10T13:15:55.000Z'),
    ),
    starts_at: col.instant(26, 'Start of validity.', orNull('2021-09-07T13:00:00.000Z')),
    expected_end_at: col.instant(27, 'End of validity that the source states; it may be in the past.', orNull(null)),
    remark: col.string(
      28,
      "A remark in the source's own words and language: hours of work, diversions; the source may have cut it at 50 characters.",
      orNull(null),
    ),
    reported_at: col.instant(29, 'Last report on it, as the source states it; null if it states none.', orNull(null)),
    delay_source: col.code(
      30,
      'Origin of the delay. Estimated: length / congested speed - length / free-flow speed, for the record with the greatest result: free flow is 120 km/h on motorways of the state (A-1 to A-99, AP-, R-) and 90 km/h elsewhere (Reglamento General de Circulación, article 48); ' +
        'in congestion 82.5 % of it (HEAVY_TRAFFIC), 50 % (SLOW_TRAFFIC), 17.5 % (QUEUING_TRAFFIC) or at most 10 % (STATIONARY_TRAFFIC). The first three are the midpoints of the DATEX II (EN 16157-3) definitions.',
      DELAY_SOURCES,
      orNull(null),
    ),
  },
  entity: ['source', 'source_id'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'ends',
  life: { id: 'incident_id', prefix: 'inc', since: 'first_seen_at' },
})
