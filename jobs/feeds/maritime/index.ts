import type { Feed } from '../define.ts'
import { marineFuel } from './marine-fuel.ts'

/** Feeds about the sea. */
export const feeds: readonly Feed[] = Object.freeze([marineFuel])
