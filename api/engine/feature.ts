import type { FastifyInstance } from 'fastify'
import type { Endpoint } from '../kernel/endpoint.ts'
import type { Part } from '../kernel/openapi-parts.ts'

/** What the description of a feature depends on. */
export interface DescribeContext {
  readonly endpoints: readonly Endpoint[]
  /** The address that clients use. */
  readonly baseUrl: string
}

/** A part of the OpenAPI description: paths, schemas of components, and webhooks. */
export interface Described {
  readonly paths: Part
  readonly schemas?: Part
  readonly webhooks?: Part
}

/** A part of the service besides the data endpoints. `P` is what it needs of the application. */
export interface Feature<P> {
  readonly id: string
  /** Registers its routes, with their limits and counters. */
  register(app: FastifyInstance, parts: P): void
  /** Describes the same routes. */
  describe(context: DescribeContext): Described
}
