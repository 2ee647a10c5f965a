const DAY_MS = 86_400_000

/** The deprecation of an endpoint, for at least a year: announced first, then answered with 410. */
export interface Deprecation {
  /** The first day of the deprecation and the last day on which the path works, in UTC: `2026-11-22`. */
  readonly since: string
  readonly sunset: string
  /** The path that replaces it, if any. */
  readonly replacement?: string
}

/** The instant from which a deprecated endpoint answers 410, in ms since the epoch. */
export function goneFrom({ sunset }: Deprecation): number {
  return Date.parse(sunset) + DAY_MS
}

/** Returns the headers with the day of a deprecation (RFC 9745), the last day (RFC 8594), and links about them. */
export function deprecationHeaders(deprecation: Deprecation): Readonly<Record<'Deprecation' | 'Sunset' | 'Link', string>> {
  return {
    Deprecation: `@${Date.parse(deprecation.since) / 1000}`,
    Sunset: new Date(goneFrom(deprecation) - 1000).toUTCString(),
    Link: deprecationLinks(deprecation).join(', '),
  }
}

/** Returns the entries of the Link header that lead to the changelog and to the replacement; none if nothing is deprecated. */
export function deprecationLinks(deprecation: Deprecation | undefined): string[] {
  if (!deprecation) return []
  const { replacement } = deprecation
  return [
    ...['deprecation', 'sunset'].map((rel) => `</changelog>; rel="${rel}"; type="text/html"`),
    // A path with parameters in it is no URL.
    ...(replacement && !replacement.includes('{') ? [`<${replacement}>; rel="successor-version"`] : []),
  ]
}
