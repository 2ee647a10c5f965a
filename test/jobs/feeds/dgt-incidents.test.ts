import { describe, expect, test } from 'vitest'
import { FormatError } from '../../../jobs/feeds/define.ts'
import { dgtIncidentsFeed } from '../../../jobs/feeds/road/dgt-incidents.ts'
import { judge } from '../../../jobs/ingest/guard.ts'
import type { Publication } from '../../../jobs/ingest/parse.ts'
import { INCIDENT_TYPES } from '../../../lake/datasets/road/codes.ts'
import type { AcceptedFetch } from '../../../lake/raw/archive.ts'
import { captureOfJanuary, changed, counts, fixture, readDgt } from './dgt-documents.ts'

const capture = captureOfJanuary()

describe('one incident a situation', () => {
  test('led by the gravest record, then the widest effect, then the lowest id; all are kept', async () => {
    const { incidents } = await readDgt(fixture('v36'))
    expect(incidents).toHaveLength(1)
    const [incident] = incidents
    // 70002 closes a lane, 70001 as grave but narrower, 70003 without severity.
    expect(incident?.measures.map(({ record_id }) => record_id)).toEqual(['70002', '70001', '70003'])
    expect(incident).toMatchObject({
      source: 'dgt',
      source_id: '9000001',
      type: 'ROADWORKS',
      source_type: 'roadMaintenance/roadworks',
      severity: 'MEDIUM',
      road: 'N-630',
      km: 318.5,
      km_to: 320,
      direction: 'POSITIVE',
      destination: 'BENAVENTE',
      province_code: '24',
      municipality_code: '24089',
      municipality: 'León',
      position: { lat: 42.5987, lon: -5.5671 },
      to: { lat: 42.6105, lon: -5.5802 },
      ...{ delay_minutes: null, delay_source: null },
      created_at: Date.parse('2026-03-09T06:30:00Z'),
      starts_at: Date.parse('2026-03-09T07:00:00Z'),
      expected_end_at: Date.parse('2026-05-21T16:00:00Z'),
    })
    expect(incident?.measures.map(({ kind, lanes, limits }) => ({ kind, lanes, limits }))).toEqual([
      { kind: 'LANES_CLOSED', lanes: ['RIGHT'], limits: [] },
      { kind: 'NO_PASSAGE', lanes: ['RIGHT_HARD_SHOULDER'], limits: [{ kind: 'WIDTH', value: 3.5, unit: 'm' }] },
      { kind: 'SPEED_LIMIT', lanes: ['ALL'], limits: [{ kind: 'SPEED', value: 40, unit: 'km/h' }] },
    ])
  })

  test('a delay is the greatest that a record states, else estimated of its congestion', async () => {
    const delayOf = async (...changes: [string | RegExp, string][]): Promise<unknown> => {
      const [incident] = (await readDgt(changed(fixture('v36'), ...changes))).incidents
      return [incident?.delay_minutes, incident?.delay_source]
    }
    const queue: [RegExp, string] = [
      /<sit:roadOrCarriagewayOrLaneManagementType>laneClosures</,
      '<sit:abnormalTrafficType>queuingTraffic</sit:abnormalTrafficType><sit:roadOrCarriagewayOrLaneManagementType>laneClosures<',
    ]
    const impact = (s: string): [RegExp, string] => [
      /<sit:severity>medium<\/sit:severity>/,
      `<sit:severity>medium</sit:severity><sit:impact><sit:delays><sit:delayTimeValue>${s}</sit:delayTimeValue></sit:delays></sit:impact>`,
    ]
    // 1.5 km of the N-630 at 17.5 % of 90 km/h: 5.7 minutes in place of one.
    expect(await delayOf(queue)).toEqual([5, 'estimated'])
    expect(await delayOf(queue, impact('725'))).toEqual([12, 'reported'])
    expect(await delayOf(impact('0'))).toEqual([0, 'reported'])
    expect(await delayOf(queue, impact('-60'))).toEqual([5, 'estimated'])
  })

  test('each rule of the lead decides where the one before does not', async () => {
    const leader = async (...changes: [string | RegExp, string][]): Promise<string | undefined> =>
      (await readDgt(changed(fixture('v36'), ...changes))).incidents[0]?.measures[0]?.record_id
    expect(await leader(['severity>medium</sit:severity>', 'severity>low</sit:severity>'])).toBe('70001')
    expect(await leader(['doNotUseSpecifiedLanesOrCarriageways', 'carriagewayClosures'])).toBe('70001')
    expect(await leader(['doNotUseSpecifiedLanesOrCarriageways', 'roadClosed'])).toBe('70001')
    expect(await leader(['doNotUseSpecifiedLanesOrCarriageways', 'laneClosures'])).toBe('70001')
    expect(await leader(['laneClosures', 'narrowLanes'])).toBe('70001')
    expect(await leader(['laneClosures', 'narrowLanes'], ['id="70002"', 'id="9002"'])).toBe('9002')
    expect(await leader([/<sit:severity>medium<\/sit:severity>/g, ''])).toBe('70002')
    expect(await leader([/<sit:severity>medium<\/sit:severity>/g, ''], ['laneClosures', 'narrowLanes'])).toBe('70001')
  })

  test('the order of records in the document changes nothing', async () => {
    const document = fixture('v36')
    const parts = document.split(/(?=\s{8}<sit:situationRecord )|(?<=<\/sit:situationRecord>\n)/)
    const records = parts.filter((part) => part.includes('id="7000'))
    const swapped = document.replace(records.join(''), [...records].reverse().join(''))
    expect(swapped).not.toBe(document)
    expect((await readDgt(swapped)).incidents).toEqual((await readDgt(document)).incidents)
  })

  test('severity is the situation’s, else its gravest record’s, else unknown', async () => {
    const severity = async (...changes: [string | RegExp, string][]): Promise<string | undefined> =>
      (await readDgt(changed(fixture('v36'), ...changes))).incidents[0]?.severity
    const overall = /<sit:overallSeverity>medium<\/sit:overallSeverity>/
    for (const [published, ours] of Object.entries({ highest: 'CRITICAL', high: 'HIGH', medium: 'MEDIUM', low: 'LOW', lowest: 'LOW' }))
      expect(await severity([overall, `<sit:overallSeverity>${published} </sit:overallSeverity>`])).toBe(ours)
    expect(await severity([overall, ''])).toBe('MEDIUM')
    expect(await severity([overall, ''], [/<sit:severity>medium<\/sit:severity>/g, ''])).toBe('UNKNOWN')
    expect(await severity([overall, '<sit:overallSeverity>none</sit:overallSeverity>'])).toBe('UNKNOWN')
  })
})

describe('type', () => {
  async function typeOf(cause: string, detail: string, kind = 'roadClosed'): Promise<string | undefined> {
    const document = changed(
      fixture('v37'),
      ['causeType>roadOrCarriagewayOrLaneManagement<', `causeType>${cause}<`],
      ['<roadOrCarriagewayOrLaneManagementType>other<', `<roadOrCarriagewayOrLaneManagementType>${detail} <`],
      ['ManagementType>roadClosed<', `ManagementType>${kind} <`],
    )
    return (await readDgt(document)).incidents.find(({ source_id }) => source_id === '9000004')?.type
  }

  test.each([
    ['roadMaintenance', 'roadworks', 'ROADWORKS'],
    ['constructionWork', 'constructionWork', 'ROADWORKS'],
    ['accident', 'accident', 'ACCIDENT'],
    ['vehicleObstruction', 'vehicleStuck', 'BREAKDOWN'],
    ['vehicleObstruction', 'vehicleOnFire', 'OBSTACLE'],
    ['obstruction', 'objectOnTheRoad', 'OBSTACLE'],
    ['environmentalObstruction', 'rockfalls', 'OBSTACLE'],
    ['infrastructureDamageObstruction', 'damagedRoadSurface', 'OBSTACLE'],
    ['poorEnvironment', 'snowfall', 'WEATHER'],
    ['poorEnvironment', 'smokeHazard', 'WEATHER'],
    ['abnormalTraffic', 'slowTraffic', 'CONGESTION'],
    ['publicEvent', 'majorEvent', 'EVENT'],
    ['authorityOperation', 'policeCheckPoint', 'OTHER'],
  ])('%s/%s is %s, though the road is closed', async (cause, detail, type) => {
    expect(await typeOf(cause, detail)).toBe(type)
    expect(Object.keys(INCIDENT_TYPES.codes)).toContain(type)
  })

  test('management without another cause is a closure or a restriction by its effect', async () => {
    const document = fixture('v37')
    const type = async (text: string): Promise<string | undefined> => (await readDgt(text)).incidents[1]?.type
    expect(await type(document)).toBe('CLOSURE')
    expect(await type(changed(document, ['>roadClosed<', '>carriagewayClosures<']))).toBe('CLOSURE')
    expect(await type(changed(document, ['>roadClosed<', '>laneClosures<']))).toBe('RESTRICTION')
    expect(await type(changed(document, ['>roadClosed<', '>carPoolLaneInOperation<']))).toBe('RESTRICTION')
  })

  test("an unknown detail is read as its family, an unknown cause by the record's type; both are counted", async () => {
    const detail = await readDgt(changed(fixture('v37'), ['<accidentType>accident<', '<accidentType>ufoCollision<']))
    expect(detail.incidents[0]).toMatchObject({ type: 'ACCIDENT', source_type: 'accident/ufoCollision' })
    expect(detail.publication.report.unknownCodes).toEqual({ dgt_cause: { 'accident/ufoCollision': 1 } })
    const cause = await readDgt(changed(fixture('v37'), ['<causeType>accident<', '<causeType>alienInvasion<']))
    expect(cause.incidents[0]).toMatchObject({ type: 'OTHER', source_type: 'alienInvasion/accident' })
    expect(cause.incidents[0]?.measures[0]?.cause).toBe('alienInvasion/accident')
    expect(cause.incidents[0]?.description).toBe('Otro en la A-70, km 2,5, sentido decreciente, Alicante.')
    const none = await readDgt(changed(fixture('v37'), [/<cause>[\s\S]*?<\/cause>/, '']))
    expect(none.incidents[0]).toMatchObject({ type: 'OTHER', source_type: 'GenericSituationRecord' })
  })
})

describe('V16 beacons', () => {
  test('are in their own dataset only', async () => {
    const { incidents, beacons } = await readDgt(fixture('v36'))
    expect(incidents.map(({ source_id }) => source_id)).not.toContain('9000002')
    expect(beacons).toEqual([
      {
        source: 'dgt',
        source_id: '9000002',
        activated_at: Date.parse('2026-03-29T01:05:00Z'),
        road: 'A-2',
        km: 551.214,
        direction: 'POSITIVE',
        province_code: '08',
        municipality_code: '08102',
        municipality: 'Igualada',
        position: { lat: 41.5802, lon: 1.6166 },
        compass_direction: 'EAST',
      },
    ])
  })

  test('are known by the rule, not by the prefix of their reference', async () => {
    expect((await readDgt(fixture('v37'))).beacons.map(({ source_id }) => source_id)).toEqual(['9000005'])
    expect((await readDgt(changed(fixture('v37'), [/<situationRecordCreationReference>.*\n/, '']))).beacons).toHaveLength(1)
  })

  test.each([
    ['another source', ['>DGT3.0<', '>DGT<'], 'BREAKDOWN'],
    ['112', ['>DGT3.0<', '>112<'], 'BREAKDOWN'],
    ['another cause', ['>vehicleStuck<', '>vehicleOnFire<'], 'OBSTACLE'],
    ['another record type', ['"sit:GenericSituationRecord"', '"sit:VehicleObstruction"'], 'BREAKDOWN'],
    ['another kind of place', ['"loc:PointLocation"', '"loc:SingleRoadLinearLocation"'], 'BREAKDOWN'],
    ['another name', ['Name>incident<', 'Name>event<'], 'BREAKDOWN'],
  ] as const)('%s makes it an incident', async (_what, change, type) => {
    const { incidents, beacons } = await readDgt(changed(fixture('v36'), change))
    expect(beacons).toEqual([])
    expect(incidents.find(({ source_id }) => source_id === '9000002')?.type).toBe(type)
  })

  test('the reference, which names a device, is in no row', async () => {
    const { publication } = await readDgt(fixture('v37'))
    expect(JSON.stringify([...publication.rows])).not.toContain('token')
  })
})

describe('the errors of the source', () => {
  test('speed limits of 1 or 2 km/h and bounds of 0 are unknown, and counted', async () => {
    const { incidents, warnings } = await readDgt(
      changed(fixture('v36'), ['SpeedLimit>40.0<', 'SpeedLimit>2.0<'], ['vehicleWidth>3.5<', 'vehicleWidth>0.0<']),
    )
    expect(incidents[0]?.measures.flatMap(({ limits }) => limits)).toEqual([
      { kind: 'WIDTH', value: null, unit: 'm' },
      { kind: 'SPEED', value: null, unit: 'km/h' },
    ])
    expect(warnings).toEqual({ 'speed limit below 5 km/h taken as unknown': 1, 'width limit of 0 taken as unknown': 1 })
  })

  test('swapped coordinates are put right, impossible ones dropped, each counted once', async () => {
    const swapped = changed(fixture('v37'), ['latitude>38.3452<', 'latitude>-0.4815<'], ['longitude>-0.4815<', 'longitude>38.3452<'])
    const right = await readDgt(swapped)
    expect(right.incidents[0]?.position).toEqual({ lat: 38.3452, lon: -0.4815 })
    expect(right.warnings).toEqual({ 'latitude and longitude were swapped': 1 })
    const zero = await readDgt(changed(fixture('v37'), ['latitude>38.3452<', 'latitude>0.0<'], ['longitude>-0.4815<', 'longitude>0.0<']))
    expect(zero.incidents[0]).toMatchObject({ position: null, province_code: '03', municipality_code: '03014' })
    expect(zero.warnings).toEqual({ 'position is 0, 0': 1 })
  })

  test('names and position that disagree are counted; the name stands', async () => {
    const { incidents, warnings } = await readDgt(changed(fixture('v37'), ['province>Alacant/Alicante<', 'province>Lugo<']))
    expect(incidents[0]?.province_code).toBe('27')
    expect(warnings).toEqual({
      'municipality is not known by that name in its province': 1,
      'position lies outside the province that is named': 1,
    })
  })

  test('kilometre 0 is a kilometre', async () => {
    const { incidents } = await readDgt(changed(fixture('v36'), [/kilometerPoint>318.5</g, 'kilometerPoint>0.0<']))
    expect(incidents[0]?.km).toBe(0)
  })

  test('an end in the past ends nothing', async () => {
    const { incidents } = await readDgt(changed(fixture('v36'), ['2026-05-21T18:00:00.000+02:00', '2026-03-10T18:00:00.000+01:00']))
    expect(incidents[0]?.expected_end_at).toBe(Date.parse('2026-03-10T17:00:00Z'))
  })

  test('an exercise is no incident', async () => {
    const { incidents, publication } = await readDgt(
      changed(fixture('v37'), ['informationStatus>real<', 'informationStatus>securityExercise<']),
    )
    expect(incidents.map(({ source_id }) => source_id)).toEqual(['9000004'])
    expect(publication.report.quarantined).toEqual({ incidents: { 'information status is not real': 1 } })
    expect(publication.report.unknownCodes).toEqual({ dgt_information_status: { securityExercise: 1 } })
  })

  test('a situation that cannot be read is quarantined with its reason, the others stay', async () => {
    const { incidents, beacons, publication } = await readDgt(
      changed(fixture('v37'), [' xsi:type="GenericSituationRecord" id="70020"', ' id="70020"']),
    )
    expect([incidents.length, beacons.length]).toEqual([1, 1])
    expect(publication.report.quarantined).toEqual({ incidents: { 'situationRecord without xsi:type': 1 } })
    expect(publication.report.samples).toEqual([{ dataset: 'incidents', reason: 'situationRecord without xsi:type', sample: '9000003' }])
    const timeless = await readDgt(changed(fixture('v37'), [/2026-10-25T02:30:00.000\+01:00/g, 'soon']))
    expect(timeless.publication.report.quarantined).toEqual({ incidents: { 'no time of creation': 1 } })
  })

  test('unknown codes are kept as they came and counted', async () => {
    const { incidents, publication } = await readDgt(
      changed(
        fixture('v36'),
        ['laneUsage>rightLane<', 'laneUsage>moonLane<'],
        ['>laneClosures<', '>portalsOpen<'],
        ['_extendedValue="rightHardShoulder"', '_extendedValue="gutter"'],
        ['vehicleType>anyVehicle<', 'vehicleType>hovercraft<'],
        ['"sit:SpeedManagement"', '"sit:TimeManagement"'],
      ),
    )
    expect(incidents[0]?.measures.map(({ record_id, kind, lanes, vehicles }) => ({ record_id, kind, lanes, vehicles }))).toEqual([
      { record_id: '70001', kind: 'NO_PASSAGE', lanes: ['gutter'], vehicles: [] },
      { record_id: '70002', kind: 'portalsOpen', lanes: ['moonLane'], vehicles: ['hovercraft'] },
      { record_id: '70003', kind: 'SPEED_LIMIT', lanes: ['ALL'], vehicles: [] },
    ])
    expect(publication.report.unknownCodes).toEqual({
      dgt_kind: { 'roadOrCarriagewayOrLaneManagementType/portalsOpen': 1 },
      dgt_lane: { moonLane: 1, gutter: 1 },
      dgt_vehicle: { hovercraft: 1 },
      dgt_record_type: { TimeManagement: 1 },
    })
  })

  test('codes that are names of JavaScript’s own are codes like any other', async () => {
    for (const code of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      const { incidents, publication } = await readDgt(
        changed(
          fixture('v36'),
          ['laneUsage>rightLane<', `laneUsage>${code}<`],
          ['>laneClosures<', `>${code}<`],
          ['vehicleType>anyVehicle<', `vehicleType>${code}<`],
          [/causeType>roadMaintenance</g, `causeType>${code}<`],
          ['overallSeverity>medium<', `overallSeverity>${code}<`],
          ['Road>positive<', `Road>${code}<`],
        ),
      )
      expect(incidents[0]).toMatchObject({ type: 'OTHER', severity: code, source_type: `${code}/roadworks` })
      expect(JSON.stringify(incidents)).not.toMatch(/native code|\[object/)
      expect(publication.report.unknownCodes['dgt_lane']).toEqual({ [code]: 1 })
    }
  })

  test('an unknown profile is read and reported', async () => {
    const { incidents, warnings } = await readDgt(changed(fixture('v37'), ['"3.7_1.0"', '"3.8_1.0"']))
    expect(incidents).toHaveLength(2)
    expect(warnings).toEqual({ 'profile version is neither 3.6 nor 3.7': 1 })
  })

  test('a document cut anywhere is refused', async () => {
    const document = fixture('v36')
    for (let cut = 100; cut < document.length; cut += 997) await expect(readDgt(document.slice(0, cut))).rejects.toThrow(FormatError)
  })
})

test('the repeated hour of October is resolved by the offset', async () => {
  const { publication, incidents } = await readDgt(fixture('v37'))
  expect(publication.data_time).toBe(Date.parse('2026-10-25T01:35:00Z'))
  expect(incidents[0]?.created_at).toBe(Date.parse('2026-10-25T01:30:00Z'))
})

test.skipIf(!capture)('the capture of January 2026 gives the figures of its notes', async () => {
  const read = await readDgt(capture as Buffer, Date.parse('2026-01-02T12:24:00Z'))
  const { publication, incidents, beacons, warnings } = read
  expect([incidents.length, beacons.length, incidents.flatMap(({ measures }) => measures).length]).toEqual([354, 193, 477])
  expect(publication.data_time).toBe(Date.parse('2026-01-02T12:23:28.413Z'))
  expect([publication.report.quarantined, publication.report.unknownCodes]).toEqual([{}, {}])
  expect(warnings).toEqual({
    'position lies outside the municipality that is named': 2,
    'speed limit below 5 km/h taken as unknown': 5,
    'width limit of 0 taken as unknown': 2,
  })
  expect(judge(dgtIncidentsFeed, publication, null).kind).toBe('accept')
  expect(counts(incidents.map(({ type }) => type))).toEqual({
    ROADWORKS: 161,
    OBSTACLE: 97,
    WEATHER: 34,
    CONGESTION: 23,
    ACCIDENT: 18,
    BREAKDOWN: 15,
    RESTRICTION: 4,
    CLOSURE: 1,
    EVENT: 1,
  })
  expect(counts(incidents.map(({ severity }) => severity))).toEqual({ UNKNOWN: 234, HIGH: 48, CRITICAL: 36, MEDIUM: 29, LOW: 7 })
  const places = [...incidents, ...beacons]
  for (const { source_id, province_code, municipality_code, position } of places) {
    expect(province_code, source_id).toMatch(/^\d{2}$/)
    expect(municipality_code?.slice(0, 2), source_id).toBe(province_code)
    expect(position, source_id).not.toBeNull()
  }
  // Beacons in Catalonia, and no incident: those are SCT's.
  const isCatalan = ({ province_code }: { province_code: string | null }): boolean => ['08', '17', '25', '43'].includes(province_code ?? '')
  expect([incidents.filter(isCatalan).length, beacons.filter(isCatalan).length]).toEqual([0, 18])
  expect(beacons.every(({ compass_direction }) => compass_direction !== null)).toBe(true)
  for (const { description, description_en } of incidents) {
    expect(description).toMatch(/^\p{Lu}[^{}[\]]* en la \S+, .*[^.]\.$/u)
    expect(`${description}${description_en}`).not.toMatch(/null|undefined|NaN|[A-Z]{2,}_|\s{2}| ,|: \.|[a-z][A-Z]/)
  }
})

test.skipIf(!capture)('half of the capture is refused after the whole; beacons gone at once stay, marked missing', async () => {
  const { publication } = await readDgt(capture as Buffer)
  const last = {
    data_time: '2026-01-02T12:22:28.000Z',
    rows: { incidents: 354, v16_beacons: 193 },
    blocks: { v16_beacons: { dgt: 193 } },
  } as unknown as AcceptedFetch
  const left = (incidents: number, beacons: number): Publication => {
    const counts = new Map([
      ['incidents', incidents],
      ['v16_beacons', beacons],
    ])
    return { ...publication, counts, blocks: { v16_beacons: beacons > 0 ? { dgt: beacons } : {} } }
  }
  expect(judge(dgtIncidentsFeed, left(177, 96), { last, missing: {} })).toMatchObject({
    kind: 'reject',
    reason: expect.stringContaining('177 rows after 354'),
  })
  expect(judge(dgtIncidentsFeed, left(0, 0), { last, missing: {} }).kind).toBe('reject')
  expect(judge(dgtIncidentsFeed, left(340, 0), { last, missing: {} })).toMatchObject({ kind: 'accept', missing: { v16_beacons: ['dgt'] } })
  expect(judge(dgtIncidentsFeed, left(340, 60), { last, missing: {} })).toMatchObject({ kind: 'accept', missing: {} })
})
