import type { FeedStandIn } from '../../publisher.ts'
import { aena } from './aena.ts'
import { adsbLol, opensky } from './aircraft.ts'
import { eurocontrol } from './eurocontrol.ts'
import { aviationWeather } from './metar.ts'
import { ourairports } from './ourairports.ts'

/** Publishers of feeds about aviation. */
export const standIns: readonly FeedStandIn[] = Object.freeze([ourairports, aena, aviationWeather, ...eurocontrol, adsbLol, opensky])
