import { bodySchema } from '../../auth/bodies.ts'
import { BODY_REFUSED, FOREIGN, jsonReply, KEY_REFUSED, limitedOperation, OWNER, VALUE_REFUSED } from '../../kernel/openapi-operation.ts'
import { type Part, parametersPart, pathParameter, ref } from '../../kernel/openapi-parts.ts'
import { exampleOf, wholeRecord } from '../../kernel/reads/shape.ts'
import { NEW_KEY_BODY, OVERLAP_H, ROTATE_BODY } from './account-fields.ts'
import { EXAMPLE_ID, KEY_FIELDS, NEW_KEY_FIELDS, USAGE_FIELDS } from './account-records.ts'
import { USAGE_PARAMS } from './usage-report.ts'

/** How a caller authenticates, as the description names it. */
export const SECURITY_SCHEMES: Part = Object.freeze({
  ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'A key from POST /api/keys.' },
  Session: { type: 'apiKey', in: 'cookie', name: 'session', description: 'One hour of /account, opened by a mailed link.' },
})

const SHOWN = exampleOf(KEY_FIELDS)
const SHOWN_ONCE = exampleOf(NEW_KEY_FIELDS)

/** The schemas of the paths of accounts, keys and usage. */
export function accountSchemas(): Part {
  return { Key: wholeRecord(KEY_FIELDS), NewKey: wholeRecord(NEW_KEY_FIELDS), Usage: wholeRecord(USAGE_FIELDS) }
}

/** Describes the paths of accounts, keys and usage. */
export function accountPaths(): Part {
  const [key, newKey] = [ref('schemas', 'Key'), ref('schemas', 'NewKey')]
  const ofOne = { security: OWNER, parameters: [pathParameter('id', 'Public name of the key.', EXAMPLE_ID)] }
  return {
    '/api/keys': {
      post: limitedOperation('keys_create', ['Make a key', 'Crear una clave'], {
        about:
          'At most three free keys of an e-mail address work at the same time, besides those of paid plans. One IP address may request at most 5 an hour and 20 a day, and one e-mail address gets at most 6 a day.',
        body: { schema: bodySchema(NEW_KEY_BODY), example: { email: 'name@example.org', label: 'My car' } },
        replies: {
          201: jsonReply('The key, shown once. A link to confirm the e-mail address and to manage its keys is mailed.', newKey, SHOWN_ONCE),
        },
        problems: [...VALUE_REFUSED, ...BODY_REFUSED, ...FOREIGN, 'key-limit-reached'],
      }),
      get: limitedOperation('keys_list', ['The keys that the caller may see', 'Las claves que se pueden ver'], {
        security: OWNER,
        replies: {
          200: jsonReply(
            'With a key only itself, with a session all keys of the account.',
            { type: 'object', required: ['keys'], properties: { keys: { type: 'array', items: key } } },
            { keys: [SHOWN] },
          ),
        },
        problems: ['unknown-parameter', ...KEY_REFUSED],
      }),
    },
    '/api/keys/{id}/rotate': {
      post: limitedOperation('keys_by_id_rotate', ['Replace a key by a new one', 'Poner una clave nueva en lugar de otra'], {
        ...ofOne,
        about: 'Plan, label and counted requests stay. A key may rotate only itself.',
        body: { schema: bodySchema(ROTATE_BODY), example: { overlap_hours: OVERLAP_H }, required: false },
        replies: {
          201: jsonReply(
            'The new key, shown once, and the former one.',
            { allOf: [newKey], required: ['former'], properties: { former: key } },
            { ...SHOWN_ONCE, former: { ...SHOWN, status: 'ROTATING', ends_at: '2026-01-03T12:00:00.000Z' } },
          ),
        },
        problems: [...VALUE_REFUSED, ...BODY_REFUSED, ...KEY_REFUSED, ...FOREIGN, 'not-found', 'conflict'],
      }),
    },
    '/api/keys/{id}': {
      delete: limitedOperation('keys_by_id_revoke', ['Revoke a key', 'Revocar una clave'], {
        ...ofOne,
        about: 'It is refused everywhere within a minute, usually at once. A key may revoke only itself.',
        replies: { 200: jsonReply('The key as it is now.', key, { ...SHOWN, status: 'REVOKED' }) },
        problems: ['unknown-parameter', ...BODY_REFUSED, ...KEY_REFUSED, ...FOREIGN, 'not-found'],
      }),
    },
    '/api/usage': {
      get: limitedOperation('usage', ['Usage of the API', 'Lo que se ha usado'], {
        about: 'Days are days in Madrid, as all plain dates. A request is counted within two minutes of its end.',
        security: OWNER,
        parameters: parametersPart(USAGE_PARAMS),
        replies: {
          200: jsonReply(
            'By day, key and path: with a key its own usage, with a session that of all keys of the account.',
            ref('schemas', 'Usage'),
            exampleOf(USAGE_FIELDS),
          ),
        },
        problems: [...VALUE_REFUSED, 'range-too-large', ...KEY_REFUSED, 'not-found', 'temporary-reduced-capacity', 'query-timeout'],
      }),
    },
  }
}
