import { accountOperation, json, KEY_REFUSED, OWNER } from '../../auth/account-operation.ts'
import { bodySchema } from '../../auth/bodies.ts'
import { type Part, pathParameter, problemResponse, ref } from '../../kernel/openapi-parts.ts'
import { exampleOf } from '../../kernel/reads/shape.ts'
import { NEW_KEY_BODY, OVERLAP_H, ROTATE_BODY } from './account-fields.ts'
import { EXAMPLE_ID, KEY_FIELDS, NEW_KEY_FIELDS, wholeRecord } from './account-records.ts'

/** How a caller authenticates, as the description names it. */
export const SECURITY_SCHEMES: Part = Object.freeze({
  ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'A key from POST /api/keys.' },
  Session: { type: 'apiKey', in: 'cookie', name: 'session', description: 'One hour of /account, opened by a mailed link.' },
})

const SHOWN = exampleOf(KEY_FIELDS)
const SHOWN_ONCE = exampleOf(NEW_KEY_FIELDS)

/** The schemas of the account paths. */
export function accountSchemas(): Part {
  return { Key: wholeRecord(KEY_FIELDS), NewKey: wholeRecord(NEW_KEY_FIELDS) }
}

/** Describes the paths of accounts and keys. */
export function accountPaths(): Part {
  return {
    '/api/keys': {
      post: {
        ...accountOperation('keys_create', 'Make a key', {
          201: json(
            'The key, shown once. A link to confirm the e-mail address and to manage its keys is mailed.',
            ref('schemas', 'NewKey'),
            SHOWN_ONCE,
          ),
          400: problemResponse(['invalid-parameter', 'unknown-parameter', 'malformed-request']),
          403: FOREIGN,
          413: ref('responses', '413'),
          415: problemResponse(['unsupported-media-type']),
          422: problemResponse(['key-limit-reached']),
        }),
        description:
          'At most three free keys of an e-mail address work at the same time, besides those of paid plans. One IP address may request at most 5 an hour and 20 a day, and one e-mail address gets at most 6 a day.',
        requestBody: body(bodySchema(NEW_KEY_BODY), { email: 'name@example.org', label: 'My car' }, true),
      },
      get: {
        ...accountOperation('keys_list', 'The keys that the caller may see', {
          200: json(
            'With a key only itself, with a session all keys of the account.',
            { type: 'object', required: ['keys'], properties: { keys: { type: 'array', items: ref('schemas', 'Key') } } },
            { keys: [SHOWN] },
          ),
          400: problemResponse(['unknown-parameter']),
          401: problemResponse(KEY_REFUSED),
        }),
        security: OWNER,
      },
    },
    '/api/keys/{id}/rotate': {
      post: {
        ...accountOperation('keys_by_id_rotate', 'Replace a key by a new one', {
          201: json(
            'The new key, shown once, and the former one.',
            { allOf: [ref('schemas', 'NewKey')], required: ['former'], properties: { former: ref('schemas', 'Key') } },
            { ...SHOWN_ONCE, former: { ...SHOWN, status: 'ROTATING', ends_at: '2026-01-03T12:00:00.000Z' } },
          ),
          400: problemResponse(['invalid-parameter', 'unknown-parameter', 'malformed-request']),
          401: problemResponse(KEY_REFUSED),
          404: ref('responses', '404Limited'),
          409: problemResponse(['conflict']),
          403: FOREIGN,
          413: ref('responses', '413'),
          415: problemResponse(['unsupported-media-type']),
        }),
        description: 'Plan, label and counted requests stay. A key may rotate only itself.',
        security: OWNER,
        parameters: [ID],
        requestBody: body(bodySchema(ROTATE_BODY), { overlap_hours: OVERLAP_H }, false),
      },
    },
    '/api/keys/{id}': {
      delete: {
        ...accountOperation('keys_by_id_revoke', 'Revoke a key', {
          200: json('The key as it is now.', ref('schemas', 'Key'), { ...SHOWN, status: 'REVOKED' }),
          400: problemResponse(['unknown-parameter', 'malformed-request']),
          401: problemResponse(KEY_REFUSED),
          404: ref('responses', '404Limited'),
          403: FOREIGN,
          413: ref('responses', '413'),
          415: problemResponse(['unsupported-media-type']),
        }),
        description: 'It is refused everywhere within a minute, usually at once. A key may revoke only itself.',
        security: OWNER,
        parameters: [ID],
      },
    },
  }
}

const ID = Object.freeze(pathParameter('id', 'Public name of the key.', EXAMPLE_ID))

/** The response to writes that pages of other sites sent. */
const FOREIGN = ref('responses', '403Account')

function body(schema: Part, example: Part, required: boolean): Part {
  return { required, content: { 'application/json': { schema, example } } }
}
