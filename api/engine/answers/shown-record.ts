import { type Endpoint, pathParams } from '../../kernel/endpoint.ts'
import { exampleTexts } from '../../kernel/example.ts'
import { type RecordShape, record } from '../../kernel/fields.ts'
import { circleOf, DISTANCE, POINT } from '../../kernel/params/around.ts'
import { problem } from '../../kernel/problems.ts'
import { membersOf } from '../../kernel/reads/shape.ts'
import { requestOf } from '../request/example-request.ts'
import { type RequestValues, requestReader } from '../request/request.ts'

/** Returns the shape of the records in a reply: no distance without a point, and no fields of other views. */
type Shown = (values: Pick<RequestValues, 'own' | 'page'>) => RecordShape

/**
 * Makes the function that returns the shape of the records in a reply, the same object for requests with the same fields. It
 * throws a 400 problem if `fields` names only fields that are left out.
 */
export function shownRecord({ returns, read, around }: Pick<Endpoint, 'returns' | 'read' | 'around'>): Shown {
  const { record: whole } = returns
  const omit = 'omit' in read ? read.omit : undefined
  if (!omit && !around) return () => whole
  const shapes = new Map<string, RecordShape>()
  return ({ own, page }) => {
    const base = around && circleOf(around, own) === null ? around.plain : whole
    const left = omit?.fields(own as never) ?? []
    const key = JSON.stringify([base === whole, left])
    const shape = shapes.get(key) ?? without(base, left)
    shapes.set(key, shape)
    const names = page.fields && new Set(membersOf(shape.fields).map(({ name }) => name))
    if (!names || page.fields.some((name) => names.has(name))) return shape
    const isDistance = page.fields.every((name) => name === DISTANCE) && base !== whole
    throw nothingLeft(isDistance ? POINT : [omit?.by ?? ''], shape)
  }
}

function without(shape: RecordShape, left: readonly string[]): RecordShape {
  if (left.length === 0) return shape
  const { name, about, fields, ...options } = shape
  return record(name, about, Object.fromEntries(Object.entries(fields).filter(([field]) => !left.includes(field))), options)
}

function nothingLeft(by: readonly string[], { fields }: RecordShape) {
  const names = membersOf(fields).map(({ name }) => name)
  const detail = `fields: none of the members asked for is in the reply, by ${by.join(' and ')}; expected some of ${names.join(', ')}`
  return problem('invalid-parameter', detail, { errors: [...by, 'fields'].map((parameter) => ({ parameter, detail })) })
}

/** Returns the shape of the record in the reply to an endpoint's example request. */
export function exampleRecord(endpoint: Endpoint): RecordShape {
  const names = pathParams(endpoint.path)
  const inPath = Object.fromEntries(names.map((name) => [name, exampleTexts(endpoint.example, null)[name] ?? '']))
  return shownRecord(endpoint)(requestReader(endpoint)(requestOf(endpoint), inPath))
}
