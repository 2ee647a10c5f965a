import { expect, test } from 'vitest'
import { FormatError } from '../../../jobs/feeds/define.ts'
import { readSituations, type Situation, type SituationRecord } from '../../../jobs/formats/datex2.ts'
import { captureOfJanuary, changed, counts, fixture } from '../feeds/dgt-documents.ts'

interface Read {
  readonly situations: Situation[]
  readonly header: readonly [number, string | null] | null
  readonly warnings: string[]
  readonly unreadable: string[]
}

function read(document: string | Buffer): Read {
  const warnings: string[] = []
  const unreadable: string[] = []
  let header: readonly [number, string | null] | null = null
  const sink = {
    header: (at: number, profile: string | null) => {
      header = [at, profile]
    },
    warn: (text: string) => void warnings.push(text),
    unreadable: (what: string, reason: string, id: string) => void unreadable.push(`${what}: ${reason}: ${id}`),
  }
  const situations = [...readSituations(Buffer.from(document), sink)].flat()
  return { situations, header, warnings, unreadable }
}

const capture = captureOfJanuary()

test('a record is read whole, from both profiles and whatever the prefixes', () => {
  const [situation] = read(fixture('v36')).situations
  expect(situation).toMatchObject({ id: '9000001', overallSeverity: 'medium', informationStatus: 'real' })
  expect(situation?.records[1]).toEqual({
    id: '70002',
    version: 1,
    type: 'RoadOrCarriagewayOrLaneManagement',
    createdAt: Date.parse('2026-03-09T06:30:00Z'),
    versionAt: Date.parse('2026-03-09T06:30:00Z'),
    probability: 'certain',
    severity: 'medium',
    source: 'DGT',
    validity: 'active',
    startsAt: Date.parse('2026-03-09T07:00:00Z'),
    endsAt: Date.parse('2026-05-21T16:00:00Z'),
    cause: { type: 'roadMaintenance', detail: 'roadworks' },
    location: {
      type: 'SingleRoadLinearLocation',
      road: 'N-630',
      destination: 'BENAVENTE',
      carriageways: ['unspecifiedCarriageway'],
      lanes: ['rightLane'],
      compass: 'northBound',
      direction: 'positive',
      descriptor: null,
      placeName: null,
      from: { lat: 42.5987, lon: -5.5671, km: 318.5, municipality: 'León', province: 'León' },
      to: { lat: 42.6105, lon: -5.5802, km: 320, municipality: 'León', province: 'León' },
    },
    compliance: 'mandatory',
    vehicles: { types: ['anyVehicle'], characteristics: [] },
    kind: { element: 'roadOrCarriagewayOrLaneManagementType', code: 'laneClosures' },
    speedLimitKmh: null,
    delay_s: null,
  } satisfies SituationRecord)
  expect(situation?.records[0]).toMatchObject({ kind: { code: 'speedRestrictionInOperation' }, speedLimitKmh: 40 })
  expect(situation?.records[2]).toMatchObject({
    location: { lanes: ['rightHardShoulder'] },
    vehicles: { characteristics: [{ dimension: 'width', operator: 'greaterThan', value: 3.5 }] },
  })
})

test('the header comes with its profile', () => {
  expect(read(fixture('v36')).header).toEqual([Date.parse('2026-03-29T01:10:00.250Z'), '3.6_2.0'])
  expect(read(fixture('v37')).header).toEqual([Date.parse('2026-10-25T01:35:00Z'), '3.7_1.0'])
})

test('other prefixes, and DATEX II’s own namespaces, read the same', () => {
  const document = fixture('v36')
  const renamed = changed(document, [/\bsit:/g, 'q1:'], [/\bloc:/g, 'q2:'], [/xmlns:sit=/, 'xmlns:q1='], [/xmlns:loc=/, 'xmlns:q2='])
  const standard = changed(document, [/http:\/\/levelC\//g, 'http://datex2.eu/'])
  const bare = changed(document, [/(<\/?|")(?:sit|com|loc|lse|d2):/g, '$1'], [/ xmlns:(?:sit|com|loc|lse|d2)="[^"]*"/g, ''])
  for (const other of [renamed, standard, bare]) expect(read(other).situations).toEqual(read(document).situations)
})

test('a cause is never taken for the record’s own kind, nor the other way round', () => {
  const [, , situation] = read(fixture('v37')).situations
  expect(situation?.records[0]).toMatchObject({ kind: { element: 'genericSituationRecordName', code: 'incident' } })
  const [, closed] = read(fixture('v37')).situations
  expect(closed?.records[0]).toMatchObject({
    cause: { type: 'roadOrCarriagewayOrLaneManagement', detail: 'other' },
    kind: { element: 'roadOrCarriagewayOrLaneManagementType', code: 'roadClosed' },
  })
  const withoutKind = changed(fixture('v37'), [/\s*<roadOrCarriagewayOrLaneManagementType>roadClosed<[^>]*>/, ''])
  expect(read(withoutKind).situations[1]?.records[0]).toMatchObject({ kind: null, cause: { detail: 'other' } })
  const withoutCause = changed(fixture('v37'), [/<cause>\s*<causeType>roadOr[\s\S]*?<\/cause>/, ''])
  expect(read(withoutCause).situations[1]?.records[0]).toMatchObject({ kind: { code: 'roadClosed' }, cause: { type: null, detail: null } })
})

test('an unreadable record leaves the others; a situation without any is reported', () => {
  const typeless = read(changed(fixture('v36'), ['xsi:type="sit:SpeedManagement" ', '']))
  expect(typeless.situations[0]?.records.map(({ id }) => id)).toEqual(['70002', '70001'])
  expect(typeless.unreadable).toEqual(['record: situationRecord without xsi:type: situation 9000001, record 70003'])
  const alone = read(changed(fixture('v37'), [/ xsi:type="GenericSituationRecord" id="70020"/, ' id="70020"']))
  expect(alone.situations.map(({ id }) => id)).toEqual(['9000004', '9000005'])
  expect(alone.unreadable).toContain('situation: situationRecord without xsi:type: 9000003')
  expect(read(changed(fixture('v37'), [' id="70020"', ''])).unreadable).toContain('situation: situationRecord without id: 9000003')
  expect(read(changed(fixture('v37'), [' id="9000003"', ''])).unreadable).toEqual([
    'situation: situation without id: 2026-10-25T02:30:00.000+01:00',
  ])
  expect(read(changed(fixture('v37'), [/<locationReference[\s\S]*?<\/locationReference>/, ''])).unreadable).toHaveLength(2)
})

test('invalid numbers and times become null and are reported', () => {
  const bad = read(
    changed(
      fixture('v37'),
      ['<ns7:latitude>38.3452', '<ns7:latitude>38,3452'],
      ['kilometerPoint>2.5<', 'kilometerPoint>km 2<'],
      ['Time>2026-10-25T02:30:00.000+01:00<', 'Time>2026-10-25T02:30:00<'],
    ),
  )
  expect(bad.situations[0]?.records[0]).toMatchObject({ createdAt: null, location: { from: { lat: null, km: null } } })
  expect(counts(bad.warnings)).toEqual({
    'latitude is no number': 1,
    'kilometerPoint is no number': 1,
    'situationRecordCreationTime is no time with offset': 1,
  })
})

test('a document that is no SituationPublication is refused', () => {
  const message = (document: string): string => {
    try {
      read(document)
    } catch (error) {
      expect(error).toBeInstanceOf(FormatError)
      return (error as Error).message
    }
    return 'read'
  }
  const document = fixture('v36')
  expect(message(changed(document, ['sit:SituationPublication"', 'ns2:DevicePublication"']))).toContain('the payload is DevicePublication')
  expect(message(changed(document, [' xsi:type="sit:SituationPublication"', '']))).toContain('of no type')
  expect(message(changed(document, [/<com:publicationTime>.*\n/, '']))).toContain('no publicationTime')
  expect(message(changed(document, ['250+02:00</com:publicationTime>', '250</com:publicationTime>']))).toContain('no time with offset')
  expect(message(document.slice(0, document.length / 2))).toMatch(/ends early: line \d+/)
  expect(message(changed(document, ['<d2:payload', '<!DOCTYPE x [<!ENTITY a "b">]><d2:payload']))).toContain('document type declaration')
  expect(message('<d2LogicalModel xmlns="http://datex2.eu/schema/1_0/1_0"/>')).toContain('the root is <d2LogicalModel>')
  expect(message('<html><body>503</body></html>')).toContain('the root is <html>')
})

test.skipIf(!capture)('the capture of January 2026 has the counts of its notes', () => {
  const { situations, header, warnings, unreadable } = read(capture as Buffer)
  const records = situations.flatMap((situation) => situation.records)
  expect([situations.length, records.length]).toEqual([547, 670])
  expect(header).toEqual([Date.parse('2026-01-02T12:23:28.413Z'), '3.6_2.0'])
  expect([warnings, unreadable]).toEqual([[], []])
  expect(new Set(situations.map(({ id }) => id)).size).toBe(547)
  expect(counts(records.map(({ type }) => type))).toEqual({
    RoadOrCarriagewayOrLaneManagement: 317,
    GenericSituationRecord: 264,
    AbnormalTraffic: 30,
    SpeedManagement: 21,
    PoorEnvironmentConditions: 17,
    GeneralObstruction: 12,
    WinterDrivingManagement: 6,
    NonWeatherRelatedRoadConditions: 3,
  })
  expect(counts(records.map(({ cause }) => `${cause.type}/${cause.detail}`))).toEqual({
    'roadMaintenance/roadworks': 255,
    'vehicleObstruction/vehicleStuck': 210,
    'vehicleObstruction/vehicleOnFire': 4,
    'obstruction/objectOnTheRoad': 62,
    'obstruction/spillageOnTheRoad': 1,
    'poorEnvironment/snowfall': 29,
    'poorEnvironment/fog': 17,
    'poorEnvironment/strongWinds': 4,
    'poorEnvironment/frost': 2,
    'poorEnvironment/smokeHazard': 1,
    'environmentalObstruction/rockfalls': 25,
    'abnormalTraffic/slowTraffic': 23,
    'abnormalTraffic/heavyTraffic': 1,
    'accident/accident': 19,
    'infrastructureDamageObstruction/damagedRoadSurface': 10,
    'roadOrCarriagewayOrLaneManagement/other': 5,
    'publicEvent/majorEvent': 2,
  })
  expect(counts(records.map(({ kind }) => `${kind?.element}/${kind?.code}`))).toEqual({
    'roadOrCarriagewayOrLaneManagementType/laneClosures': 77,
    'roadOrCarriagewayOrLaneManagementType/roadClosed': 53,
    'roadOrCarriagewayOrLaneManagementType/carriagewayClosures': 33,
    'roadOrCarriagewayOrLaneManagementType/narrowLanes': 31,
    'roadOrCarriagewayOrLaneManagementType/doNotUseSpecifiedLanesOrCarriageways': 30,
    'roadOrCarriagewayOrLaneManagementType/singleAlternateLineTraffic': 27,
    'roadOrCarriagewayOrLaneManagementType/newRoadworksLayout': 25,
    'roadOrCarriagewayOrLaneManagementType/lanesDeviated': 19,
    'roadOrCarriagewayOrLaneManagementType/useOfSpecifiedLanesOrCarriagewaysAllowed': 17,
    'roadOrCarriagewayOrLaneManagementType/weightRestrictionInOperation': 2,
    'roadOrCarriagewayOrLaneManagementType/intermittentShortTermClosures': 2,
    'roadOrCarriagewayOrLaneManagementType/keepToTheLeft': 1,
    'abnormalTrafficType/slowTraffic': 29,
    'abnormalTrafficType/heavyTraffic': 1,
    'speedManagementType/speedRestrictionInOperation': 21,
    'poorEnvironmentType/visibilityReduced': 17,
    'obstructionType/obstructionOnTheRoad': 12,
    'winterEquipmentManagementType/useSnowChainsOrTyres': 6,
    'nonWeatherRelatedRoadConditionType/roadSurfaceInPoorCondition': 2,
    'nonWeatherRelatedRoadConditionType/slipperyRoad': 1,
    'genericSituationRecordName/incident': 264,
  })
  expect(counts(records.map(({ severity }) => severity))).toEqual({ high: 74, highest: 37, medium: 30, low: 7, null: 522 })
  expect(counts(situations.map(({ overallSeverity }) => overallSeverity))).toEqual({ high: 48, highest: 36, medium: 29, low: 7, null: 427 })
  expect(counts(records.map(({ source }) => source))).toEqual({ DGT: 406, 'DGT3.0': 193, '112': 71 })
  expect(counts(records.map(({ location }) => location.direction))).toEqual({ positive: 284, negative: 235, both: 151 })
  expect(counts(records.flatMap(({ location }) => location.lanes))).toEqual({
    allLanesCompleteCarriageway: 272,
    rightLane: 50,
    rightHardShoulder: 36,
    leftHardShoulder: 3,
    leftLane: 23,
    tidalFlowLane: 4,
    carPoolLane: 2,
    middleLane: 1,
  })
  expect(counts(records.flatMap(({ vehicles }) => vehicles.types))).toEqual({
    anyVehicle: 326,
    bus: 7,
    heavyVehicle: 6,
    authorizedVehicle: 2,
    nonAuthorizedVehicle: 1,
    car: 2,
  })
  const many = situations.filter((situation) => situation.records.length > 1)
  expect(many).toHaveLength(74)
  for (const { id, records: own } of many) expect(new Set(own.map(({ cause }) => `${cause.type}/${cause.detail}`)).size, id).toBe(1)
})
