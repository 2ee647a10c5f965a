import { expect, test } from 'vitest'
import { inOrderOfInputs } from '../../../jobs/derive/catalog.ts'
import type { Derived } from '../../../jobs/derive/define.ts'
import { sql } from '../../../lake/query/sql.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { differences, lines, littleDerived, stops } from './little.ts'

const [a, b, c] = [stops, lines, differences]
const versions = (into: Dataset, ...from: readonly Dataset[]): Derived => ({ ...littleDerived(), into, from })
const model = (into: Dataset, ...from: readonly Dataset[]): Derived => ({
  ...{ by: 'model', into, from, revision: 1, parts: () => [], reads: () => sql`SELECT 1`, rows: async () => [] },
})
const order = (...derivations: readonly Derived[]): string[] => inOrderOfInputs(derivations).map(({ into }) => into.id)

test('a derivation comes after those that fill its inputs, a model after SQL, and else as given', () => {
  expect(order(versions(a, b), versions(b, c), versions(c))).toEqual([c.id, b.id, a.id])
  expect(order(versions(a), versions(b), versions(c))).toEqual([a.id, b.id, c.id])
  expect(order(model(a), versions(b), versions(c))).toEqual([b.id, c.id, a.id])
  expect(order(versions(b, a), model(a), versions(c))).toEqual([c.id, a.id, b.id])
})

test('the side outputs of a model, and its reads of recent hours, count too', () => {
  const beside = { ...model(a), sideOutputs: [c] } as Derived
  expect(order(versions(b, c), beside)).toEqual([a.id, b.id])
  const recent = { ...model(a), recent: [b] } as Derived
  expect(order(recent, model(b))).toEqual([b.id, a.id])
})

test('a cycle is refused by the names of its datasets', () => {
  expect(() => inOrderOfInputs([versions(a, b), versions(b, a), versions(c)])).toThrow(`depend on each other: ${a.id}, ${b.id}`)
})
