import type { RiskModel } from './fit.ts'
import { dayHours } from './profile.ts'

/** Expected accidents of every section in the 24 hours of a day (since 1970-01-01): section × hour. */
export function predictDay(model: RiskModel, day: number): Float64Array {
  return predictWith(model, (kind, province_code) => dayHours(model.profiles[kind] as RiskModel['profiles'][number], province_code, day))
}

/** The rates of sections times each kind's profile values in some cells of a province: section × cell. */
export function predictWith(
  model: Pick<RiskModel, 'grid' | 'rates'>,
  cellsOf: (kind: number, province_code: string) => Float64Array,
): Float64Array {
  const { grid, rates } = model
  let expected = new Float64Array(0)
  for (const [kind, ofKind] of rates.entries()) {
    const known = new Map<string, Float64Array>()
    for (const { province_code, offset, length } of grid.roads) {
      const cells = known.get(province_code) ?? cellsOf(kind, province_code)
      known.set(province_code, cells)
      if (expected.length === 0) expected = new Float64Array(grid.size * cells.length)
      for (let section = offset; section < offset + length; section++) {
        const rate = ofKind[section] as number
        for (let cell = 0; cell < cells.length; cell++) {
          const at = section * cells.length + cell
          expected[at] = (expected[at] as number) + rate * (cells[cell] as number)
        }
      }
    }
  }
  return expected
}
