import type { Corridor } from '../../../lake/places/corridors.ts'
import { foldRoad } from '../../../lake/places/road-key.ts'
import { isSectionOn } from '../../kernel/filters/road.ts'
import { memo } from '../../kernel/reads/memo.ts'
import type { ImdSection } from './imd-sections.ts'

/** The sections of a year by the folded names of their roads; cached. */
const roadsOf = memo((sections: readonly ImdSection[]) => Map.groupBy(sections, ({ road }) => foldRoad(road)))

/**
 * The sections of a year on a corridor, ordered by its roads and their kilometres. Sections that only touch its end are left
 * out.
 */
export function sectionsOn({ roads }: Corridor, sections: readonly ImdSection[]): ImdSection[] {
  const found = roads.flatMap(({ road, km_from, km_to, province_code }) =>
    (roadsOf(sections).get(foldRoad(road)) ?? []).filter(
      (one) =>
        (province_code === null || one.province_code === province_code) &&
        isSectionOn({ road: null, km_from, km_to }, one) &&
        (km_to === null || Math.min(one.km_from, one.km_to) < km_to),
    ),
  )
  return [...new Set(found)]
}

/** Inputs of mean daily vehicles. */
export interface VehicleKm {
  readonly veh_km: number
  /** Kilometres times days. */
  readonly km_days: number
}

/** A section with vehicle-km. */
const isStated = (one: ImdSection): boolean => one.veh_km !== null && one.length_km > 0

/** The totals of sections; those without vehicle-km or length are left out. */
export function vehicleKmOf(sections: readonly ImdSection[]): VehicleKm {
  let [veh_km, km_days] = [0, 0]
  for (const one of sections.filter(isStated)) {
    veh_km += one.veh_km ?? 0
    km_days += one.length_km * one.year_days
  }
  return { veh_km, km_days }
}

/** The totals in two years of the sections present in both; a section that is split in parts counts as one. */
export function matchedOf(
  sections: readonly ImdSection[],
  before: readonly ImdSection[],
): { readonly now: VehicleKm; readonly then: VehicleKm; readonly sections: number } {
  const ids = (of: readonly ImdSection[]): Set<string> => new Set(of.filter(isStated).map(({ section_id }) => section_id))
  const then = ids(before)
  const both = new Set([...ids(sections)].filter((id) => then.has(id)))
  const among = ({ section_id }: ImdSection): boolean => both.has(section_id)
  return { now: vehicleKmOf(sections.filter(among)), then: vehicleKmOf(before.filter(among)), sections: both.size }
}
