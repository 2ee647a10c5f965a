import type { CoverageGap } from '../../define/memory-read.ts'

type PlaceValue = { readonly province_code: string | null }

/** The sources of incidents: the DGT has the whole country but the Basque Country and Catalonia, the SCT has Catalonia. */
export const INCIDENT_GAP: CoverageGap = Object.freeze<CoverageGap>({
  province_codes: Object.freeze(['01', '20', '48']),
  note: 'No source of this service has incidents of the Basque Country (Araba/Álava, Gipuzkoa, Bizkaia): an empty list does not mean that there are none.',
  askedFor: ({ place }) => (place as PlaceValue | undefined)?.province_code ?? null,
})
