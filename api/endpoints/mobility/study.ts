import { MOBILITY_STUDIES } from '../../../lake/datasets/mobility/codes.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { defineMethodPage } from '../../kernel/method-page.ts'
import { codeParam, type Param, withDefault } from '../../kernel/params/params.ts'
import { InvalidParam } from '../../kernel/problems.ts'
import { noDataYet } from '../../kernel/reads/no-data.ts'

/** The page about traffic and trips. */
export const MOBILITY_PAGE = defineMethodPage('mobility', new URL('./mobility.md', import.meta.url))

/** The default study. */
export const DEFAULT_STUDY = 'V2'

/** The parameter `study`: exactly one. */
export const studyParam: Param<string> = withDefault(
  codeParam('Study; a reply never mixes two studies.', MOBILITY_STUDIES, { example: 'V2' }),
  DEFAULT_STUDY,
)

/**
 * Returns the error for a question about data that has not landed. A zone level of the default study may land any time. The
 * other study has ended and is only loaded on demand, so a retry is useless: the request is rejected.
 */
export function nothingOf(dataset: Dataset, { study, level }: { readonly study: string; readonly level?: string }): Error {
  if (study !== DEFAULT_STUDY)
    return new InvalidParam('expected a study with data', { parameter: 'study', value: study, allowed: [DEFAULT_STUDY] })
  const what = level === undefined ? `the study ${study}` : `the study ${study} at the level ${level}`
  return noDataYet(`No data of ${what} has arrived yet`, {
    missing: [dataset],
    waits_for: ['its first day from the ministry'],
  })
}
