import { defineMissing } from '../collection.ts'

/** Collections whose data has not been collected yet. */
export const missing = {
  cameras: defineMissing({
    id: 'cameras',
    title: 'Cameras',
    about: 'Traffic cameras.',
    awaits: ['cameras', 'traffic_cameras'],
    reason: 'No feed of cameras is collected yet.',
  }),
  speedCameras: defineMissing({
    id: 'speed-cameras',
    title: 'Speed cameras',
    about: 'Fixed and average-speed cameras.',
    awaits: ['speed_cameras'],
    reason: 'No feed of speed cameras is collected yet.',
  }),
  panels: defineMissing({
    id: 'panels',
    title: 'Message panels',
    about: 'Variable-message panels.',
    awaits: ['panels', 'message_panels', 'vms_panels', 'vms'],
    reason: 'No feed of message panels is collected yet.',
  }),
  lowEmissionZones: defineMissing({
    id: 'low-emission-zones',
    title: 'Low-emission zones',
    about: 'Low-emission zones of cities.',
    awaits: ['low_emission_zones'],
    reason: 'No feed of low-emission zones is collected yet.',
  }),
  weatherAlerts: defineMissing({
    id: 'weather-alerts',
    title: 'Weather warnings',
    about: 'Official weather warnings in force.',
    awaits: ['weather_alerts', 'weather_warnings'],
    reason: 'No feed of weather warnings is collected yet.',
  }),
  airStations: defineMissing({
    id: 'air-stations',
    title: 'Air quality stations',
    about: 'Stations that measure the quality of the air.',
    awaits: ['air_stations', 'air_quality_stations'],
    reason: 'No feed of air quality is collected yet.',
  }),
  marineStations: defineMissing({
    id: 'marine-stations',
    title: 'Marine filling stations',
    about: 'Filling stations in ports.',
    awaits: ['marine_stations', 'marine_fuel_stations'],
    reason: 'No feed of marine fuel is collected yet.',
  }),
  ports: defineMissing({ id: 'ports', title: 'Ports', about: 'Ports.', awaits: ['ports'], reason: 'No feed of ports is collected yet.' }),
  ferries: defineMissing({
    id: 'ferries',
    title: 'Ferry routes',
    about: 'Ferry routes.',
    awaits: ['ferries', 'ferry_routes'],
    reason: 'No timetable of ferries is collected yet.',
  }),
  vessels: defineMissing({
    id: 'vessels',
    title: 'Vessels',
    about: 'Vessels at sea.',
    awaits: ['vessels', 'vessel_positions'],
    reason: 'No feed of vessels is collected yet.',
  }),
  airports: defineMissing({
    id: 'airports',
    title: 'Airports',
    about: 'Airports.',
    awaits: ['airports'],
    reason: 'No feed of airports is collected yet.',
  }),
} as const
