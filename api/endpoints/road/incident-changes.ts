import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { defineEndpoint } from '../../define/endpoint.ts'
import { nested, record } from '../../define/fields.ts'
import { isAt, isOnRoad, placeParams, roadParams } from '../../define/params-place.ts'
import { ABOUT_CHANGES, changedBy, changeFields } from '../changes.ts'
import { changedIncident, changedOf, incidentDetail, localise } from './incident.ts'
import { incidentParams, isOfKind } from './incident-params.ts'

/** One change of an incident. */
const incidentChange = record(
  'IncidentChange',
  'What happened to an incident.',
  {
    id: incidents.columns.incident_id,
    ...changeFields(incidents.columns.observed_at),
    incident: nested.object('The incident after the change; of one that ended, as it was last.', incidentDetail.fields),
  },
  { localise: (change, lang) => ({ ...change, incident: localise(change.incident, lang) }) },
)

/** The feed of changes of incidents. */
export const incidentChanges = defineEndpoint({
  path: '/api/incidents/changes',
  domain: 'road',
  plan: 'FREE',
  summary: 'Incidents that began, changed or ended since a cursor',
  about: ABOUT_CHANGES,
  params: { place: placeParams, ...incidentParams, stretch: roadParams },
  returns: {
    kind: 'list',
    name: 'changes',
    record: incidentChange,
    key: ['id', 'at'],
    sorts: [],
    order: 'at',
    limit: { default: 100, max: 1000 },
  },
  read: {
    kind: 'changes',
    from: [incidents],
    entry: (change, _states, p) => {
      const incident = changedIncident(change)
      if (!isAt(p.place, incident) || !isOfKind(p, incident) || !isOnRoad(p.stretch, incident)) return null
      return { id: incident.id, kind: change.kind, at: change.at, changed: changedBy(change, changedOf), incident }
    },
  },
  example: { limit: '10' },
})
