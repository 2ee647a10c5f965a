import { incidents } from '../../../lake/datasets/road/incidents.ts'
import { dgt } from '../../../lake/datasets/road/sources.ts'
import { v16Beacons } from '../../../lake/datasets/road/v16.ts'
import type { FeedRow } from '../../../lake/schema/dataset.ts'
import { readSituations, type SituationRecord } from '../../formats/datex2.ts'
import { batch, bodyOf, type Diagnostics, defineFeed } from '../define.ts'
import { watchPresence } from '../presence.ts'
import { byLead, compassOf, countUnknown, directionOf, incidentOf, placeOf, statedPosition } from './datex-incident.ts'
import { namedPlace } from './named-place.ts'

const FOLDER = 'https://nap.dgt.es/datex2/v3/dgt/SituationPublication/'
/** The address of profile 3.6 redirects to that of 3.7 (301, seen 2026-09); it stays as the fallback. */
const FILES = ['datex2_v37.xml', 'datex2_v36.xml']
/** Profiles that this reader supports. */
const PROFILES = /^3\.[67](?:_|$)/

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
  source: dgt,
  into: [incidents, v16Beacons],
  every_s: 60,
  get: FILES.map((file) => ({
    ...{ name: 'situations', url: `${FOLDER}${file}`, maxBytes: 32_000_000, maxDecodedBytes: 64_000_000 },
    ...{ timeout_ms: 30_000, expects: 'xml' },
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
  *rows(bodies, _clock, diagnostics) {
    const body = bodyOf(bodies)
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
        else found.push(incidentOf(situation, records, { source: dgt.id, created_at: createdAt }, diagnostics))
      }
      if (found.length > 0) yield batch(incidents, found)
      if (beacons.length > 0) yield batch(v16Beacons, beacons)
    }
    presence.end()
    // A third of the situations of January 2026 have one.
    if (!isGraded) diagnostics.warn('no situation states a severity')
  },
})

type Incident = FeedRow<typeof incidents>
type Beacon = FeedRow<typeof v16Beacons>

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
    municipality: location.from?.municipality ?? namedPlace(place).municipality,
    position: place.position,
    compass_direction: compassOf(record),
  }
}
