import { FLIGHT_DIRECTIONS } from '../../../lake/datasets/aviation/codes.ts'
import { codeParam, type Param, param, plainText, required } from '../../kernel/params/params.ts'
import { InvalidParam } from '../../kernel/problems.ts'

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

/** A flight number in one spelling, such as `VY3917`: an airline's IATA or ICAO code, and the number without leading zeros. */
export const flightNumberParam: Param<string | null> = param({
  about: "Flight number: the airline's IATA or ICAO code and the number. Case, a space or hyphen and leading zeros do not matter.",
  schema: { type: 'string', minLength: 3, maxLength: 12 },
  parse: (text) => {
    const parts = /^\s*([A-Z]{3}|[A-Z][A-Z\d]|\d[A-Z])[\s-]*0*(\d{1,4}[A-Z]?)\s*$/i.exec(text)
    if (!parts) throw new InvalidParam('expected the code of an airline and a number, such as VY3917')
    return `${parts[1]}${parts[2]}`.toUpperCase()
  },
  example: 'VY3917',
})

/** Departures or arrivals. */
export const directionParam = codeParam('Departures or arrivals; by default both.', FLIGHT_DIRECTIONS, { example: 'DEPARTURE' })
