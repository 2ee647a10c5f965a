import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { expect } from 'vitest'

/** The validator of replies: JSON Schema 2020-12, as OpenAPI 3.1 has it. */
export const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })

/** Holds a value to a schema. */
export function checkSchema(schema: object, value: unknown): void {
  checkValid(ajv.compile(schema), value)
}

/** Holds a value to a compiled schema. */
export function checkValid(valid: ValidateFunction, value: unknown): void {
  valid(value)
  expect(valid.errors ?? []).toEqual([])
}
