import { PLANS } from '../../lake/schema/dataset.ts'
import type { ProblemCode } from '../define/problems.ts'
import { LIMIT_HEADERS, type Part, pathParameter, problemResponse, ref } from '../http/openapi-parts.ts'
import { LABEL_MOST, OVERLAP_H, OVERLAP_MOST_H } from './account-fields.ts'
import { askPage } from './account-html.ts'

/** How a caller shows who asks, as the description names it. */
export const SECURITY_SCHEMES: Part = Object.freeze({
  ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'A key that POST /api/keys gave.' },
  Session: { type: 'apiKey', in: 'cookie', name: 'session', description: 'One hour of /account, opened by a mailed link.' },
})

/** Who may see and change an account. */
export const OWNER = [{ ApiKey: [] }, { Session: [] }]
/** Problems of a request whose key does not work. */
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
// The key that api documentation and tests use everywhere; nobody has it.
const SHOWN_ONCE = Object.freeze({ key: 'tia_0123456789ABCDEFGHIJKLMNOPQRST120YGD', ...SHOWN })

/** The schemas of the account paths. */
export function accountSchemas(): Part {
  const text = { type: 'string' }
  const properties = {
    id: { ...text, description: 'Public name of the key.' },
    hint: { ...text, description: 'First 8 and last 4 characters of the key.' },
    label: { type: ['string', 'null'], description: 'What its owner calls it.' },
    plan: { ...text, enum: PLANS, description: 'Plan of the key; a plan is granted to one key.' },
    status: {
      ...text,
      enum: ['ACTIVE', 'ROTATING', 'REVOKED', 'EXPIRED'],
      description: 'ROTATING works until ends_at, beside the key that takes its place; REVOKED and EXPIRED do not work.',
    },
    created_at: { ...text, format: 'date-time', description: 'When it was made.' },
    ends_at: {
      type: ['string', 'null'],
      format: 'date-time',
      description: 'When it stops to work by itself: end of a rotation, or of the time to confirm the e-mail address. Null: never.',
    },
  }
  const key = { ...text, description: 'The key: shown this once.' }
  return {
    Key: { type: 'object', required: Object.keys(properties), properties },
    NewKey: { type: 'object', required: ['key', ...Object.keys(properties)], properties: { key, ...properties } },
  }
}

/** The paths of accounts and keys. */
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
          'At most three free keys of an e-mail address work at the same time, besides those of paid plans. At most 5 an hour and 20 a day may be asked for from one address, and 6 a day for one e-mail address.',
        requestBody: body(
          {
            type: 'object',
            required: ['email'],
            additionalProperties: false,
            properties: {
              email: { type: 'string', format: 'email', maxLength: 254, description: 'Whose key it is; case is ignored.' },
              label: { type: ['string', 'null'], maxLength: LABEL_MOST, description: 'What to call the key; one line.' },
            },
          },
          { email: 'name@example.org', label: 'My car' },
          true,
        ),
      },
      get: {
        ...accountOperation('keys_list', 'The keys one may see', {
          200: json(
            'With a key itself alone, with a session all keys of the account.',
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
        ...accountOperation('keys_by_id_rotate', 'Put a new key in the place of one', {
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
        description: 'Plan, label and what was counted stay. A key may rotate itself only.',
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
        description: 'It is refused everywhere within a minute, mostly at once. A key may revoke itself only.',
        security: OWNER,
        parameters: [ID],
      },
    },
    '/signup': {
      post: {
        ...accountOperation('signup', 'What the form of the start page does', {
          201: html('The key, shown once, with a call to copy. A link is mailed as by POST /api/keys.'),
          400: {
            ...BAD_FORM,
            description: `${BAD_FORM.description} As a page: that was no e-mail address.`,
            content: { ...BAD_FORM.content, ...html('').content },
          },
          403: FOREIGN,
          413: ref('responses', '413'),
          415: problemResponse(['unsupported-media-type']),
          422: html('The form again: the address has as many keys as it may have.'),
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
          200: html('The keys in a session; else a form that asks for the e-mail address, or for a click where a mailed link led here.'),
          401: html('The mailed link was used or is over.'),
        }),
        parameters: [
          {
            name: 'token',
            in: 'query',
            required: false,
            description: 'The token of a mailed link; looking uses nothing.',
            schema: { type: 'string' },
          },
        ],
      },
      post: {
        ...accountOperation('account_act', 'What the forms of the page do', {
          200: { ...html('What came of it.'), headers: { 'Set-Cookie': ref('headers', 'SetCookie') } },
          303: {
            description: 'Done; back to the page.',
            headers: { Location: ref('headers', 'Location'), 'Set-Cookie': ref('headers', 'SetCookie') },
          },
          400: problemResponse(['invalid-parameter', 'unknown-parameter']),
          401: html('No session, or the mailed link was used or is over.'),
          404: ref('responses', '404Limited'),
          409: problemResponse(['conflict']),
          403: FOREIGN,
          413: ref('responses', '413'),
          415: problemResponse(['unsupported-media-type']),
          429: { ...LIMITED, content: { ...LIMITED.content, ...html('Too many links were asked for.').content } },
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

/** What writes are answered that pages of other sites had sent. */
const FOREIGN = ref('responses', '403Account')
const BAD_FORM = problemResponse(['invalid-parameter', 'unknown-parameter'])

/** The forms of the page, by what they do. */
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
    form('mail', { email: { type: 'string', format: 'email', maxLength: 254, description: 'Whom the link is for.' } }),
    form('open', { token: { type: 'string', description: 'The token of the mailed link.' } }),
    form('rotate', { id, overlap_hours: { ...hours, description: 'How long the former key works on. Unit: h.' } }, ['overlap_hours']),
    form('revoke', { id }),
    form('revoke-all', {}),
    form('usage-mails', { wanted: { type: 'string', enum: ['yes', 'no'], description: 'Whether they are to be sent.' } }),
    form('delete', { sure: { const: 'yes', description: 'That it is meant.' } }),
    form('leave', {}),
  ]
}

/** What a request over the limits of its address is answered. */
const LIMITED = Object.freeze(problemResponse(['quota-exceeded']))

/** What the description says of an operation on an account, whatever it is. */
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
