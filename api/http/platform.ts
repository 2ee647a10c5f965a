import type { FastifyInstance } from 'fastify'
import type { Lake } from '../../lake/open.ts'
import type { Endpoint } from '../define/endpoint.ts'
import { PROBLEMS, type ProblemCode, problem } from '../define/problems.ts'
import { MEDIA_TYPES, weakTag } from './answer.ts'
import { openapi } from './openapi.ts'
import { problemPage } from './problem-replies.ts'
import { type Ready, ready } from './replies.ts'
import { registerOtherMethods, sendFound } from './routes.ts'
import type { ServiceState } from './state.ts'

/** What the paths that are no data work with. */
export interface PlatformParts {
  readonly endpoints: readonly Endpoint[]
  readonly state: ServiceState
  readonly lake: Lake
  readonly clock: () => number
  readonly baseUrl: () => string
}

const NO_STORE = Object.freeze({ 'Cache-Control': 'no-store' })
/** How long a description is fresh; it changes with a new release only. */
const DESCRIPTION_S = 300

/** Registers the paths that are no data. */
export function registerPlatform(app: FastifyInstance, { endpoints, state, lake, clock, baseUrl }: PlatformParts): void {
  app.get('/health', { exposeHeadRoute: true }, async (_request, reply) => reply.headers(NO_STORE).send({ status: 'ok' }))
  app.get('/ready', { exposeHeadRoute: true }, async (_request, reply) => {
    const checks = { redis: state.live.connected, lake: await answers(() => lake.store.now()) }
    const ok = checks.redis && checks.lake
    return reply
      .code(ok ? 200 : 503)
      .headers(NO_STORE)
      .send({ status: ok ? 'ready' : 'not ready', source_mode: state.mode, ...checks })
  })
  let description: { readonly baseUrl: string; readonly reply: Promise<Ready> } | null = null
  app.route({
    method: ['GET', 'HEAD'],
    url: '/openapi.json',
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      if (description?.baseUrl !== baseUrl()) description = { baseUrl: baseUrl(), reply: describe(endpoints, baseUrl()) }
      await sendFound(request.raw, reply, await description.reply, clock())
    },
  })
  app.get('/problems/:code', { exposeHeadRoute: true }, async (request, reply) => {
    const { code } = request.params as { code: string }
    if (!Object.hasOwn(PROBLEMS, code)) throw problem('not-found', 'There is no such problem.')
    return reply
      .headers({ 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'public, max-age=3600' })
      .send(problemPage(code as ProblemCode))
  })
  for (const url of ['/health', '/ready', '/openapi.json', '/problems/:code']) registerOtherMethods(app, url)
}

function describe(endpoints: readonly Endpoint[], baseUrl: string): Promise<Ready> {
  const text = JSON.stringify(openapi(endpoints, baseUrl))
  return ready(
    {
      etag: weakTag(text),
      content_type: MEDIA_TYPES.json,
      language: null,
      links: [],
      data_time: null,
      modified_at: null,
      refreshAt: () => Number.POSITIVE_INFINITY,
      cadence_s: DESCRIPTION_S,
      clock_s: 0,
      step: 0,
    },
    [text],
  )
}

async function answers(ask: () => Promise<unknown>): Promise<boolean> {
  try {
    await ask()
    return true
  } catch {
    return false
  }
}
