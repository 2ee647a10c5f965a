import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { trafikoa } from '../../../lake/datasets/road/sources.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import type { SituationRecord } from '../../formats/datex2.ts'
import { FORMER_RECORD_TYPES, readFormerSituations } from '../../formats/datex2-v1-situations.ts'
import { type Batch, batch, type Diagnostics, defineFeed, type FeedBody, FormatError } from '../define.ts'
import { watchPresence } from '../presence.ts'
import { incidentOf } from './datex-incident.ts'
import { byLead, countUnknown } from './dgt-measures.ts'

/** Fields of every publication, by the publisher's names. A third of the records have no coordinates. */
const ALWAYS: Readonly<Record<string, (record: SituationRecord) => boolean>> = {
  situationRecordCreationTime: ({ createdAt }) => createdAt !== null,
  overallStartTime: ({ startsAt }) => startsAt !== null,
  roadNumber: ({ location }) => location.road !== null,
  referencePointDistance: ({ location }) => location.from?.km != null,
  administrativeArea: ({ location }) => location.from?.province != null,
  pointCoordinates: ({ location }) => location.from?.lat != null,
}

/** The codes of records, which are those of version 1.0. */
const KNOWN = { prefix: 'trafikoa', types: FORMER_RECORD_TYPES, probabilities: new Set(['certain', 'probable']) }

/** Prefixes of roads of a province: the publisher states no province for some records (`Desconocida`). */
const PROVINCES: readonly (readonly [road: RegExp, province: string])[] = [
  [/^GI-/, 'Gipuzkoa'],
  [/^BI-/, 'Bizkaia'],
]

/**
 * Incidents of the Basque Country (Trafikoa): DATEX II 1.0 from the national access point, everything active. Records without
 * coordinates have a road and a kilometre. No licence is stated, so it is off by default in live mode.
 */
export const trafikoaIncidents = defineFeed({
  id: 'trafikoa_incidents',
  domain: 'road',
  source: trafikoa,
  into: [incidents],
  every_s: 120,
  liveByDefault: false,
  plans: [
    {
      requests: [
        {
          name: 'situations',
          url: 'https://nap.dgt.es/datex2/dt-gv/SituationPublication/all/content.xml',
          accept: 'application/xml, text/xml;q=0.9',
          maxBytes: 16_000_000,
          maxDecodedBytes: 32_000_000,
          timeout_ms: 30_000,
          expects: 'xml',
        },
      ],
    },
  ],
  // 120 to 160 situations, most of them works that last for weeks.
  bands: { incidents: { atLeast: 1, minRatio: 0.5, maxRatio: 1000 } },
  rows,
})

function* rows(bodies: readonly FeedBody[], _clock: unknown, diagnostics: Diagnostics): Generator<Batch> {
  const body = bodies[0]
  if (!body) throw new FormatError('trafikoa_incidents: there is no body')
  const publication = readFormerSituations(body.bytes, {
    header: (publishedAt) => diagnostics.publishedAt(publishedAt),
    warn: (text) => diagnostics.warn(text),
    unreadable(what, reason, id) {
      if (what === 'situation') diagnostics.reject(incidents, reason, id)
      else diagnostics.warn(`record left out: ${reason}`)
    },
  })
  const presence = watchPresence('records', ALWAYS)
  for (const situations of publication) {
    const found: FeedRow<typeof incidents>[] = []
    for (const situation of situations) {
      const records = byLead(situation.records.map(withProvince))
      for (const record of records) {
        presence.see(record)
        countUnknown(record, diagnostics, KNOWN)
      }
      const { id, informationStatus } = situation
      if (informationStatus !== null && informationStatus !== 'real') {
        diagnostics.unknownCode('trafikoa_information_status', informationStatus)
        diagnostics.reject(incidents, 'information status is not real', id)
        continue
      }
      const [{ createdAt, versionAt, startsAt }] = records
      const created_at = createdAt ?? versionAt ?? startsAt
      if (created_at === null) diagnostics.reject(incidents, 'no time of creation', id)
      else found.push(incidentOf(situation, records, { source: trafikoa.id, created_at }, diagnostics))
    }
    if (found.length > 0) yield batch(incidents, found)
  }
  presence.end()
}

/** The record with the province that its road belongs to, if it states none. */
function withProvince(record: SituationRecord): SituationRecord {
  const { location } = record
  const { from, road } = location
  if (!from || from.province !== null || road === null) return record
  const province = PROVINCES.find(([prefix]) => prefix.test(road))?.[1] ?? null
  return { ...record, location: { ...location, from: { ...from, province } } }
}
