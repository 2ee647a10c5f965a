import { defineEndpoint } from '../../kernel/endpoint.ts'
import { nested, record } from '../../kernel/fields.ts'
import { ABOUT_CHANGES, changedBy, changeFields, changesReturn } from '../changes.ts'
import { changedOf, changedPanel, PANEL_DATASETS, panel, panelFilters } from './panel.ts'

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
