/** The levels of all cities with their names at Madrid's traffic centre, freest first. */
const LEVEL_PAIRS = [
  ['FREE', 'FLUID'],
  ['DENSE', 'SLOW'],
  ['VERY_DENSE', 'QUEUES'],
  ['CONGESTED', 'CONGESTION'],
] as const

const LEVELS: ReadonlyMap<string, string> = new Map(LEVEL_PAIRS.map(([level, service]) => [service, level]))
const SERVICES: ReadonlyMap<string, string> = new Map(LEVEL_PAIRS)

/** Converts a level of service to a level; UNKNOWN without one. */
export function levelOf(levelOfService: string | null): string {
  return (levelOfService !== null && LEVELS.get(levelOfService)) || 'UNKNOWN'
}

/** Converts a level to a level of service; null for CLOSED, UNKNOWN and unlisted codes. */
export function serviceOf(level: string): string | null {
  return SERVICES.get(level) ?? null
}
