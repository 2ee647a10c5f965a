/** Options of a count. */
export const COUNT = { unit: '1', min: 0 } as const
/** Options of a kilometre point of a road, to the metre. */
export const ROAD_KM = { scale: 3, unit: 'km', min: 0, max: 2000 } as const
/** Options of a share, 0 to 1. */
export const SHARE = { scale: 4, unit: '1', min: 0, max: 1 } as const
/** Options of a percentage, 0 to 100. */
export const PERCENT = { unit: '%', min: 0, max: 100 } as const
/** Options of a direction from north, clockwise. */
export const BEARING = { unit: 'deg', min: 0, max: 360 } as const
/** Options of an air temperature at the ground. */
export const CELSIUS = { nullable: true, scale: 1, unit: 'Cel', min: -60, max: 80 } as const
/** Options of a wind speed. */
export const WIND = { nullable: true, scale: 1, unit: 'm/s', min: 0, max: 150 } as const
/** Options of precipitation, as water. */
export const RAIN = { nullable: true, scale: 1, unit: 'mm', min: 0, max: 2000 } as const
/** Options of a depth of snow. */
export const SNOW = { nullable: true, scale: 1, unit: 'cm', min: 0, max: 2000 } as const
/** Options of the air pressure at a station. */
export const PRESSURE = { nullable: true, scale: 1, unit: 'hPa', min: 500, max: 1100 } as const
/** Options of the interval of a departure that a timetable states as a frequency. */
export const HEADWAY = { nullable: true, unit: 's', min: 1, max: 86_400 } as const
/** Options of the direction of a trip in GTFS. */
export const TRIP_DIRECTION = { nullable: true, unit: '1', min: 0, max: 1 } as const
