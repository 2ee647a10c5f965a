import type { FeedStandIn } from '../../publisher.ts'
import { mobilityDatabase } from './ferries.ts'
import { marineRegister } from './marine-fuel.ts'
import { nga } from './ports.ts'

/** Publishers of feeds about the sea. */
export const standIns: readonly FeedStandIn[] = Object.freeze([marineRegister, nga, ...mobilityDatabase])
