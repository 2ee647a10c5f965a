import type { Feed } from '../define.ts'
import { fuelArchive } from './archive.ts'
import { fuelBulletinFeed } from './bulletin.ts'
import { fuelMinistryMeans } from './ministry-means.ts'
import { fuelStationsFeed } from './stations.ts'

/** Feeds about fuel. */
export const feeds: readonly Feed[] = Object.freeze([fuelStationsFeed, fuelArchive, fuelBulletinFeed, fuelMinistryMeans])
