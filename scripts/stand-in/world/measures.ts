import type { Cause, Measure, Severity } from './situation-types.ts'

type Grades = readonly (readonly [Severity | null, number])[]

const UNGRADED: Grades = [[null, 1]]
const SELDOM: Grades = [
  [null, 0.88],
  ['low', 0.06],
  ['medium', 0.06],
]
const HIGH: Grades = [['high', 1]]

// Severities of a record's measure; unlisted measures rarely have one.
const GRADES: Readonly<Record<string, Grades>> = {
  roadClosed: [
    ['high', 0.5],
    ['highest', 0.5],
  ],
  carriagewayClosures: [
    ['high', 0.85],
    ['highest', 0.15],
  ],
  slowTraffic: [
    ['medium', 0.9],
    ['high', 0.1],
  ],
  heavyTraffic: [['low', 1]],
  speedRestrictionInOperation: [
    [null, 0.7],
    ['high', 0.3],
  ],
  visibilityReduced: [
    [null, 0.65],
    ['low', 0.35],
  ],
  useSnowChainsOrTyres: HIGH,
  'doNotUseSpecifiedLanesOrCarriageways!': HIGH,
  useOfSpecifiedLanesOrCarriagewaysAllowed: UNGRADED,
  weightRestrictionInOperation: UNGRADED,
  intermittentShortTermClosures: UNGRADED,
  keepToTheLeft: UNGRADED,
  obstructionOnTheRoad: UNGRADED,
  roadSurfaceInPoorCondition: UNGRADED,
  slipperyRoad: UNGRADED,
  incident: UNGRADED,
}

// The record type and element of a value; the others are road or lane management.
const ELEMENTS: Readonly<Record<string, readonly [type: string, element: string]>> = {
  slowTraffic: ['AbnormalTraffic', 'abnormalTrafficType'],
  heavyTraffic: ['AbnormalTraffic', 'abnormalTrafficType'],
  speedRestrictionInOperation: ['SpeedManagement', 'speedManagementType'],
  visibilityReduced: ['PoorEnvironmentConditions', 'poorEnvironmentType'],
  useSnowChainsOrTyres: ['WinterDrivingManagement', 'winterEquipmentManagementType'],
  obstructionOnTheRoad: ['GeneralObstruction', 'obstructionType'],
  roadSurfaceInPoorCondition: ['NonWeatherRelatedRoadConditions', 'nonWeatherRelatedRoadConditionType'],
  slipperyRoad: ['NonWeatherRelatedRoadConditions', 'nonWeatherRelatedRoadConditionType'],
  incident: ['GenericSituationRecord', 'genericSituationRecordName'],
}

/** The measure of a value of its type's enumeration; a `!` suffix gives it the severities of snow. */
export function measureOf(value: string): Measure {
  const bare = value.replace('!', '')
  const [type, element] = ELEMENTS[bare] ?? ['RoadOrCarriagewayOrLaneManagement', 'roadOrCarriagewayOrLaneManagementType']
  return { type, element, value: bare, severities: GRADES[value] ?? SELDOM }
}

// Exceptions from the rule that a cause's detailed element is its type with the suffix `Type`.
const DETAIL: Readonly<Record<string, string>> = {
  infrastructureDamageObstruction: 'infrastructureDamageType',
}

/** A cause from `type/value`. */
export function causeOf(text: string): Cause {
  const [type = '', value = ''] = text.split('/')
  return [type, DETAIL[type] ?? `${type}Type`, value]
}
