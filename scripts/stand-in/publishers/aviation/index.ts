import type { Publisher } from '../../publisher.ts'
import { aena } from './aena.ts'
import { adsbLol, opensky } from './aircraft.ts'
import { eurocontrol } from './eurocontrol.ts'
import { aviationWeather } from './metar.ts'
import { ourairports } from './ourairports.ts'

/** Publishers of feeds about aviation. */
export const publishers: readonly Publisher[] = Object.freeze([ourairports, aena, aviationWeather, eurocontrol, adsbLol, opensky])
