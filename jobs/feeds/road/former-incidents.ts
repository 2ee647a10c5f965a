import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { sctSituations as source, trafikoa } from '../../../lake/datasets/road/sources.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import type { Source } from '../../../lake/schema/sources.ts'
import type { SituationRecord } from '../../formats/datex2.ts'
import { FORMER_RECORD_TYPES, readFormerSituations } from '../../formats/datex2-v1-situations.ts'
import { type Batch, batch, bodyOf, type Diagnostics, defineFeed, type Feed, type FeedBody } from '../define.ts'
import { watchPresence } from '../presence.ts'
import { byLead, countUnknown, incidentOf } from './datex-incident.ts'

/** Fields of every publication, by the publisher's names. A part of the records have no coordinates. */
const ALWAYS: Readonly<Record<string, (record: SituationRecord) => boolean>> = {
  situationRecordCreationTime: ({ createdAt }) => createdAt !== null,
  overallStartTime: ({ startsAt }) => startsAt !== null,
  'roadNumber or linkName': ({ location }) => location.road !== null,
  referencePointDistance: ({ location }) => location.from?.km != null,
  administrativeArea: ({ location }) => location.from?.province != null,
  pointCoordinates: ({ location }) => location.from?.lat != null,
}
const PROBABILITIES: ReadonlySet<string> = new Set(['certain', 'probable'])

/** A publisher of situations in DATEX II 1.0 on the national access point. */
interface FormerPublisher {
  readonly id: string
  readonly source: Source
  /** Its folder there. */
  readonly folder: string
  /** Prefixes of roads of one province: the publisher states no province for some records (`Desconocida`). */
  readonly provinces: readonly (readonly [road: RegExp, province: string])[]
}

/**
 * Declares a feed of incidents in DATEX II 1.0 from the national access point, everything active. Records without coordinates
 * have a road and a kilometre. No licence is stated there, so it is off by default in live mode.
 */
export function formerIncidentsFeed(publisher: FormerPublisher): Feed {
  const { id, source, folder } = publisher
  return defineFeed({
    id,
    source,
    into: [incidents],
    every_s: 120,
    liveByDefault: false,
    get: {
      name: 'situations',
      url: `https://nap.dgt.es/datex2/${folder}/SituationPublication/all/content.xml`,
      maxBytes: 16_000_000,
      maxDecodedBytes: 32_000_000,
      timeout_ms: 30_000,
      expects: 'xml',
    },
    // 120 to 210 situations, most of them works that last for weeks.
    bands: { incidents: { atLeast: 1, minRatio: 0.55, maxRatio: 1000 } },
    rows: (bodies, _clock, diagnostics) => rowsOf(publisher, bodies, diagnostics),
  })
}

function* rowsOf(
  { id: feed, source, provinces }: FormerPublisher,
  bodies: readonly FeedBody[],
  diagnostics: Diagnostics,
): Generator<Batch> {
  const body = bodyOf(bodies)
  const known = { prefix: source.id, types: FORMER_RECORD_TYPES, probabilities: PROBABILITIES }
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
      const records = byLead(situation.records.map((record) => withProvince(record, provinces)))
      for (const record of records) {
        presence.see(record)
        countUnknown(record, diagnostics, known)
      }
      const { id, informationStatus } = situation
      if (informationStatus !== null && informationStatus !== 'real') {
        diagnostics.unknownCode(`${source.id}_information_status`, informationStatus)
        diagnostics.reject(incidents, 'information status is not real', id)
        continue
      }
      const [{ createdAt, versionAt, startsAt }] = records
      const created_at = createdAt ?? versionAt ?? startsAt
      if (created_at === null) diagnostics.reject(incidents, 'no time of creation', id)
      else found.push(incidentOf(situation, records, { source: source.id, created_at }, diagnostics))
    }
    if (found.length > 0) yield batch(incidents, found)
  }
  presence.end()
}

/** The record with the province that its road belongs to, if it states none. */
function withProvince(record: SituationRecord, provinces: FormerPublisher['provinces']): SituationRecord {
  const { location } = record
  const { from, road } = location
  if (!from || from.province !== null || road === null) return record
  const province = provinces.find(([prefix]) => prefix.test(road))?.[1] ?? null
  return { ...record, location: { ...location, from: { ...from, province } } }
}

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
