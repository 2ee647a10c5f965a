/** Letters, then a number or a Roman one, and perhaps a suffix: `A-2`, `A5`, `N-II`, `BV-1462`, `C-58cc`, `N-121-A`. */
const DESIGNATION = /^\p{L}{1,4}-?(?:\d{1,5}|[IVX]{1,4})(?:[- ]?\p{L}{1,3})?$/u

/** True for the designation of a road, false for the name of a street or place. */
export function isDesignation(text: string): boolean {
  return DESIGNATION.test(text.trim())
}
