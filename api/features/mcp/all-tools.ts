import type { Tool } from './tool.ts'
import { findFuel, getFuelTrend } from './tools/fuel.ts'
import { getMobility } from './tools/mobility.ts'
import { getTrainStatus } from './tools/rail.ts'
import { getIncidents, getRoadStatus, getTrafficIntensity } from './tools/road.ts'
import { getRoadSafety } from './tools/safety.ts'
import { getAviation, getMaritime } from './tools/sea-and-air.ts'
import { searchTransport } from './tools/search.ts'
import { getWeather } from './tools/weather.ts'

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
