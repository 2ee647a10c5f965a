import { allBut, BASQUE_COUNTRY, CATALONIA } from '../../places/gaps.ts'
import { col, orNull } from '../../schema/columns.ts'
import { ROAD_KM } from '../../schema/quantities.ts'
import { roadDataset } from '../domains.ts'
import { PANEL_DISPLAYS, ROAD_DIRECTIONS } from './codes.ts'
import { dgt } from './sources.ts'

/** The catalogue of variable-message panels and their positions. */
export const vmsDevices = roadDataset({
  id: 'vms_devices',
  title: 'Variable-message panels',
  about:
    'Catalogue of variable-message panels on Spanish roads: road, kilometre, direction, position. Catalonia and the Basque Country have their own traffic authorities and are not included.',
  sources: [dgt],
  lacks: allBut('panels', BASQUE_COUNTRY, CATALONIA),
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'dgt' }),
    panel_id: col.string(2, "The publisher's id of the panel.", { example: '61441' }),
    observed_at: col.instant(3, 'Publication of this state.', { example: '2026-09-06T17:05:01.469Z' }),
    road: col.string(4, 'Road designation as published.', orNull('M-607')),
    km: col.decimal(5, 'Kilometre point.', { ...ROAD_KM, nullable: true, example: 18.532 }),
    direction: col.code(6, 'Direction of traffic that it faces, along the road.', ROAD_DIRECTIONS, { example: 'NEGATIVE' }),
    destination: col.string(7, 'Destination of that direction, as published.', orNull('MADRID')),
    province_code: col.string(8, 'INE code of the province.', orNull('28')),
    municipality_code: col.string(9, 'INE code of the municipality that contains the position.', orNull('28079')),
    municipality: col.string(10, 'Official name of that municipality; the publisher states none.', orNull('Madrid')),
    position: col.point([11, 12], 'Where it is.', orNull({ lat: 40.56056, lon: -3.713396 })),
    device_updated_at: col.instant(13, 'When the publisher last changed its record.', orNull('2024-10-28T17:25:32.000Z')),
  },
  entity: ['source', 'panel_id'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'missing',
})

/** Lowest and highest speed limit that a panel can show, km/h. */
export const SPEED_LIMITS_KMH = { min: 5, max: 150 } as const

/** Messages of variable-message panels: one row per state of a panel. */
export const vmsMessages = roadDataset({
  id: 'vms_messages',
  title: 'Messages of variable-message panels',
  about: 'Content of each variable-message panel by page, with every state. A panel missing from a publication has no known state.',
  sources: [dgt],
  lacks: allBut('panels', BASQUE_COUNTRY, CATALONIA),
  columns: {
    source: col.string(1, 'Source of the record.', { example: 'dgt' }),
    panel_id: col.string(2, "The publisher's id of the panel, as in the catalogue of panels.", { example: '61441' }),
    observed_at: col.instant(3, 'Publication of this state.', { example: '2026-09-02T22:51:57.000Z' }),
    display: col.code(4, 'Whether it shows something.', PANEL_DISPLAYS, { example: 'MESSAGE' }),
    text: col.string(
      5,
      'Lines of text, joined by spaces; different texts of several pages are separated by " | ". Null if it shows no text.',
      orNull('VELOCIDAD CONTROLADA POR RADAR'),
    ),
    speed_limit_kmh: col.integer(6, 'Speed limit that a pictogram shows; the lowest if there are several.', {
      unit: 'km/h',
      nullable: true,
      example: 100,
      ...SPEED_LIMITS_KMH,
    }),
    pages: col.json(
      7,
      'Pages in the order in which they rotate: when each was set, lines of text, whether the text flashes, speed limit, and pictograms by area (1 and 3 are next to the text, which is in area 2).',
      {
        example: [
          {
            set_at: '2026-09-02T22:48:10.000Z',
            lines: ['VELOCIDAD', 'CONTROLADA', 'POR RADAR'],
            is_flashing: false,
            speed_limit_kmh: 100,
            pictograms: [
              {
                area: 1,
                code: 'R301100I',
                is_flashing: false,
                image_url: 'https://etraffic.dgt.es/estaticosEtraffic/Iconografia/pictogramas/R301100I.png',
              },
              {
                area: 3,
                code: 'E17',
                is_flashing: false,
                image_url: 'https://etraffic.dgt.es/estaticosEtraffic/Iconografia/pictogramas/E17.png',
              },
            ],
          },
        ],
      },
    ),
    shown_since: col.instant(8, 'When the publisher last set one of its pages; null if it has none.', orNull('2026-09-02T22:48:10.000Z')),
  },
  entity: ['source', 'panel_id'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'missing',
})
