import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { nested, record } from '../../kernel/fields.ts'
import { areaFilter } from '../../kernel/filters/area.ts'
import { ABOUT_CHANGES, CHANGES_PAGE, changedBy, changeFields, changesReturn } from '../changes.ts'
import { changedOf, changedPanel, PANEL_DATASETS, panel, panelFilters, panelId, panelsOf } from './panel.ts'

/** Description of panel displays. */
const ABOUT_DISPLAY =
  'Messages are refreshed every two minutes, the catalogue every hour. A panel is `EMPTY` without a message and `BLANK` with a blank one. It is `UNKNOWN`, with `pages` null, if the newest publication lacks it.'

/** The specification's list of panels. */
export const panelList = defineEndpoint({
  path: '/api/panels',
  domain: 'road',
  plan: 'FREE',
  summary: 'Variable-message panels and their current display',
  summary_es: 'Paneles de mensaje variable y lo que muestran ahora',
  about: `The panels of the access roads to Madrid and of the other roads of the state; for those of Madrid ask for \`province=Madrid\` or a \`road\`. ${ABOUT_DISPLAY}`,
  params: {},
  filters: [...panelFilters, areaFilter],
  returns: listReturn('panels', panel, { sorts: ['id', 'road', 'km', 'shown_since', 'updated_at'] }),
  read: { kind: 'memory', from: PANEL_DATASETS, records: panelsOf },
  example: { road: 'M-607', has_message: 'true' },
})

/** One panel. */
export const panelById = defineEndpoint({
  path: '/api/panels/{id}',
  domain: 'road',
  plan: 'FREE',
  summary: 'One variable-message panel: text, pictograms and since when',
  summary_es: 'Un panel de mensaje variable: texto, pictogramas y desde cuándo',
  about: ABOUT_DISPLAY,
  params: { id: panelId },
  returns: { kind: 'one', record: panel },
  read: {
    kind: 'memory',
    from: PANEL_DATASETS,
    answer: ({ states }, { id }) => panelsOf(states).find((one) => one.id === id) ?? null,
  },
  example: { id: '61441' },
})

/** One change of a panel's message. */
const panelChange = record('PanelChange', 'A change of the message of a panel.', {
  id: panel.fields.id,
  ...changeFields(PANEL_DATASETS[0].columns.observed_at),
  panel: nested.object('The panel after the change.', panel.fields),
})

/** The change feed of panels. */
export const panelChanges = defineEndpoint({
  path: '/api/panels/changes',
  isExtra: true,
  domain: 'road',
  plan: 'FREE',
  summary: 'Panels whose message appeared, changed or is no longer known since a cursor',
  summary_es: 'Paneles cuyo mensaje apareció, cambió o se desconoce desde un cursor',
  about: `A panel that publications no longer include is UPDATED, with the display UNKNOWN; panels do not end. ${ABOUT_CHANGES}`,
  explained: CHANGES_PAGE,
  params: {},
  filters: panelFilters,
  returns: changesReturn(panelChange, ['id', 'at']),
  read: {
    kind: 'changes',
    from: PANEL_DATASETS,
    thing: ({ row }, [, devices]) => changedPanel(row, devices),
    entry: (one, change) => ({ id: one.id, kind: change.kind, at: change.at, changed: changedBy(change, changedOf), panel: one }),
  },
  example: { limit: '10' },
})
