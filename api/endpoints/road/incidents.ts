import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { defineEndpoint } from '../../define/endpoint.ts'
import { isInside } from '../../define/geo.ts'
import { geoParams, isAt, isOnRoad, placeParams, roadParams } from '../../define/params-place.ts'
import { ABOUT_PLACE, incident, toIncident } from './incident.ts'
import { incidentParams, isOfKind } from './incident-params.ts'
import { ABOUT_DOUBLES, withoutDoubles } from './same-incident.ts'

/** The specification's list of active incidents. */
export const incidentList = defineEndpoint({
  path: '/api/incidents',
  domain: 'road',
  plan: 'FREE',
  summary: 'Active incidents on Spanish roads',
  about: `Accidents, roadworks, congestion, closures and more, refreshed every minute. Without \`limit\` the reply holds all of them. ${ABOUT_PLACE} ${ABOUT_DOUBLES}`,
  params: { place: placeParams, ...incidentParams, stretch: roadParams, geo: geoParams },
  returns: {
    kind: 'list',
    name: 'incidents',
    record: incident,
    key: ['id'],
    id: 'id',
    sorts: ['id', 'created_at', 'updated_at', 'road', 'km'],
    order: 'id',
    limit: { default: null, max: 20_000 },
  },
  read: {
    kind: 'live',
    from: [incidents],
    records: ([state]) => withoutDoubles(state.rows).map(toIncident),
    pick: (records, p) =>
      records.filter(
        (one) => isAt(p.place, one) && isOfKind(p, one) && isOnRoad(p.stretch, one) && (!p.geo || isInside(p.geo, one.position)),
      ),
  },
  example: { province: 'Granada', type: 'ROADWORKS' },
})
