import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { defineEndpoint, listReturn } from '../../kernel/endpoint.ts'
import { ABOUT_PLACE, incident } from './incident.ts'
import { incidentFilters } from './incident-filters.ts'
import { placedIncidents } from './incident-place.ts'
import { ROAD_TABLES, roadPosts } from './posts.ts'
import { ABOUT_DOUBLES } from './same-incident.ts'

/** The specification's list of active incidents. */
export const incidentList = defineEndpoint({
  path: '/api/incidents',
  domain: 'road',
  plan: 'FREE',
  summary: 'Active incidents on Spanish roads',
  summary_es: 'Incidencias activas en las carreteras españolas',
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
    lake: ROAD_TABLES,
    needs: [],
    answer: async ({ states: [state], optional }) => placedIncidents(state, await optional(roadPosts, '')),
  },
  example: { province: 'Granada', type: 'ROADWORKS' },
})
