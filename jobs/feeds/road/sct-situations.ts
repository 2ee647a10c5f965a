import { sctSituations as source } from '../../../lake/datasets/road/sources.ts'
import { formerIncidentsFeed } from './former-incidents.ts'

/** Incidents of Catalonia (SCT) beside the GML that `sct_incidents` reads: with start and end, for those that the GML lacks. */
export const sctSituations = formerIncidentsFeed({
  id: 'sct_situations',
  source,
  folder: 'sct',
  provinces: [
    [/^(?:B|BV|BP)-/, 'Barcelona'],
    [/^(?:GI|GIV|GIP)-/, 'Girona'],
    [/^(?:L|LV|LP)-/, 'Lleida'],
    [/^(?:T|TV|TP)-/, 'Tarragona'],
  ],
})
