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
 * DATEX II causes: a family (`causeType`) and, after a slash, its detail. Unlisted details are counted and read as their
 * family. Causes in DGT's capture of January 2026 are marked °. The README beside this file explains how causes imply types.
 */
export const CAUSES: Readonly<Record<string, CauseMeaning>> = {
  accident: ['ACCIDENT', 'ACCIDENT'], // °
  'accident/accident': ['ACCIDENT', 'ACCIDENT'], // °
  'accident/multipleVehicleCollision': ['MULTIPLE_COLLISION', 'ACCIDENT'],
  'accident/multivehicleAccident': ['MULTIPLE_COLLISION', 'ACCIDENT'],
  'accident/overturnedVehicle': ['OVERTURNED_VEHICLE', 'ACCIDENT'],
  'accident/overturnedHeavyLorry': ['OVERTURNED_VEHICLE', 'ACCIDENT'],
  roadMaintenance: ['ROADWORKS', 'ROADWORKS'],
  'roadMaintenance/roadworks': ['ROADWORKS', 'ROADWORKS'], // °
  'roadMaintenance/maintenanceWork': ['MAINTENANCE', 'ROADWORKS'],
  'roadMaintenance/repairWork': ['REPAIR', 'ROADWORKS'],
  'roadMaintenance/resurfacingWork': ['RESURFACING', 'ROADWORKS'],
  'roadMaintenance/roadMarkingWork': ['ROAD_MARKING', 'ROADWORKS'],
  'roadMaintenance/grassCuttingWork': ['VEGETATION_CUTTING', 'ROADWORKS'],
  'roadMaintenance/treeAndVegetationCuttingWork': ['VEGETATION_CUTTING', 'ROADWORKS'],
  'roadMaintenance/snowploughsInUse': ['WINTER_MAINTENANCE', 'ROADWORKS'],
  'roadMaintenance/saltingInProgress': ['WINTER_MAINTENANCE', 'ROADWORKS'],
  constructionWork: ['CONSTRUCTION', 'ROADWORKS'],
  'constructionWork/constructionWork': ['CONSTRUCTION', 'ROADWORKS'],
  vehicleObstruction: ['VEHICLE_OBSTRUCTION', 'OBSTACLE'],
  'vehicleObstruction/vehicleStuck': ['STOPPED_VEHICLE', 'BREAKDOWN'], // °
  'vehicleObstruction/abandonedVehicle': ['STOPPED_VEHICLE', 'BREAKDOWN'],
  'vehicleObstruction/brokenDownVehicle': ['BROKEN_DOWN_VEHICLE', 'BREAKDOWN'],
  'vehicleObstruction/brokenDownHeavyLorry': ['BROKEN_DOWN_VEHICLE', 'BREAKDOWN'],
  'vehicleObstruction/brokenDownBus': ['BROKEN_DOWN_VEHICLE', 'BREAKDOWN'],
  'vehicleObstruction/damagedVehicle': ['BROKEN_DOWN_VEHICLE', 'BREAKDOWN'],
  'vehicleObstruction/vehicleOnFire': ['VEHICLE_ON_FIRE', 'OBSTACLE'], // °
  'vehicleObstruction/slowVehicle': ['SLOW_VEHICLE', 'OBSTACLE'],
  'vehicleObstruction/vehicleOnWrongCarriageway': ['WRONG_WAY_VEHICLE', 'OBSTACLE'],
  obstruction: ['OBSTRUCTION', 'OBSTACLE'],
  'obstruction/objectOnTheRoad': ['OBJECT_ON_ROAD', 'OBSTACLE'], // °
  'obstruction/obstructionOnTheRoad': ['OBSTRUCTION', 'OBSTACLE'],
  'obstruction/debris': ['OBJECT_ON_ROAD', 'OBSTACLE'],
  'obstruction/shedLoad': ['SHED_LOAD', 'OBSTACLE'],
  'obstruction/spillageOnTheRoad': ['SPILLAGE', 'OBSTACLE'], // °
  'obstruction/spillageOccurringFromMovingVehicle': ['SPILLAGE', 'OBSTACLE'],
  'obstruction/peopleOnRoadway': ['PEOPLE_ON_ROAD', 'OBSTACLE'],
  'obstruction/cyclistsOnRoadway': ['PEOPLE_ON_ROAD', 'OBSTACLE'],
  'obstruction/childrenOnRoadway': ['PEOPLE_ON_ROAD', 'OBSTACLE'],
  animalPresence: ['ANIMALS_ON_ROAD', 'OBSTACLE'],
  'animalPresence/animalsOnTheRoad': ['ANIMALS_ON_ROAD', 'OBSTACLE'],
  environmentalObstruction: ['ENVIRONMENTAL_OBSTRUCTION', 'OBSTACLE'],
  'environmentalObstruction/rockfalls': ['ROCKFALL', 'OBSTACLE'], // °
  'environmentalObstruction/landslips': ['LANDSLIDE', 'OBSTACLE'],
  'environmentalObstruction/mudSlide': ['LANDSLIDE', 'OBSTACLE'],
  'environmentalObstruction/flooding': ['FLOODING', 'OBSTACLE'],
  'environmentalObstruction/flashFloods': ['FLOODING', 'OBSTACLE'],
  'environmentalObstruction/fallenTrees': ['FALLEN_TREE', 'OBSTACLE'],
  'environmentalObstruction/avalanches': ['AVALANCHE', 'OBSTACLE'],
  'environmentalObstruction/forestFire': ['FIRE', 'OBSTACLE'],
  'environmentalObstruction/grassFire': ['FIRE', 'OBSTACLE'],
  'environmentalObstruction/seriousFire': ['FIRE', 'OBSTACLE'],
  'environmentalObstruction/smokeOrFumes': ['SMOKE', 'OBSTACLE'],
  'environmentalObstruction/stormDamage': ['STORM_DAMAGE', 'OBSTACLE'],
  'environmentalObstruction/subsidence': ['SUBSIDENCE', 'OBSTACLE'],
  infrastructureDamageObstruction: ['DAMAGED_INFRASTRUCTURE', 'OBSTACLE'],
  'infrastructureDamageObstruction/damagedRoadSurface': ['DAMAGED_SURFACE', 'OBSTACLE'], // °
  nonWeatherRelatedRoadConditions: ['POOR_SURFACE', 'OBSTACLE'],
  poorEnvironment: ['ADVERSE_WEATHER', 'WEATHER'],
  'poorEnvironment/badWeather': ['ADVERSE_WEATHER', 'WEATHER'],
  'poorEnvironment/snowfall': ['SNOW', 'WEATHER'], // °
  'poorEnvironment/heavySnowfall': ['SNOW', 'WEATHER'],
  'poorEnvironment/blizzard': ['SNOW', 'WEATHER'],
  'poorEnvironment/fog': ['FOG', 'WEATHER'], // °
  'poorEnvironment/denseFog': ['FOG', 'WEATHER'],
  'poorEnvironment/patchyFog': ['FOG', 'WEATHER'],
  'poorEnvironment/strongWinds': ['WIND', 'WEATHER'], // °
  'poorEnvironment/gustyWinds': ['WIND', 'WEATHER'],
  'poorEnvironment/crosswinds': ['WIND', 'WEATHER'],
  'poorEnvironment/gales': ['WIND', 'WEATHER'],
  'poorEnvironment/stormForceWinds': ['WIND', 'WEATHER'],
  'poorEnvironment/frost': ['ICE', 'WEATHER'], // °
  'poorEnvironment/heavyFrost': ['ICE', 'WEATHER'],
  'poorEnvironment/rain': ['RAIN', 'WEATHER'],
  'poorEnvironment/heavyRain': ['RAIN', 'WEATHER'],
  'poorEnvironment/hail': ['HAIL', 'WEATHER'],
  'poorEnvironment/smokeHazard': ['SMOKE', 'WEATHER'], // °
  weatherRelatedRoadConditions: ['ADVERSE_WEATHER', 'WEATHER'],
  'weatherRelatedRoadConditions/ice': ['ICE', 'WEATHER'],
  'weatherRelatedRoadConditions/blackIce': ['ICE', 'WEATHER'],
  'weatherRelatedRoadConditions/snowOnTheRoad': ['SNOW', 'WEATHER'],
  winterEquipmentManagement: ['ADVERSE_WEATHER', 'WEATHER'],
  abnormalTraffic: ['ABNORMAL_TRAFFIC', 'CONGESTION'],
  'abnormalTraffic/slowTraffic': ['SLOW_TRAFFIC', 'CONGESTION'], // °
  'abnormalTraffic/heavyTraffic': ['HEAVY_TRAFFIC', 'CONGESTION'], // °
  'abnormalTraffic/queuingTraffic': ['QUEUING_TRAFFIC', 'CONGESTION'],
  'abnormalTraffic/stationaryTraffic': ['STATIONARY_TRAFFIC', 'CONGESTION'],
  holidayTraffic: ['HEAVY_TRAFFIC', 'CONGESTION'],
  rubberNecking: ['SLOW_TRAFFIC', 'CONGESTION'],
  publicEvent: ['MAJOR_EVENT', 'EVENT'],
  'publicEvent/majorEvent': ['MAJOR_EVENT', 'EVENT'], // °
  'publicEvent/bicycleRace': ['SPORTS_EVENT', 'EVENT'],
  'publicEvent/marathon': ['SPORTS_EVENT', 'EVENT'],
  'publicEvent/sportsMeeting': ['SPORTS_EVENT', 'EVENT'],
  roadsideEvent: ['MAJOR_EVENT', 'EVENT'],
  disturbance: ['DISTURBANCE', 'EVENT'],
  'disturbance/demonstration': ['DISTURBANCE', 'EVENT'],
  roadOrCarriagewayOrLaneManagement: ['TRAFFIC_MANAGEMENT', null],
  'roadOrCarriagewayOrLaneManagement/other': ['TRAFFIC_MANAGEMENT', null], // °
  speedManagement: ['TRAFFIC_MANAGEMENT', null],
  networkManagement: ['TRAFFIC_MANAGEMENT', null],
  rerouting: ['TRAFFIC_MANAGEMENT', null],
  instructionToRoadUsers: ['TRAFFIC_MANAGEMENT', null],
  authorityOperation: ['AUTHORITY_OPERATION', 'OTHER'],
  roadsideAssistance: ['ROADSIDE_ASSISTANCE', 'OTHER'],
  equipmentOrSystemFault: ['EQUIPMENT_FAULT', 'OTHER'],
  other: ['OTHER', 'OTHER'],
}

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
