import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { defineEndpoint, listReturn } from '../../define/endpoint.ts'
import { ABOUT_PLACE, incident, toIncident } from './incident.ts'
import { incidentFilters } from './incident-filters.ts'
import { ABOUT_DOUBLES, withoutDuplicates } from './same-incident.ts'

/** The specification's list of active incidents. */
export const incidentList = defineEndpoint({
  path: '/api/incidents',
  domain: 'road',
  plan: 'FREE',
  summary: 'Active incidents on Spanish roads',
  about: `Accidents, roadworks, congestion, closures and more, refreshed every minute. Without \`limit\` the reply contains all incidents. ${ABOUT_PLACE} ${ABOUT_DOUBLES} Those of the Basque Country come from Trafikoa; while an operator has not turned it on, \`meta.coverage\` names its provinces.`,
  params: {},
  filters: incidentFilters,
  returns: listReturn('incidents', incident, {
    sorts: ['id', 'created_at', 'updated_at', 'road', 'km'],
    limit: { default: null, max: 20_000 },
  }),
  read: {
    kind: 'memory',
    from: [incidents],
    records: ([state]) => withoutDuplicates(state.rows).map(toIncident),
  },
  example: { province: 'Granada', type: 'ROADWORKS' },
})
