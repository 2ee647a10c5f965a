import type { Feed } from '../define.ts'
import { aisReceivers } from './ais-receivers.ts'
import { aisstream } from './aisstream.ts'
import { ferriesBalearia, ferriesFredOlsen, ferriesVizcayaBridge } from './ferry-timetable.ts'
import { marineFuel } from './marine-fuel.ts'
import { worldPortIndexFeed } from './world-port-index.ts'

/** Feeds about the sea. */
export const feeds: readonly Feed[] = Object.freeze([
  marineFuel,
  worldPortIndexFeed,
  ferriesBalearia,
  ferriesFredOlsen,
  ferriesVizcayaBridge,
  aisReceivers,
  aisstream,
])
