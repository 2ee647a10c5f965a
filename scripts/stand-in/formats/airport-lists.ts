import type { Variant } from '../publisher.ts'
import { chance } from '../random.ts'
import type { Airport } from '../world/aviation/airports.ts'

const COLUMNS =
  'id,ident,type,name,latitude_deg,longitude_deg,elevation_ft,continent,iso_country,iso_region,municipality,scheduled_service,icao_code,iata_code,gps_code,local_code,home_link,wikipedia_link,keywords'.split(
    ',',
  )
/** Rows of other places: airfields without an IATA code, and other countries. The real list has some 84,000. */
const OTHERS = { full: 20_000, small: 200 } as const
const COUNTRIES = ['US', 'BR', 'FR', 'PT', 'ES', 'AU', 'CA'] as const
/** Other names of airports, by IATA code. */
export const AIRPORT_KEYWORDS: Readonly<Record<string, string>> = {
  MAD: 'Barajas',
  BCN: 'El Prat',
  LPA: 'Gando',
  TFN: 'Los Rodeos',
  OVD: 'Ranón, Oviedo',
}

/** OurAirports' `airports.csv`: texts are quoted, numbers are not; the older layout has no `icao_code`. */
export function airportsCsv(
  airports: readonly Airport[],
  { seed, scale, variant }: { readonly seed: number; readonly scale: keyof typeof OTHERS; readonly variant: Variant },
): string {
  const header = COLUMNS.filter((name) => !(variant.isOldLayout && name === 'icao_code'))
  const lines = [[...header, ...(variant.hasUnknownCodes ? ['annual_traffic'] : [])].map(quoted).join()]
  const add = (values: Readonly<Record<string, string>>): void => {
    lines.push([...header.map((name) => values[name] ?? ''), ...(variant.hasUnknownCodes ? ['1'] : [])].join())
  }
  for (let nth = 0; nth < OTHERS[scale]; nth++) {
    const country = COUNTRIES[nth % COUNTRIES.length] as string
    const at = (name: string, from: number, width: number): string => (from + width * chance(seed, name, nth)).toFixed(4)
    add({
      ...{ id: String(6523 + nth), ident: quoted(`${country}-${String(nth).padStart(4, '0')}`), type: '"small_airport"' },
      ...{ name: quoted(`Aeródromo ${nth}`), latitude_deg: at('airfield lat', 37, 5), longitude_deg: at('airfield lon', -6, 5) },
      ...{ continent: '"EU"', iso_country: quoted(country), iso_region: quoted(`${country}-X`), scheduled_service: '"no"' },
    })
  }
  for (const [nth, one] of airports.entries())
    add({
      ...{ id: String(4000 + nth), ident: quoted(one.icao), type: quoted(typeOf(one)), name: quoted(one.name) },
      ...{ latitude_deg: String(one.lat), longitude_deg: String(one.lon), elevation_ft: String(one.elevation_ft) },
      ...{ continent: '"EU"', iso_country: '"ES"', iso_region: '"ES-X"', municipality: quoted(one.municipality) },
      ...{ scheduled_service: one.movements_k > 1 ? '"yes"' : '"no"', icao_code: quoted(one.icao), iata_code: quoted(one.iata) },
      ...{
        gps_code: quoted(one.icao),
        keywords: AIRPORT_KEYWORDS[one.iata] === undefined ? '' : quoted(AIRPORT_KEYWORDS[one.iata] as string),
      },
    })
  return `${lines.join('\n')}\n`
}

/** OpenFlights' `airports.dat`: no header, `\N` for null. */
export function openflightsDat(airports: readonly Airport[]): string {
  const lines = airports.map((one, nth) =>
    [
      ...[1000 + nth, quoted(one.name), quoted(one.municipality), '"Spain"', quoted(one.iata), quoted(one.icao), one.lat, one.lon],
      ...[one.elevation_ft, one.zone === 'Europe/Madrid' ? 1 : 0, '"E"', quoted(one.zone), '"airport"', '"OurAirports"'],
    ].join(),
  )
  return `${[`1,"Goroka Airport","Goroka","Papua New Guinea","GKA","AYGA",-6.0817,145.3919,5282,10,"U",\\N,"airport","OurAirports"`, ...lines].join('\n')}\n`
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`

function typeOf({ name, movements_k }: Airport): string {
  if (name.includes('Heliport')) return 'heliport'
  return movements_k >= 40 ? 'large_airport' : movements_k >= 4 ? 'medium_airport' : 'small_airport'
}
