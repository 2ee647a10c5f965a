import type { IncomingMessage } from 'node:http'
import { FULL_COST, REMAINING_COST, REVALIDATED_COST, type RequestContext } from '../../auth/request-context.ts'
import type { Format } from '../../kernel/formats.ts'
import { isNotModified } from '../../kernel/http/headers.ts'
import { unknownThing } from '../answers/response-plan.ts'
import type { RequestValues } from '../request/request.ts'
import type { MadeResponse } from './responses.ts'

/** The documents of one endpoint. */
export interface EndpointDocuments {
  /** Returns the document type that an Accept header prefers to all representations of the endpoint; null if there is none. */
  preferred(accept: string | undefined, formats: readonly Format[]): string | null
  /** Returns the document of a media type; null if nothing exists under the path. */
  make(type: string, values: RequestValues): Promise<MadeResponse | null>
}

/** Returns the document of a request and charges its caller. A 304 costs nothing of the daily quota. */
export async function chargedDocument(
  { headers }: IncomingMessage,
  one: { readonly context: RequestContext; readonly documents: EndpointDocuments; readonly type: string; readonly values: RequestValues },
): Promise<MadeResponse> {
  const { context, documents, type, values } = one
  const mayHaveIt = headers['if-none-match'] !== undefined
  await context.charge(mayHaveIt ? REVALIDATED_COST : FULL_COST)
  const found = await documents.make(type, values)
  if (!found) throw unknownThing(values.path)
  if (mayHaveIt && !isNotModified(headers, found.head)) await context.charge(REMAINING_COST)
  return found
}
