import { PLANS } from '../../lake/schema/dataset.ts'
import type { ProblemCode } from '../define/problems.ts'
import { LIMIT_HEADERS, type Part, pathParameter, problemResponse, ref } from '../http/openapi-parts.ts'
import { LABEL_MOST, OVERLAP_H, OVERLAP_MOST_H } from './account-fields.ts'
import { askPage } from './account-html.ts'

/** How a caller authenticates, as the description names it. */
export const SECURITY_SCHEMES: Part = Object.freeze({
  ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'A key from POST /api/keys.' },
  Session: { type: 'apiKey', in: 'cookie', name: 'session', description: 'One hour of /account, opened by a mailed link.' },
})

/** Who may see and change an account. */
export const OWNER = [{ ApiKey: [] }, { Session: [] }]
/** Problems of a request with an invalid key. */
export const KEY_REFUSED: readonly ProblemCode[] = ['key-required', 'invalid-key', 'revoked-key', 'expired-key']
/** Public name of the key of examples. */
export const EXAMPLE_ID = 'key_1f0c44a9b7d25e83c6aa'
const SHOWN = Object.freeze({
  id: EXAMPLE_ID,
  hint: 'tia_0123…0YGD',
  label: 'My car',
  plan: 'FREE',
  status: 'ACTIVE',
  created_at: '2026-01-02T12:00:00.000Z',
  ends_at: null,
})
// The key that all API documentation and tests use; it belongs to nobody.
const SHOWN_ONCE = Object.freeze({ key: 'tia_0123456789ABCDEFGHIJKLMNOPQRST120YGD', ...SHOWN })

/** The schemas of the account paths. */
export function accountSchemas(): Part {
  const text = { type: 'string' }
  const properties = {
    id: { ...text, description: 'Public name of the key.' },
    hint: { ...text, description: 'First 8 and last 4 characters of the key.' },
    label: { type: ['string', 'null'], description: 'Name given by its owner.' },
    plan: { ...text, enum: PLANS, description: 'Plan of the key; a plan is granted to one key.' },
    status: {
      ...text,
      enum: ['ACTIVE', 'ROTATING', 'REVOKED', 'EXPIRED'],
      description: 'ROTATING works until ends_at, besides the key that replaces it; REVOKED and EXPIRED do not work.',
    },
    created_at: { ...text, format: 'date-time', description: 'When it was made.' },
    ends_at: {
      type: ['string', 'null'],
      format: 'date-time',
      description: 'When it expires: the end of a rotation, or of the time to confirm the e-mail address. Null: never.',
    },
  }
  const key = { ...text, description: 'The key, shown only once.' }
  return {
    Key: { type: 'object', required: Object.keys(properties), properties },
    NewKey: { type: 'object', required: ['key', ...Object.keys(properties)], properties: { key, ...properties } },
  }
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
        requestBody: body(
          {
            type: 'object',
            required: ['email'],
            additionalProperties: false,
            properties: {
              email: { type: 'string', format: 'email', maxLength: 254, description: 'Address of the owner; case is ignored.' },
              label: { type: ['string', 'null'], maxLength: LABEL_MOST, description: 'Name of the key; one line.' },
            },
          },
          { email: 'name@example.org', label: 'My car' },
          true,
        ),
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
        requestBody: body(
          {
            type: 'object',
            additionalProperties: false,
            properties: {
              overlap_hours: {
                type: ['integer', 'null'],
                minimum: 0,
                maximum: OVERLAP_MOST_H,
                default: OVERLAP_H,
                description: 'How long the former key works on. Unit: h.',
              },
            },
          },
          { overlap_hours: OVERLAP_H },
          false,
        ),
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
    '/signup': {
      post: {
        ...accountOperation('signup', 'Make a key with the form of the start page', {
          201: html('The key, shown once, with a call to copy. A link is mailed as by POST /api/keys.'),
          400: {
            ...BAD_FORM,
            description: `${BAD_FORM.description} As a page: the text was not an e-mail address.`,
            content: { ...BAD_FORM.content, ...html('').content },
          },
          403: FOREIGN,
          413: ref('responses', '413'),
          415: problemResponse(['unsupported-media-type']),
          422: html('The form again: the address already has the maximum of keys.'),
          429: { ...LIMITED, content: { ...LIMITED.content, ...html('The form again: it was sent too often.').content } },
        }),
        requestBody: {
          required: true,
          content: {
            'application/x-www-form-urlencoded': {
              schema: {
                type: 'object',
                required: ['email'],
                additionalProperties: false,
                properties: {
                  email: { type: 'string', format: 'email', maxLength: 254, description: 'Whose key it is.' },
                  lang: { type: 'string', enum: ['es', 'en'], description: 'Language of the answer.' },
                },
              },
              example: { email: 'name@example.org', lang: 'en' },
            },
          },
        },
      },
    },
    '/account': {
      get: {
        ...accountOperation('account', 'The page of an account, for people', {
          200: html('In a session, the keys; otherwise a form for the e-mail address, or a button if a mailed link led here.'),
          401: html('The mailed link was used or has expired.'),
        }),
        parameters: [
          {
            name: 'token',
            in: 'query',
            required: false,
            description: 'The token of a mailed link. Loading the page does not use it up.',
            schema: { type: 'string' },
          },
        ],
      },
      post: {
        ...accountOperation('account_act', 'Act on an account with the forms of its page', {
          200: { ...html('The result.'), headers: { 'Set-Cookie': ref('headers', 'SetCookie') } },
          303: {
            description: 'Done; back to the page.',
            headers: { Location: ref('headers', 'Location'), 'Set-Cookie': ref('headers', 'SetCookie') },
          },
          400: problemResponse(['invalid-parameter', 'unknown-parameter']),
          401: html('No session, or the mailed link was used or has expired.'),
          404: ref('responses', '404Limited'),
          409: problemResponse(['conflict']),
          403: FOREIGN,
          413: ref('responses', '413'),
          415: problemResponse(['unsupported-media-type']),
          429: { ...LIMITED, content: { ...LIMITED.content, ...html('Too many links were requested.').content } },
        }),
        requestBody: {
          required: true,
          content: {
            'application/x-www-form-urlencoded': {
              schema: { oneOf: acts() },
              example: { act: 'mail', email: 'name@example.org' },
            },
          },
        },
      },
    },
  }
}

const ID = Object.freeze(pathParameter('id', 'Public name of the key.', EXAMPLE_ID))

interface Response extends Part {
  readonly description: string
  readonly content: Part
}

/** The response to writes that pages of other sites sent. */
const FOREIGN = ref('responses', '403Account')
const BAD_FORM = problemResponse(['invalid-parameter', 'unknown-parameter'])

/** Describes the forms of the page, one per action. */
function acts(): Part[] {
  const form = (act: string, members: Part, optional: readonly string[] = []): Part => ({
    type: 'object',
    required: ['act', ...Object.keys(members).filter((name) => !optional.includes(name))],
    additionalProperties: false,
    properties: { act: { const: act, description: 'What to do.' }, ...members },
  })
  const id = { type: 'string', description: 'Public name of the key.' }
  const hours = { type: 'integer', minimum: 0, maximum: OVERLAP_MOST_H, default: OVERLAP_H }
  return [
    form('mail', { email: { type: 'string', format: 'email', maxLength: 254, description: 'Address that gets the link.' } }),
    form('open', { token: { type: 'string', description: 'The token of the mailed link.' } }),
    form('rotate', { id, overlap_hours: { ...hours, description: 'How long the former key works on. Unit: h.' } }, ['overlap_hours']),
    form('revoke', { id }),
    form('revoke-all', {}),
    form('usage-mails', { wanted: { type: 'string', enum: ['yes', 'no'], description: 'Whether these mails are sent.' } }),
    form('delete', { sure: { const: 'yes', description: 'Confirms the deletion.' } }),
    form('leave', {}),
  ]
}

/** The response to a request over the limits of its address. */
const LIMITED = Object.freeze(problemResponse(['quota-exceeded']))

/** Describes an operation on an account with the responses that all share. */
export function accountOperation(operationId: string, summary: string, responses: Part): Part {
  const limited = Object.entries({ 429: LIMITED, ...responses }).map(([status, response]): [string, Part] => {
    const part = response as Part
    return [status, '$ref' in part ? part : { ...part, headers: { ...LIMIT_HEADERS, ...(part['headers'] as Part | undefined) } }]
  })
  return { operationId, tags: ['account'], summary, responses: { ...Object.fromEntries(limited), 405: ref('responses', '405Limited') } }
}

/** A response in JSON. */
export function json(description: string, schema: Part, example: Part): Part {
  return { description, content: { 'application/json': { schema, example } } }
}

function html(description: string): Response {
  return { description, content: { 'text/html': { schema: { type: 'string' }, example: askPage('en') } } }
}

function body(schema: Part, example: Part, required: boolean): Part {
  return { required, content: { 'application/json': { schema, example } } }
}
