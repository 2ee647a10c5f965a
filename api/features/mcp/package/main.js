#!/usr/bin/env node
// MCP over standard input and output: passes each message on to the `/mcp` of a Traffic Intelligence service, and back.
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'

/** Error code of JSON-RPC for what the server itself defines: here, that the service did not answer. */
const NOT_ANSWERED = -32_000

const { TRAFFIC_API_URL = '', TRAFFIC_API_KEY = '' } = process.env
if (!/^https?:\/\/\S+$/.test(TRAFFIC_API_URL)) {
  process.stderr.write(`TRAFFIC_API_URL: expected the address of the service, such as https://api.example.org; got "${TRAFFIC_API_URL}"\n`)
  process.exit(1)
}

const headers = TRAFFIC_API_KEY === '' ? {} : { 'X-API-Key': TRAFFIC_API_KEY }
const client = new StdioServerTransport()
const service = new StreamableHTTPClientTransport(new URL(`${TRAFFIC_API_URL.replace(/\/+$/, '')}/mcp`), { requestInit: { headers } })
/** Ids of requests to initialize whose replies name the revision that later requests state. */
const initializing = new Set()

// Standard output belongs to the protocol: what goes wrong is written to standard error.
const report = (error) => process.stderr.write(`${error.message}\n`)
client.onerror = report
service.onerror = report
service.onmessage = (message) => {
  if (initializing.delete(message.id) && message.result) service.setProtocolVersion(message.result.protocolVersion)
  client.send(message).catch(report)
}
client.onmessage = (message) => {
  if (message.method === 'initialize') initializing.add(message.id)
  service.send(message).catch((error) => {
    // A notification has no id, and nobody waits for an answer to it.
    if (message.id === undefined || message.method === undefined) return
    client.send({ jsonrpc: '2.0', id: message.id, error: { code: NOT_ANSWERED, message: error.message } }).catch(report)
  })
}
await service.start()
await client.start()
