import { trafikoa } from '../../../lake/datasets/road/sources.ts'
import { formerIncidentsFeed } from './former-incidents.ts'

/** Incidents of the Basque Country (Trafikoa). A third of the records have only a road and a kilometre. */
export const trafikoaIncidents = formerIncidentsFeed({
  id: 'trafikoa_incidents',
  source: trafikoa,
  folder: 'dt-gv',
  provinces: [
    [/^GI-/, 'Gipuzkoa'],
    [/^BI-/, 'Bizkaia'],
  ],
})
