import { parentPort } from 'node:worker_threads'
import scalar from '@scalar/fastify-api-reference'
import fastify from 'fastify'

// The package holds the browser's script as a text in its code and gives it only to who asks its route. Here, as reading it takes half a
// second, and the memory for its code goes with this thread.
const app = fastify()
await app.register(scalar, { routePrefix: '/docs', configuration: { url: '/openapi.json' } })
const { statusCode, payload } = await app.inject('/docs/js/scalar.js')
if (statusCode !== 200) throw new Error(`the documentation's script was answered with ${statusCode}`)
parentPort?.postMessage(payload)
await app.close()
