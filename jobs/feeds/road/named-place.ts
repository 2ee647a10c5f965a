import { municipalityByCode } from '../../../lake/places/municipalities.ts'
import type { ResolvedPlace } from '../../../lake/places/resolve.ts'

/** A place with the official name of its municipality. */
export interface NamedPlace extends ResolvedPlace {
  readonly municipality: string | null
}

/** Adds the name of its municipality to a place; for publishers that state none. */
export function namedPlace(place: ResolvedPlace): NamedPlace {
  const { municipality_code } = place
  return { ...place, municipality: municipality_code === null ? null : (municipalityByCode(municipality_code)?.name ?? null) }
}
