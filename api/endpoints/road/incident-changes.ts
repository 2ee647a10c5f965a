import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { defineEndpoint } from '../../kernel/endpoint.ts'
import { nested, record } from '../../kernel/fields.ts'
import { ABOUT_CHANGES, changedBy, changeFields, changesReturn } from '../changes.ts'
import { changedIncident, changedOf, incidentDetail, localise } from './incident.ts'
import { changedIncidentFilters } from './incident-filters.ts'

/** One change of an incident. */
const incidentChange = record(
  'IncidentChange',
  'A change of an incident.',
  {
    id: incidents.columns.incident_id,
    ...changeFields(incidents.columns.observed_at),
    incident: nested.object('The incident after the change; for an ended one, its last state.', incidentDetail.fields),
  },
  { localise: (change, lang) => ({ ...change, incident: localise(change.incident, lang) }) },
)

/** The change feed of incidents. */
export const incidentChanges = defineEndpoint({
  path: '/api/incidents/changes',
  domain: 'road',
  plan: 'FREE',
  summary: 'Incidents that began, changed or ended since a cursor',
  summary_es: 'Incidencias que empezaron, cambiaron o terminaron desde un cursor',
  about: ABOUT_CHANGES,
  params: {},
  filters: changedIncidentFilters,
  returns: changesReturn(incidentChange, ['id', 'at']),
  read: {
    kind: 'changes',
    from: [incidents],
    thing: changedIncident,
    entry: (incident, change) => ({ id: incident.id, kind: change.kind, at: change.at, changed: changedBy(change, changedOf), incident }),
  },
  example: { limit: '10' },
})
