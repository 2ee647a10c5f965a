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
} as const
