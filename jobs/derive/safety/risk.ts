import { animalAccidents } from '../../../lake/datasets/safety/animal-accidents.ts'
import { riskEstimates } from '../../../lake/datasets/safety/risk-estimates.ts'
import { riskProfiles } from '../../../lake/datasets/safety/risk-profiles.ts'
import { modelCards } from '../../../lake/datasets/service/model-cards.ts'
import { modelScores } from '../../../lake/datasets/service/model-scores.ts'
import { scan } from '../../../lake/query/scan.ts'
import type { AnyRow } from '../../../lake/schema/dataset.ts'
import { dayBounds } from '../../../lake/schema/time.ts'
import { inThread } from '../../../models/in-thread.ts'
import type { SectionAccident } from '../../../models/risk/accidents.ts'
import { SECTION_ACCIDENT_COLUMNS, sectionAccidents } from '../../../models/risk/rows.sql.ts'
import { enoughOf, estimatesOf, profilesOf, type RiskParameters } from '../../../models/risk/run.ts'
import { type Fit, runModel } from '../../../models/run/run.ts'
import { defineDerived } from '../define.ts'

const THREAD = new URL('../../../models/risk/thread.ts', import.meta.url)
const REVISION = 2

/** Expected accidents of road sections, made anew with every edition of the accidents with animals; nothing of editions that are too small. */
export const riskDerived = defineDerived({
  by: 'model',
  into: riskEstimates,
  beside: [riskProfiles, modelScores, modelCards],
  from: [animalAccidents],
  revision: REVISION,
  parts: (editions) => (editions.length === 0 ? [] : [{ version: 'risk', from: editions }]),
  reads: ({ from }) => sectionAccidents(scan(animalAccidents, { edition: { in: from } })),
  gives: SECTION_ACCIDENT_COLUMNS,
  rows: async ({ version: model }, { given, files, signal }) => {
    const accidents = enoughOf(given as unknown as readonly SectionAccident[])
    if (accidents.length === 0) return []
    const stood = await runModel<RiskParameters>(files, { model, revision: REVISION, signal }, (standing) =>
      inThread<Fit<RiskParameters>>(THREAD, { accidents, standing }, signal),
    )
    const { model_version, parameters } = stood
    const told = {
      model,
      model_version,
      made_at: dayBounds(parameters.data_to).end,
      recent_error: stood.recentError('animal_accidents', 'P7D'),
    }
    const profiles = profilesOf(parameters, told) as unknown as AnyRow[]
    return { rows: estimatesOf(parameters, told) as unknown as AnyRow[], beside: new Map([...stood.beside, [riskProfiles, profiles]]) }
  },
})
