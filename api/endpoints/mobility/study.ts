import { MOBILITY_STUDIES } from '../../../lake/datasets/mobility/codes.ts'
import { codeParam, type Param, withDefault } from '../../define/params.ts'
import { problem } from '../../define/problems.ts'

/** The study that is answered unless another is named. */
export const DEFAULT_STUDY = 'V2'

/** `study`: of which study, never of two. */
export const studyParam: Param<string> = withDefault(
  codeParam('Study; two studies are never in one answer.', MOBILITY_STUDIES, { example: 'V2' }),
  DEFAULT_STUDY,
)

/** The problem of a question about what has not landed: a study, or a level of its zones. */
export const nothingOf = (what: string): Error =>
  problem('feed-unavailable', `Nothing of ${what} has arrived yet.`, { retry_after_s: 3600 })
