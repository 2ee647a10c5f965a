import { expect, test } from 'vitest'
import { filled, recordKind } from '../../../../api/features/mcp/line.ts'

const KIND = recordKind('train', '/x', { also: ['lat'] }, [
  'Train {number/id} at {place}',
  'to {destination}',
  '{stop.name}[ «{text}»]',
  'calls at {stops}',
  ({ live }) => (live === true ? 'live' : null),
])

test('a kind of record asks for the members that its line shows, and for others', () => {
  expect(KIND.fields).toEqual(['lat', 'number', 'id', 'road', 'km', 'municipality', 'province', 'destination', 'stop', 'text', 'stops'])
})

test('a line has the parts whose members have a value, and always the first', () => {
  const train = { number: null, id: 'T1', province: 'Madrid', municipality: 'Madrid', stop: { name: 'Sol' }, stops: ['A', 'B'], live: true }
  expect(KIND.line(train)).toBe('Train T1 at Madrid, Sol, calls at A, B, live')
  expect(KIND.line({ road: 'A-6', km: 0, destination: '', stops: [], text: 'x' })).toBe('Train unknown at A-6 km 0')
})

test('texts of publishers are quoted, cut and never read as a template', () => {
  expect(filled({ text: 'a «b»\n{id} [x] $1', id: 1 }, '«{text}» {id}')).toBe('«a b {id} [x] $1» 1')
  expect(filled({ text: 'x'.repeat(300) }, '«{text}»')).toBe(`«${'x'.repeat(199)}…»`)
  expect(filled({}, '{name|no name}[ ({id})]')).toBe('no name')
  expect(filled({}, 'to {name}')).toBeNull()
})
