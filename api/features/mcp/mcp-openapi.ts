import { operation, type Part, problemResponse, ref } from '../../kernel/openapi-parts.ts'
import type { ProblemCode } from '../../kernel/problems.ts'
import { MCP_PATH } from './http.ts'

const REQUEST = Object.freeze({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
const MESSAGE: Part = Object.freeze({
  type: 'object',
  required: ['jsonrpc'],
  properties: {
    jsonrpc: { type: 'string', const: '2.0', description: 'Version of JSON-RPC.' },
    // Without a type: a union of three stops generators of clients.
    id: { description: 'Id of the request: a string, an integer or, in errors, null; absent in notifications.' },
  },
})

const REQUEST_SCHEMA: Part = Object.freeze({
  ...MESSAGE,
  required: ['jsonrpc', 'method'],
  properties: {
    ...(MESSAGE['properties'] as Part),
    method: { type: 'string', description: 'Method of the protocol, such as `tools/call`.' },
    params: { type: 'object', description: 'What the method takes.' },
  },
})

/** Describes the MCP server as one operation: its tools describe themselves. */
export function mcpPaths(): Part {
  const example = 'event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{"tools":[]}}\n\n'
  return {
    [MCP_PATH]: {
      post: {
        ...operation(
          'mcp',
          ['MCP server: the data as tools of an assistant', 'El servidor MCP: los datos como herramientas de un asistente'],
          {
            200: {
              description: 'The reply, as one server-sent event.',
              content: { 'text/event-stream': { schema: { type: 'string' }, example } },
            },
            202: { description: 'A notification was taken.' },
            400: ownOr(['malformed-request']),
            403: problemResponse(['foreign-origin', 'https-required']),
            406: {
              description: 'The caller must accept both media types of the transport.',
              content: { 'application/json': { schema: MESSAGE } },
            },
            413: ref('responses', '413'),
            415: ownOr(['unsupported-media-type']),
          },
        ),
        description:
          'Model Context Protocol over streamable HTTP, without sessions. Tools ask the paths of this API with the key that is sent.',
        requestBody: { required: true, content: { 'application/json': { schema: REQUEST_SCHEMA, example: REQUEST } } },
      },
    },
  }
}

/** A problem of HTTP, or an error of the protocol. */
function ownOr(codes: readonly ProblemCode[]): Part {
  const problems = problemResponse(codes)
  return { ...problems, content: { ...problems.content, 'application/json': { schema: MESSAGE } } }
}
