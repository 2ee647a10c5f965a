import { col } from '../../schema/columns.ts'
import { defineDataset } from '../../schema/dataset.ts'
import { dgtAccidentFiles } from './sources.ts'

/** The codebook of the national accident table: the values of each variable, in the publisher's words. */
export const accidentCodebook = defineDataset({
  id: 'accident_codebook',
  domain: 'safety',
  title: 'Codebook of accidents',
  about: "Variables of the national accident table with their values and labels, from the publisher's dictionary.",
  sources: [dgtAccidentFiles],
  columns: {
    source: col.string(1, 'Source whose variable it is.', { example: 'dgt_accidents' }),
    variable: col.string(2, 'Name of the variable.', { example: 'TIPO_VIA' }),
    value: col.string(3, 'Value as published; - means empty, or a note about all values.', { example: '3' }),
    label: col.string(4, 'What it means, in Spanish, as published.', { example: 'Autovía' }),
    observed_at: col.instant(5, 'Fetch of this state: the dictionary has no date.', {
      example: '2025-11-05T00:00:00.000Z',
    }),
  },
  entity: ['source', 'variable', 'value'],
  time: 'observed_at',
  writeMode: 'changes',
  absence: 'missing',
  plan: { live: 'FREE', history: 'PRO', bulk: 'ENTERPRISE' },
})
