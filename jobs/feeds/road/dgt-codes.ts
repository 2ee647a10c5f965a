import type { DETECTOR_SITES, INCIDENT_TYPES, ROAD_DIRECTIONS, SEVERITIES } from '../../../lake/datasets/road/codes.ts'
import type {
  CARRIAGEWAYS,
  COMPASS_DIRECTIONS,
  INCIDENT_CAUSES,
  LANES,
  MEASURE_KINDS,
  VEHICLES,
} from '../../../lake/datasets/road/incident-codes.ts'

type CodeOf<L extends { readonly codes: object }> = keyof L['codes'] & string
type Table<L extends { readonly codes: object }> = Readonly<Record<string, CodeOf<L>>>

/** The code of an incident's cause, and the type that it implies; null if the measure decides. */
export type CauseMeaning = readonly [cause: CodeOf<typeof INCIDENT_CAUSES>, type: CodeOf<typeof INCIDENT_TYPES> | null]

/**
 * DATEX II causes by their meaning: the type that it implies, the cause, the family (`causeType`) and its details; '' is the
 * family itself. Causes in DGT's capture of January 2026 are marked °. How they imply types: the README beside this file.
 */
const MEANINGS: readonly (readonly [type: CauseMeaning[1], cause: CauseMeaning[0], family: string, details: readonly string[]])[] = [
  ['ACCIDENT', 'ACCIDENT', 'accident', ['', 'accident']], // °
  ['ACCIDENT', 'MULTIPLE_COLLISION', 'accident', ['multipleVehicleCollision', 'multivehicleAccident']],
  ['ACCIDENT', 'OVERTURNED_VEHICLE', 'accident', ['overturnedVehicle', 'overturnedHeavyLorry']],
  ['ROADWORKS', 'ROADWORKS', 'roadMaintenance', ['', 'roadworks']], // ° roadworks
  ['ROADWORKS', 'MAINTENANCE', 'roadMaintenance', ['maintenanceWork']],
  ['ROADWORKS', 'REPAIR', 'roadMaintenance', ['repairWork']],
  ['ROADWORKS', 'RESURFACING', 'roadMaintenance', ['resurfacingWork']],
  ['ROADWORKS', 'ROAD_MARKING', 'roadMaintenance', ['roadMarkingWork']],
  ['ROADWORKS', 'VEGETATION_CUTTING', 'roadMaintenance', ['grassCuttingWork', 'treeAndVegetationCuttingWork']],
  ['ROADWORKS', 'WINTER_MAINTENANCE', 'roadMaintenance', ['snowploughsInUse', 'saltingInProgress']],
  ['ROADWORKS', 'CONSTRUCTION', 'constructionWork', ['', 'constructionWork']],
  ['OBSTACLE', 'VEHICLE_OBSTRUCTION', 'vehicleObstruction', ['']],
  ['BREAKDOWN', 'STOPPED_VEHICLE', 'vehicleObstruction', ['vehicleStuck', 'abandonedVehicle']], // ° vehicleStuck
  [
    'BREAKDOWN',
    'BROKEN_DOWN_VEHICLE',
    'vehicleObstruction',
    ['brokenDownVehicle', 'brokenDownHeavyLorry', 'brokenDownBus', 'damagedVehicle'],
  ],
  ['OBSTACLE', 'VEHICLE_ON_FIRE', 'vehicleObstruction', ['vehicleOnFire']], // °
  ['OBSTACLE', 'SLOW_VEHICLE', 'vehicleObstruction', ['slowVehicle']],
  ['OBSTACLE', 'WRONG_WAY_VEHICLE', 'vehicleObstruction', ['vehicleOnWrongCarriageway']],
  ['OBSTACLE', 'OBSTRUCTION', 'obstruction', ['', 'obstructionOnTheRoad']],
  ['OBSTACLE', 'OBJECT_ON_ROAD', 'obstruction', ['objectOnTheRoad', 'debris']], // ° objectOnTheRoad
  ['OBSTACLE', 'SHED_LOAD', 'obstruction', ['shedLoad']],
  ['OBSTACLE', 'SPILLAGE', 'obstruction', ['spillageOnTheRoad', 'spillageOccurringFromMovingVehicle']], // ° spillageOnTheRoad
  ['OBSTACLE', 'PEOPLE_ON_ROAD', 'obstruction', ['peopleOnRoadway', 'cyclistsOnRoadway', 'childrenOnRoadway']],
  ['OBSTACLE', 'ANIMALS_ON_ROAD', 'animalPresence', ['', 'animalsOnTheRoad']],
  ['OBSTACLE', 'ENVIRONMENTAL_OBSTRUCTION', 'environmentalObstruction', ['']],
  ['OBSTACLE', 'ROCKFALL', 'environmentalObstruction', ['rockfalls']], // °
  ['OBSTACLE', 'LANDSLIDE', 'environmentalObstruction', ['landslips', 'mudSlide']],
  ['OBSTACLE', 'FLOODING', 'environmentalObstruction', ['flooding', 'flashFloods']],
  ['OBSTACLE', 'FALLEN_TREE', 'environmentalObstruction', ['fallenTrees']],
  ['OBSTACLE', 'AVALANCHE', 'environmentalObstruction', ['avalanches']],
  ['OBSTACLE', 'FIRE', 'environmentalObstruction', ['forestFire', 'grassFire', 'seriousFire']],
  ['OBSTACLE', 'SMOKE', 'environmentalObstruction', ['smokeOrFumes']],
  ['OBSTACLE', 'STORM_DAMAGE', 'environmentalObstruction', ['stormDamage']],
  ['OBSTACLE', 'SUBSIDENCE', 'environmentalObstruction', ['subsidence']],
  ['OBSTACLE', 'DAMAGED_INFRASTRUCTURE', 'infrastructureDamageObstruction', ['']],
  ['OBSTACLE', 'DAMAGED_SURFACE', 'infrastructureDamageObstruction', ['damagedRoadSurface']], // °
  ['OBSTACLE', 'POOR_SURFACE', 'nonWeatherRelatedRoadConditions', ['']],
  ['WEATHER', 'ADVERSE_WEATHER', 'poorEnvironment', ['', 'badWeather']],
  ['WEATHER', 'SNOW', 'poorEnvironment', ['snowfall', 'heavySnowfall', 'blizzard']], // ° snowfall
  ['WEATHER', 'FOG', 'poorEnvironment', ['fog', 'denseFog', 'patchyFog']], // ° fog
  ['WEATHER', 'WIND', 'poorEnvironment', ['strongWinds', 'gustyWinds', 'crosswinds', 'gales', 'stormForceWinds']], // ° strongWinds
  ['WEATHER', 'ICE', 'poorEnvironment', ['frost', 'heavyFrost']], // ° frost
  ['WEATHER', 'RAIN', 'poorEnvironment', ['rain', 'heavyRain']],
  ['WEATHER', 'HAIL', 'poorEnvironment', ['hail']],
  ['WEATHER', 'SMOKE', 'poorEnvironment', ['smokeHazard']], // °
  ['WEATHER', 'ADVERSE_WEATHER', 'weatherRelatedRoadConditions', ['']],
  ['WEATHER', 'ICE', 'weatherRelatedRoadConditions', ['ice', 'blackIce']],
  ['WEATHER', 'SNOW', 'weatherRelatedRoadConditions', ['snowOnTheRoad']],
  ['WEATHER', 'ADVERSE_WEATHER', 'winterEquipmentManagement', ['']],
  ['CONGESTION', 'ABNORMAL_TRAFFIC', 'abnormalTraffic', ['']],
  ['CONGESTION', 'SLOW_TRAFFIC', 'abnormalTraffic', ['slowTraffic']], // °
  ['CONGESTION', 'HEAVY_TRAFFIC', 'abnormalTraffic', ['heavyTraffic']], // °
  ['CONGESTION', 'QUEUING_TRAFFIC', 'abnormalTraffic', ['queuingTraffic']],
  ['CONGESTION', 'STATIONARY_TRAFFIC', 'abnormalTraffic', ['stationaryTraffic']],
  ['CONGESTION', 'HEAVY_TRAFFIC', 'holidayTraffic', ['']],
  ['CONGESTION', 'SLOW_TRAFFIC', 'rubberNecking', ['']],
  ['EVENT', 'MAJOR_EVENT', 'publicEvent', ['', 'majorEvent']], // ° majorEvent
  ['EVENT', 'SPORTS_EVENT', 'publicEvent', ['bicycleRace', 'marathon', 'sportsMeeting']],
  ['EVENT', 'MAJOR_EVENT', 'roadsideEvent', ['']],
  ['EVENT', 'DISTURBANCE', 'disturbance', ['', 'demonstration']],
  [null, 'TRAFFIC_MANAGEMENT', 'roadOrCarriagewayOrLaneManagement', ['', 'other']], // ° other
  [null, 'TRAFFIC_MANAGEMENT', 'speedManagement', ['']],
  [null, 'TRAFFIC_MANAGEMENT', 'networkManagement', ['']],
  [null, 'TRAFFIC_MANAGEMENT', 'rerouting', ['']],
  [null, 'TRAFFIC_MANAGEMENT', 'instructionToRoadUsers', ['']],
  ['OTHER', 'AUTHORITY_OPERATION', 'authorityOperation', ['']],
  ['OTHER', 'ROADSIDE_ASSISTANCE', 'roadsideAssistance', ['']],
  ['OTHER', 'EQUIPMENT_FAULT', 'equipmentOrSystemFault', ['']],
  ['OTHER', 'OTHER', 'other', ['']],
]

/** Meanings of a family or, after a slash, its detail. Unlisted details are counted and read as their family. */
export const CAUSES: Readonly<Record<string, CauseMeaning>> = Object.fromEntries(
  MEANINGS.flatMap(([type, cause, family, details]) =>
    details.map((detail) => [detail === '' ? family : `${family}/${detail}`, [cause, type]]),
  ),
)

/** A record's own kind, by its element and code. The same codes occur as causes, with another meaning. */
export const KINDS: Table<typeof MEASURE_KINDS> = {
  'roadOrCarriagewayOrLaneManagementType/roadClosed': 'ROAD_CLOSED', // °
  'roadOrCarriagewayOrLaneManagementType/closedPermanentlyForTheWinter': 'CLOSED_FOR_WINTER',
  'roadOrCarriagewayOrLaneManagementType/carriagewayClosures': 'CARRIAGEWAY_CLOSED', // °
  'roadOrCarriagewayOrLaneManagementType/laneClosures': 'LANES_CLOSED', // °
  'roadOrCarriagewayOrLaneManagementType/intermittentShortTermClosures': 'INTERMITTENT_CLOSURES', // °
  'roadOrCarriagewayOrLaneManagementType/overnightClosures': 'OVERNIGHT_CLOSURES',
  'roadOrCarriagewayOrLaneManagementType/doNotUseSpecifiedLanesOrCarriageways': 'NO_PASSAGE', // °
  'roadOrCarriagewayOrLaneManagementType/useOfSpecifiedLanesOrCarriagewaysAllowed': 'LANES_IN_USE', // °
  'roadOrCarriagewayOrLaneManagementType/useSpecifiedLanesOrCarriageways': 'LANES_IN_USE',
  'roadOrCarriagewayOrLaneManagementType/carPoolLaneInOperation': 'LANES_IN_USE',
  'roadOrCarriagewayOrLaneManagementType/tidalFlowLaneInOperation': 'LANES_IN_USE',
  'roadOrCarriagewayOrLaneManagementType/hardShoulderRunningInOperation': 'LANES_IN_USE',
  'roadOrCarriagewayOrLaneManagementType/singleAlternateLineTraffic': 'ALTERNATE_ONE_WAY', // °
  'roadOrCarriagewayOrLaneManagementType/contraflow': 'CONTRAFLOW',
  'roadOrCarriagewayOrLaneManagementType/lanesDeviated': 'LANES_DEVIATED', // °
  'roadOrCarriagewayOrLaneManagementType/narrowLanes': 'NARROW_LANES', // °
  'roadOrCarriagewayOrLaneManagementType/newRoadworksLayout': 'NEW_LAYOUT', // °
  'roadOrCarriagewayOrLaneManagementType/keepToTheLeft': 'KEEP_LEFT', // °
  'roadOrCarriagewayOrLaneManagementType/keepToTheRight': 'KEEP_RIGHT',
  'roadOrCarriagewayOrLaneManagementType/rollingRoadBlock': 'ROLLING_ROAD_BLOCK',
  'roadOrCarriagewayOrLaneManagementType/heightRestrictionInOperation': 'HEIGHT_RESTRICTION',
  'roadOrCarriagewayOrLaneManagementType/weightRestrictionInOperation': 'WEIGHT_RESTRICTION', // °
  'roadOrCarriagewayOrLaneManagementType/other': 'OTHER',
  'speedManagementType/speedRestrictionInOperation': 'SPEED_LIMIT', // °
  'reroutingManagementType/followDiversionSigns': 'DIVERSION',
  'reroutingManagementType/followLocalDiversion': 'DIVERSION',
  'winterEquipmentManagementType/useSnowChainsOrTyres': 'SNOW_CHAINS', // °
  'winterEquipmentManagementType/useSnowChains': 'SNOW_CHAINS',
  'winterEquipmentManagementType/useSnowTyres': 'SNOW_CHAINS',
  'abnormalTrafficType/slowTraffic': 'SLOW_TRAFFIC', // °
  'abnormalTrafficType/heavyTraffic': 'HEAVY_TRAFFIC', // °
  'abnormalTrafficType/queuingTraffic': 'QUEUING_TRAFFIC',
  'abnormalTrafficType/stationaryTraffic': 'STATIONARY_TRAFFIC',
  'obstructionType/obstructionOnTheRoad': 'OBSTRUCTION', // °
  'poorEnvironmentType/visibilityReduced': 'REDUCED_VISIBILITY', // °
  'nonWeatherRelatedRoadConditionType/roadSurfaceInPoorCondition': 'POOR_SURFACE', // °
  'nonWeatherRelatedRoadConditionType/slipperyRoad': 'SLIPPERY_ROAD', // °
  'genericSituationRecordName/incident': 'INCIDENT', // °
}

/** Widths of a measure's effect, widest first; unlisted ones come last. */
export const EFFECTS: readonly (readonly string[])[] = [['ROAD_CLOSED', 'CLOSED_FOR_WINTER'], ['CARRIAGEWAY_CLOSED'], ['LANES_CLOSED']]

/** Grades of severity, most severe first; DATEX's `none` and `unknown` have no grade and come last. */
export const GRADES: Table<typeof SEVERITIES> = {
  highest: 'CRITICAL',
  high: 'HIGH',
  medium: 'MEDIUM',
  low: 'LOW',
  lowest: 'LOW',
  none: 'UNKNOWN',
  unknown: 'UNKNOWN',
}

/** Directions along the road. */
export const DIRECTIONS: Table<typeof ROAD_DIRECTIONS> = { positive: 'POSITIVE', negative: 'NEGATIVE', both: 'BOTH', unknown: 'UNKNOWN' }

/** The kind of road at a detector: its `singularity`. */
export const DETECTOR_SITE_KINDS: Table<typeof DETECTOR_SITES> = {
  'AUTOPISTA / AUTOVÍA': 'MOTORWAY',
  CIRCUNVALACIÓN: 'RING_ROAD',
  'CARRETERA NACIONAL': 'NATIONAL_ROAD',
  'CARRETERA AUTONÓMICA': 'REGIONAL_ROAD',
  ENTRADA: 'ENTRY',
  SALIDA: 'EXIT',
  'BUS-VAO': 'BUS_HOV',
  NINGUNA: 'NONE',
}

/** Compass directions; `unknown` has no code. */
export const COMPASS: Table<typeof COMPASS_DIRECTIONS> = {
  northBound: 'NORTH',
  northEastBound: 'NORTH_EAST',
  eastBound: 'EAST',
  southEastBound: 'SOUTH_EAST',
  southBound: 'SOUTH',
  southWestBound: 'SOUTH_WEST',
  westBound: 'WEST',
  northWestBound: 'NORTH_WEST',
}

/** Lanes, including those of DGT's extension. */
export const LANE_USAGES: Table<typeof LANES> = {
  allLanesCompleteCarriageway: 'ALL', // °
  rightLane: 'RIGHT', // °
  middleLane: 'MIDDLE', // °
  leftLane: 'LEFT', // °
  rightHardShoulder: 'RIGHT_HARD_SHOULDER', // °
  leftHardShoulder: 'LEFT_HARD_SHOULDER', // °
  hardShoulder: 'HARD_SHOULDER',
  tidalFlowLane: 'TIDAL_FLOW', // °
  carPoolLane: 'CAR_POOL', // °
  busLane: 'BUS',
  slowVehicleLane: 'SLOW_VEHICLE',
  crawlerLane: 'SLOW_VEHICLE',
  turningLane: 'TURNING',
  leftHandTurningLane: 'TURNING',
  rightHandTurningLane: 'TURNING',
}

/** Carriageways; `unspecifiedCarriageway` has no code. */
export const CARRIAGEWAY_CODES: Table<typeof CARRIAGEWAYS> = {
  mainCarriageway: 'MAIN',
  exitSlipRoad: 'EXIT_SLIP_ROAD', // °
  entrySlipRoad: 'ENTRY_SLIP_ROAD', // °
  slipRoads: 'SLIP_ROAD',
  serviceRoad: 'SERVICE_ROAD', // °
  connectingCarriageway: 'CONNECTING',
  oppositeCarriageway: 'OPPOSITE',
}

/** Vehicles; `anyVehicle` is no restriction. */
export const VEHICLE_TYPES: Table<typeof VEHICLES> = {
  heavyVehicle: 'HEAVY', // °
  heavyGoodsVehicle: 'HEAVY',
  lorry: 'LORRY',
  articulatedVehicle: 'ARTICULATED',
  bus: 'BUS', // °
  car: 'CAR', // °
  motorcycle: 'MOTORCYCLE',
  bicycle: 'BICYCLE',
  vehicleWithTrailer: 'TRAILER',
  carWithTrailer: 'TRAILER',
  authorizedVehicle: 'AUTHORISED', // °
  nonAuthorizedVehicle: 'NOT_AUTHORISED', // °
}

/** Record types that DGT publishes, and the sources it names; others are counted. */
export const RECORD_TYPES: ReadonlySet<string> = new Set([
  'RoadOrCarriagewayOrLaneManagement',
  'GenericSituationRecord',
  'AbnormalTraffic',
  'SpeedManagement',
  'PoorEnvironmentConditions',
  'GeneralObstruction',
  'WinterDrivingManagement',
  'NonWeatherRelatedRoadConditions',
])
export const SOURCES: ReadonlySet<string> = new Set(['DGT', 'DGT3.0', '112'])
