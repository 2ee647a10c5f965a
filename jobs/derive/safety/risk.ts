import { animalAccidents } from '../../../lake/datasets/safety/animal-accidents.ts'
import { riskEstimates, riskProfiles } from '../../../lake/datasets/safety/risk.ts'
import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import { dgtAccidentFiles } from '../../../lake/datasets/safety/sources.ts'
import { modelCards, modelScores } from '../../../lake/datasets/service/models.ts'
import { scan } from '../../../lake/query/scan.ts'
import type { AnyRow, Dataset } from '../../../lake/schema/dataset.ts'
import { dayBounds } from '../../../lake/schema/time.ts'
import { inThread } from '../../../models/in-thread.ts'
import type { SectionAccident } from '../../../models/risk/accidents.ts'
import { ANIMALS, CASUALTIES, RISK_MODELS, type RiskBasis } from '../../../models/risk/bases.ts'
import { casualtyAccidents, SECTION_ACCIDENT_COLUMNS, sectionAccidents } from '../../../models/risk/rows.sql.ts'
import { enoughOf, estimatesOf, type fitRun, profilesOf, type RiskParameters } from '../../../models/risk/run.ts'
import { runModel } from '../../../models/run/run.ts'
import { type DerivedPart, defineDerived } from '../define.ts'

/** A fit takes some tens of seconds of a core. */
const FIT = { file: new URL('../../../models/risk/run.ts', import.meta.url), name: 'fitRun' }
const REVISION = 3
/** Editions of the national table, which includes the other sources' accidents. */
const NATIONAL = /^dgt-\d{4}$/

/** Extra editions read beside those that a model is fitted to, since the newest may be too small. */
const SPARE_EDITIONS = 2

/** A model's part from the newest editions of a dataset; none without editions. */
function partOf({ model, years }: RiskBasis, of: Dataset, editions: readonly string[]): DerivedPart[] {
  const newest = editions.slice(-(years + SPARE_EDITIONS))
  return newest.length === 0 ? [] : [{ version: model, from: newest, of: [of] }]
}

/**
 * Expected accidents of road sections, rebuilt with every edition that a model uses; no rows for editions that are too small.
 */
export const riskDerived = defineDerived({
  by: 'model',
  into: riskEstimates,
  sideOutputs: [riskProfiles, modelScores, modelCards],
  from: [animalAccidents, roadAccidents],
  sources: [dgtAccidentFiles],
  revision: REVISION,
  waitsForParts: true,
  parts: (_versions, held) => [
    ...partOf(ANIMALS, animalAccidents, held(animalAccidents)),
    ...partOf(
      CASUALTIES,
      roadAccidents,
      held(roadAccidents).filter((edition) => NATIONAL.test(edition)),
    ),
  ],
  reads: ({ version, from }) =>
    version === CASUALTIES.model
      ? casualtyAccidents(scan(roadAccidents, { edition: { in: from } }))
      : sectionAccidents(scan(animalAccidents, { edition: { in: from } })),
  gives: SECTION_ACCIDENT_COLUMNS,
  rows: async ({ version: model }, { given, files, signal }) => {
    const basis = RISK_MODELS.find((one) => one.model === model) as RiskBasis
    const accidents = given as unknown as readonly SectionAccident[]
    if (enoughOf(accidents, basis).length === 0) return []
    const stood = await runModel<RiskParameters>(files, { model, revision: REVISION, signal }, (standing) =>
      inThread<typeof fitRun>({ ...FIT, signal }, accidents, basis, standing),
    )
    const { model_version, parameters } = stood
    const [check] = stood.checked
    const fitted = {
      model,
      model_version,
      made_at: dayBounds(parameters.data_to).end,
      recent_error: check ? stood.recentError(check.series, check.horizon) : null,
    }
    const profiles = profilesOf(parameters, fitted) as unknown as AnyRow[]
    return {
      rows: estimatesOf(parameters, basis, fitted) as unknown as AnyRow[],
      sideOutputs: new Map([...stood.beside, [riskProfiles, profiles]]),
    }
  },
})
