import type { Tool } from '../tool.ts'
import { findFuel, getFuelTrend } from './fuel.ts'
import { getMobility } from './mobility.ts'
import { getTrainStatus } from './rail.ts'
import { getIncidents, getRoadStatus, getTrafficIntensity } from './road.ts'
import { getRoadSafety } from './safety.ts'
import { getAviation, getMaritime } from './sea-and-air.ts'
import { searchTransport } from './search.ts'
import { getWeather } from './weather.ts'

/** The twelve tools, in the order in which clients list them. */
export const tools: readonly Tool[] = Object.freeze([
  getIncidents,
  getRoadStatus,
  getTrafficIntensity,
  findFuel,
  getFuelTrend,
  getTrainStatus,
  getWeather,
  getMobility,
  getRoadSafety,
  getMaritime,
  getAviation,
  searchTransport,
])
