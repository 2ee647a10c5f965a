import { FLIGHT_DIRECTIONS } from '../../../lake/datasets/aviation/codes.ts'
import { codeParam, type Param, param, plainText, required } from '../../define/params.ts'
import { InvalidParam } from '../../define/problems.ts'

/** The IATA code of an airport; case is ignored. */
export const iataParam: Param<string | null> = param({
  about: 'IATA code of the airport.',
  schema: { type: 'string', pattern: '^[A-Za-z]{3}$' },
  parse: (text) => {
    if (!/^[A-Za-z]{3}$/.test(text)) throw new InvalidParam('expected the three letters of an IATA code, such as MAD')
    return text.toUpperCase()
  },
  example: 'MAD',
})

/** The same as a path parameter: any other text is not found. */
export const airportIata: Param<string> = required(
  param({
    about: 'IATA code of the airport.',
    schema: { type: 'string', minLength: 1, maxLength: 10 },
    parse: (text) => plainText(text, 10).toUpperCase(),
    example: 'MAD',
  }),
)

/** Departures or arrivals. */
export const directionParam = codeParam('Departures or arrivals; by default both.', FLIGHT_DIRECTIONS, { example: 'DEPARTURE' })
