import { accidentSections, accidentsBySection } from '../../../lake/datasets/safety/accident-places.ts'
import { roadAccidents } from '../../../lake/datasets/safety/road-accidents.ts'
import { scan } from '../../../lake/query/scan.ts'
import { defineDerived } from '../define.ts'

/** Accidents by road section, month, day of the week and hour; one set per edition, as corrections come as editions. */
export const accidentSectionsDerived = defineDerived({
  by: 'versions',
  into: accidentSections,
  from: [roadAccidents],
  revision: 1,
  parts: (editions) => editions.map((version) => ({ version, from: [version] })),
  rows: ({ version }) => accidentsBySection(scan(roadAccidents, { edition: { eq: version } })),
})
