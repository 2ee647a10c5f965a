/** The levels of the vocabulary of all cities, and what Madrid's traffic centre calls them, the freest first. */
const LEVEL_PAIRS = [
  ['FREE', 'FLUID'],
  ['DENSE', 'SLOW'],
  ['VERY_DENSE', 'QUEUES'],
  ['CONGESTED', 'CONGESTION'],
] as const

const LEVELS: ReadonlyMap<string, string> = new Map(LEVEL_PAIRS.map(([level, service]) => [service, level]))
const SERVICES: ReadonlyMap<string, string> = new Map(LEVEL_PAIRS)

/** The level of a level of service; UNKNOWN where none is stated. */
export function levelOf(levelOfService: string | null): string {
  return (levelOfService !== null && LEVELS.get(levelOfService)) || 'UNKNOWN'
}

/** The level of service of a level; null for CLOSED, UNKNOWN and codes that the list lacks. */
export function serviceOf(level: string): string | null {
  return SERVICES.get(level) ?? null
}
