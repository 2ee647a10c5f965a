import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { dgt } from '../../../lake/datasets/road/sources.ts'
import { v16Beacons } from '../../../lake/datasets/road/v16-beacons.ts'
import { municipalityByCode } from '../../../lake/places/municipalities.ts'
import { provinceByCode } from '../../../lake/places/provinces.ts'
import { type ResolvedPlace, resolvePlace } from '../../../lake/places/resolve.ts'
import type { Point } from '../../../lake/schema/columns.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { readSituations, type Situation, type SituationRecord } from '../../formats/datex2.ts'
import { type Batch, batch, type Diagnostics, defineFeed, type FeedBody, FormatError } from '../define.ts'
import { watchPresence } from '../presence.ts'
import { EFFECTS } from './dgt-codes.ts'
import {
  byLead,
  causeText,
  compassOf,
  countUnknown,
  directionOf,
  kindOf,
  meaningOf,
  measureOf,
  severityOf,
  statedPosition,
} from './dgt-measures.ts'
import { delayOf } from './incident-measure.ts'
import { describe } from './incident-sentence.ts'

const FOLDER = 'https://nap.dgt.es/datex2/v3/dgt/SituationPublication/'
/** The address of profile 3.6 redirects to that of 3.7 (301, seen 2026-09); it stays as the fallback. */
const FILES = ['datex2_v37.xml', 'datex2_v36.xml']
/** Profiles that this reader supports. */
const PROFILES = /^3\.[67](?:_|$)/
const CLOSURES: ReadonlySet<string> = new Set(EFFECTS.slice(0, 2).flat())
const CONGESTION: ReadonlySet<string> = new Set(['SLOW_TRAFFIC', 'HEAVY_TRAFFIC', 'QUEUING_TRAFFIC', 'STATIONARY_TRAFFIC'])

/**
 * Fields of all 670 records of January 2026. Without `sourceIdentification` beacons are not recognized, without `causeType`
 * there is no type.
 */
const ALWAYS: Readonly<Record<string, (record: SituationRecord) => boolean>> = {
  situationRecordCreationTime: (record) => record.createdAt !== null,
  overallStartTime: (record) => record.startsAt !== null,
  validityStatus: (record) => record.validity !== null,
  sourceIdentification: (record) => record.source !== null,
  causeType: (record) => record.cause.type !== null,
  detailedCauseType: (record) => record.cause.detail !== null,
  roadName: (record) => record.location.road !== null,
  tpegDirection: (record) => record.location.compass !== null,
  tpegDirectionRoad: (record) => record.location.direction !== null,
  latitude: ({ location }) => location.from !== null && location.from.lat !== null,
  longitude: ({ location }) => location.from !== null && location.from.lon !== null,
  kilometerPoint: ({ location }) => location.from !== null && location.from.km !== null,
  municipality: ({ location }) => location.from !== null && location.from.municipality !== null,
  province: ({ location }) => location.from !== null && location.from.province !== null,
}

/**
 * DGT's incidents and V16 beacons: DATEX II v3, everything active, every minute. A situation is one incident, led by one of
 * its records (`byLead`), with all records as measures. Kilometre 0 is kept: nearly all of the 48 zeros of January 2026 are
 * where a road begins.
 */
export const dgtIncidentsFeed = defineFeed({
  id: 'dgt_incidents',
  domain: 'road',
  source: dgt,
  into: [incidents, v16Beacons],
  every_s: 60,
  plans: FILES.map((file) => ({
    requests: [
      {
        name: 'situations',
        url: `${FOLDER}${file}`,
        accept: 'application/xml, text/xml;q=0.9',
        maxBytes: 32_000_000,
        maxDecodedBytes: 64_000_000,
        timeout_ms: 30_000,
        expects: 'xml',
      },
    ],
  })),
  // Works last for months, so consecutive publications are similar. In the stand-in's world (weeks, ten seeds) at least 91 %
  // of the incidents stay for half an hour, 71 % for three hours, 61 % overnight; a publication that lost its newest half
  // has 54 to 87 %. So early publications must be nearly complete. Growth is unlimited: ids are unique, and after an outage
  // at night the next day's beacons would be rejected forever.
  bands: {
    incidents: {
      atLeast: 1,
      minRatio: 0.55,
      maxRatio: 1000,
      soon: [
        { within_s: 1800, minRatio: 0.88 },
        { within_s: 10_800, minRatio: 0.7 },
      ],
    },
    v16_beacons: { atLeast: 0, minRatio: 0, maxRatio: 1000 },
  },
  // If all beacons disappear at once, DGT3.0 is out of order: they stay, marked stale.
  groups: { v16_beacons: { column: 'source' } },
  rows,
})

type Incident = FeedRow<typeof incidents>
type Beacon = FeedRow<typeof v16Beacons>

function* rows(bodies: readonly FeedBody[], _clock: unknown, diagnostics: Diagnostics): Generator<Batch> {
  const body = bodies[0]
  if (!body) throw new FormatError('dgt_incidents: there is no body')
  const publication = readSituations(body.bytes, {
    header(publishedAt, profileVersion) {
      diagnostics.publishedAt(publishedAt)
      if (!PROFILES.test(profileVersion ?? '')) diagnostics.warn('profile version is neither 3.6 nor 3.7')
    },
    warn: (text) => diagnostics.warn(text),
    unreadable(what, reason, id) {
      if (what === 'situation') diagnostics.reject(incidents, reason, id)
      else diagnostics.warn(`record left out: ${reason}`)
    },
  })
  const presence = watchPresence('records', ALWAYS)
  let isGraded = false
  for (const situations of publication) {
    const found: Incident[] = []
    const beacons: Beacon[] = []
    for (const situation of situations) {
      const records = byLead(situation.records)
      for (const record of records) {
        presence.see(record)
        countUnknown(record, diagnostics)
      }
      isGraded ||= situation.overallSeverity !== null
      const { id, informationStatus } = situation
      const isBeacon = records.every(isV16)
      const dataset = isBeacon ? v16Beacons : incidents
      if (informationStatus !== null && informationStatus !== 'real') {
        diagnostics.unknownCode('dgt_information_status', informationStatus)
        diagnostics.reject(dataset, 'information status is not real', id)
        continue
      }
      const createdAt = records[0].createdAt ?? records[0].versionAt ?? records[0].startsAt
      if (createdAt === null) diagnostics.reject(dataset, 'no time of creation', id)
      else if (isBeacon) beacons.push(beaconOf(id, records[0], createdAt, diagnostics))
      else found.push(incidentOf(situation, records, createdAt, diagnostics))
    }
    if (found.length > 0) yield batch(incidents, found)
    if (beacons.length > 0) yield batch(v16Beacons, beacons)
  }
  presence.end()
  // A third of the situations of January 2026 have one.
  if (!isGraded) diagnostics.warn('no situation states a severity')
}

/**
 * True for a connected V16 beacon, exactly as in all 193 records of DGT3.0: no element marks it, and a stopped vehicle alone
 * is not one.
 */
function isV16({ type, source, cause, kind, location }: SituationRecord): boolean {
  return (
    type === 'GenericSituationRecord' &&
    source === 'DGT3.0' &&
    cause.type === 'vehicleObstruction' &&
    cause.detail === 'vehicleStuck' &&
    location.type === 'PointLocation' &&
    kind?.element === 'genericSituationRecordName' &&
    kind.code === 'incident'
  )
}

function beaconOf(id: string, record: SituationRecord, createdAt: number, diagnostics: Diagnostics): Beacon {
  const { location } = record
  const place = placeOf(record, statedPosition(location.from), diagnostics)
  return {
    source: 'dgt',
    source_id: id,
    activated_at: record.startsAt ?? createdAt,
    road: location.road,
    km: location.from?.km ?? null,
    direction: directionOf(record),
    province_code: place.province_code,
    municipality_code: place.municipality_code,
    municipality: location.from?.municipality ?? municipalityName(place),
    position: place.position,
    compass_direction: compassOf(record),
  }
}

function incidentOf(
  situation: Situation,
  records: readonly [SituationRecord, ...SituationRecord[]],
  createdAt: number,
  diagnostics: Diagnostics,
): Incident {
  const [lead] = records
  const { location } = lead
  const measures = records.map((record) => measureOf(record, diagnostics))
  // The measures' positions have been checked and counted: not twice.
  const { from = null, to = null } = measures[0] ?? {}
  const place = placeOf(lead, from, diagnostics)
  const type = typeOf(lead)
  const facts = {
    type,
    cause: meaningOf(lead)?.[0] ?? null,
    road: location.road,
    km: location.from?.km ?? null,
    km_to: location.to?.km ?? null,
    direction: directionOf(lead),
    destination: location.destination,
    place_name: location.placeName,
    municipality: location.from?.municipality ?? null,
    province: place.province_code === null ? null : (provinceByCode(place.province_code)?.spanish ?? null),
    measures,
  }
  const description = describe(facts)
  return {
    source: 'dgt',
    source_id: situation.id,
    type,
    source_type: causeText(lead.cause) ?? lead.type,
    severity: severityOf(situation, lead),
    road: facts.road,
    km: facts.km,
    km_to: facts.km_to,
    direction: facts.direction,
    destination: facts.destination,
    province_code: place.province_code,
    municipality_code: place.municipality_code,
    municipality: facts.municipality ?? municipalityName(place),
    position: place.position,
    to,
    description: description.es,
    description_en: description.en,
    ...delayOf(statedDelay(records), measures),
    measures,
    created_at: createdAt,
    starts_at: lead.startsAt,
    expected_end_at: lead.endsAt,
    remark: null,
    reported_at: null,
  }
}

/** The municipality of the position, for records that name none. */
function municipalityName({ municipality_code }: ResolvedPlace): string | null {
  return municipality_code === null ? null : (municipalityByCode(municipality_code)?.name ?? null)
}

/** The largest delay stated by a record, s; null if none does, as in all 670 of January 2026. */
function statedDelay(records: readonly SituationRecord[]): number | null {
  const stated = records.flatMap(({ delay_s }) => (delay_s !== null && delay_s >= 0 ? [delay_s] : []))
  return stated.length === 0 ? null : Math.max(...stated)
}

/** The type from the cause; for management without another cause, and for unknown causes, from the record's content. */
function typeOf(lead: SituationRecord): string {
  const meaning = meaningOf(lead)
  if (meaning?.[1]) return meaning[1]
  const kind = kindOf(lead)
  if (CLOSURES.has(kind)) return 'CLOSURE'
  if (CONGESTION.has(kind)) return 'CONGESTION'
  return meaning ? 'RESTRICTION' : 'OTHER'
}

function placeOf({ location }: SituationRecord, position: Point | null, diagnostics: Diagnostics): ResolvedPlace {
  const { from } = location
  const stated = { province: from?.province ?? null, municipality: from?.municipality ?? null, position }
  return resolvePlace(stated, (problem) => diagnostics.warn(problem))
}
