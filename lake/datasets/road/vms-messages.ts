import { allBut, BASQUE_COUNTRY, CATALONIA } from '../../places/gaps.ts'
import { col, orNull } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { PANEL_DISPLAYS } from './codes.ts'
import { dgt } from './sources.ts'

/** Lowest and highest speed limit that a panel can show, km/h. */
export const SPEED_LIMITS_KMH = { min: 5, max: 150 } as const

/** Messages of variable-message panels: one row per state of a panel. */
export const vmsMessages = defineDataset({
  id: 'vms_messages',
  domain: 'road',
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
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
