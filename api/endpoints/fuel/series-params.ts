import { fuelBulletin } from '../../../lake/datasets/fuel/bulletin.ts'
import { FUEL_SERIES } from '../../../lake/datasets/fuel/codes.ts'
import { fuelDays } from '../../../lake/datasets/fuel/days.ts'
import { codeParam, type Param, withDefault } from '../../define/params.ts'
import { problem } from '../../define/problems.ts'

/** `series`: where the prices come from. */
export const seriesParam: Param<string> = withDefault(
  codeParam('Where the prices come from; two series are never in one answer.', FUEL_SERIES, { example: 'BULLETIN' }),
  'BULLETIN',
)

/** The datasets that series are answered from. */
export const SERIES_DATASETS = [fuelBulletin, fuelDays] as const

/** The dataset that a series is answered from: never both. Throws for a series of which nothing is held. */
export function datasetsOf(series: string): readonly (typeof SERIES_DATASETS)[number][] {
  if (series === 'BULLETIN') return [fuelBulletin]
  if (series === 'STATION_MEAN') return [fuelDays]
  const detail = `Nothing of the series ${series} has arrived yet; BULLETIN is of all Spain by week, STATION_MEAN is made of the prices of the stations.`
  throw problem('feed-unavailable', detail, { retry_after_s: 3600 })
}
