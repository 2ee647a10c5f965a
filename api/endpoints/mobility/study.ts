import { MOBILITY_STUDIES } from '../../../lake/datasets/mobility/codes.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { noDataYet } from '../../define/no-data.ts'
import { codeParam, type Param, withDefault } from '../../define/params.ts'
import { Refused } from '../../define/problems.ts'

/** The study that is answered unless another is named. */
export const DEFAULT_STUDY = 'V2'

/** `study`: of which study, never of two. */
export const studyParam: Param<string> = withDefault(
  codeParam('Study; two studies are never in one answer.', MOBILITY_STUDIES, { example: 'V2' }),
  DEFAULT_STUDY,
)

/**
 * What is thrown of a question about what has not landed. A level of zones of the study that is answered by default may land any time; the other
 * study is over and only fetched where it was asked for, so that asking again is no use: it is refused.
 */
export function nothingOf(dataset: Dataset, { study, level }: { readonly study: string; readonly level?: string }): Error {
  if (study !== DEFAULT_STUDY)
    return new Refused('expected a study of which anything has landed', { parameter: 'study', value: study, allowed: [DEFAULT_STUDY] })
  const what = level === undefined ? `the study ${study}` : `the study ${study} at the level ${level}`
  return noDataYet(`Nothing of ${what} has arrived yet`, {
    missing: [dataset],
    waits_for: ['the first day of it that the ministry publishes'],
    retry_after_s: 3600,
  })
}
