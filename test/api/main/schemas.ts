import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { expect } from 'vitest'

/** Integers of 32 bits: clients in Go and Java have no room for more where the description says so. */
const int32 = { type: 'number', validate: (value: number) => Math.abs(value) < 2 ** 31 } as const
const OTHERS = Object.fromEntries(['int64', 'double', 'date', 'date-time', 'uri', 'email'].map((name) => [name, true as const]))

/** The validator of replies: JSON Schema 2020-12, the dialect of OpenAPI 3.1. Of formats it checks those of integers. */
export const ajv = new Ajv2020({ strict: false, formats: { ...OTHERS, int32 }, allErrors: true })

/** Validates a value against a schema. */
export function checkSchema(schema: object, value: unknown): void {
  checkValid(ajv.compile(schema), value)
}

/** Validates a value against a compiled schema. */
export function checkValid(valid: ValidateFunction, value: unknown): void {
  valid(value)
  expect(valid.errors ?? []).toEqual([])
}
