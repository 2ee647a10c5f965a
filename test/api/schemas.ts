import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { expect } from 'vitest'

/** The validator of replies: JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })

/** Validates a value against a schema. */
export function checkSchema(schema: object, value: unknown): void {
  checkValid(ajv.compile(schema), value)
}

/** Validates a value against a compiled schema. */
export function checkValid(valid: ValidateFunction, value: unknown): void {
  valid(value)
  expect(valid.errors ?? []).toEqual([])
}
