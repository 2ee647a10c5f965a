import { expect, test } from 'vitest'
import { checkDatasets } from '../../../lake/schema/check-datasets.ts'
import { col } from '../../../lake/schema/columns.ts'
import { everything, variant } from '../query/fixtures.ts'

test('a catalogue without mistakes is taken as it is', () => {
  expect(checkDatasets([everything])).toEqual([everything])
})

test('every mistake of a catalogue is reported at once, with its dataset', () => {
  const { id, observed_at } = everything.columns
  const speed = col.integer(3, 'Speed.', { unit: 'parsec' as 'km' })
  const status = col.string(4, 'What live rows have of their own.')
  const wrong = variant({ id: 'wrong', columns: { id, observed_at, speed, status }, order: ['height'] })
  const observed = variant({ id: 'observed', writeMode: 'changes', isObservation: true })
  const check = (): unknown => checkDatasets([everything, everything, wrong, observed])
  for (const mistake of [
    'everything: declared twice',
    'wrong: column speed: no unit parsec',
    'wrong: column status: live rows have a member of that name',
    'wrong: there is no column height',
    'observed: the engine fills the time of a changes dataset: it is no observation',
  ])
    expect(check).toThrow(mistake)
})
