import { FUEL_SERIES } from '../../../lake/datasets/fuel/codes.ts'
import { codeParam, type Param, withDefault } from '../../define/params.ts'
import { type Problem, problem } from '../../define/problems.ts'

/** `series`: where the prices come from. */
export const seriesParam: Param<string> = withDefault(
  codeParam('Where the prices come from; two series are never in one answer.', FUEL_SERIES, { example: 'STATION_MEAN' }),
  'BULLETIN',
)

/** The refusal of a series of which nothing is held. */
export function noSeries(series: string): Problem {
  const detail = `Nothing of the series ${series} has arrived yet; series=STATION_MEAN is made of the prices of the stations.`
  return problem('feed-unavailable', detail, { retry_after_s: 3600 })
}
