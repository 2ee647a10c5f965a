/** The direction from which the wind blows, degrees; null if it is calm: publishers then write 0 or 360, which means north. */
export function windDirection(speed: number | null, direction: number | null): number | null {
  return speed === 0 ? null : direction
}
