import { defineMissing } from '../collection.ts'

/** Collections whose data has not been collected yet. */
export const missing = {
  cameras: defineMissing({
    id: 'cameras',
    path: '/api/camaras',
    title: 'Cameras',
    about: 'Traffic cameras.',
    awaits: ['cameras', 'traffic_cameras'],
    reason: 'No feed of cameras is collected yet.',
  }),
  speedCameras: defineMissing({
    id: 'speed-cameras',
    path: '/api/radares',
    title: 'Speed cameras',
    about: 'Fixed and average-speed cameras.',
    awaits: ['speed_cameras'],
    reason: 'No feed of speed cameras is collected yet.',
  }),
  lowEmissionZones: defineMissing({
    id: 'low-emission-zones',
    path: '/api/zbe',
    title: 'Low-emission zones',
    about: 'Low-emission zones of cities.',
    awaits: ['low_emission_zones'],
    reason: 'No feed of low-emission zones is collected yet.',
  }),
} as const
