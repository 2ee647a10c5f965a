import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { cancelJob, createJob, type ExportJob, type ExportRequest, readJob, readJobs } from '../../../lake/exports/jobs.ts'
import type { Json } from '../../../lake/schema/columns.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { isoInstant } from '../../../lake/schema/time.ts'
import { FULL_COST, RequestContext } from '../../auth/request-context.ts'
import { countRequest, sendProblem } from '../../engine/replies/context-replies.ts'
import { type RepeatableReply, writeOnce } from '../../engine/request/idempotency.ts'
import { queryReader } from '../../engine/request/request.ts'
import { LINK_STEP_S } from '../../engine/request/snapshots.ts'
import { NO_STORE, refuseLongUrl } from '../../kernel/http/headers.ts'
import { problem } from '../../kernel/problems.ts'
import type { DownloadParts } from './download.ts'
import { isJobId, JOBS_PATH, jobFile } from './job-files.ts'
import { readExportBody } from './job-request.ts'

/** What the routes of export jobs work with. */
export interface ExportJobParts extends DownloadParts {
  readonly datasets: readonly Dataset[]
}

/** Most unfinished jobs of a key. */
export const MAX_UNFINISHED = 20
const MAX_BODY_BYTES = 16_384
/** Retry-After while a job is unfinished, in seconds. */
const RETRY_S = 5

interface JobRequest {
  readonly context: RequestContext
  readonly slot: string
  readonly id: string
}

/** Registers the paths of export jobs. They need a key of the plan ENTERPRISE, which is charged. A key sees only its own jobs. */
export function registerExportJobs(app: FastifyInstance, parts: ExportJobParts): void {
  const { store, datasets, clock } = parts
  const readQuery = queryReader({})
  const visits = new WeakMap<FastifyRequest, RequestContext>()

  const settled = async (request: FastifyRequest, reply: FastifyReply, error: unknown): Promise<void> => {
    const visit = visits.get(request) ?? new RequestContext(parts, request.raw)
    await sendProblem(reply, parts, { context: visit, error })
  }
  // Before a body is read: only callers who may create jobs send one.
  app.addHook('onRequest', async (request, reply) => {
    const context = new RequestContext(parts, request.raw)
    visits.set(request, context)
    if (!['GET', 'HEAD', 'POST', 'DELETE'].includes(request.method)) return
    try {
      await context.identify()
      context.needs('ENTERPRISE', JOBS_PATH)
      await context.charge(FULL_COST)
      refuseLongUrl(request.raw)
    } catch (error) {
      await settled(request, reply, error)
    }
  })
  const answering =
    (work: (asked: JobRequest, request: FastifyRequest) => Promise<RepeatableReply>) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const context = visits.get(request) as RequestContext
      try {
        readQuery(request.raw.url ?? '/')
        const { id = '' } = request.params as { readonly id?: string }
        const { status, headers, body } = await work({ context: context, slot: context.caller.slot, id }, request)
        countRequest(parts, context, status)
        await reply
          .code(status)
          .headers({ ...NO_STORE, ...context.headers(status), ...headers })
          .send(body)
      } catch (error) {
        await settled(request, reply, error)
      }
    }
  const config = { isSameOrigin: true, counters: parts }
  const known = async ({ slot, id }: JobRequest): Promise<ExportJob> => {
    const job = isJobId(id) ? await readJob(store, { slot, id }, clock()) : null
    if (!job) throw problem('not-found', `This key has no export job ${id.slice(0, 40)}.`)
    return job
  }
  const one = async (status: number, job: ExportJob, headers: Readonly<Record<string, string>> = {}): Promise<RepeatableReply> => ({
    status,
    headers: { ...headers, ...(job.state === 'QUEUED' || job.state === 'RUNNING' ? { 'Retry-After': String(RETRY_S) } : {}) },
    body: await shownJob(parts, job),
  })

  app.route({
    method: 'POST',
    url: JOBS_PATH,
    config,
    bodyLimit: MAX_BODY_BYTES,
    handler: answering(async ({ slot }, request) => {
      const asked = readExportBody(request.body, datasets)
      const header = request.headers['idempotency-key']
      const write = { header: header === undefined ? undefined : String(header), scope: `${slot} POST ${JOBS_PATH}`, now: clock() }
      return writeOnce(store, { ...write, payload: asked as unknown as Json }, async (seed) => {
        const id = `exp_${createHash('sha256').update(`${slot} ${seed}`).digest('hex').slice(0, 20)}`
        const created: ExportRequest = { id, slot, created_at: clock(), ...asked }
        const unfinished = await createJob(store, created, MAX_UNFINISHED)
        if (unfinished !== null)
          throw problem('conflict', `This key has ${unfinished} export jobs that have not ended; cancel some, or wait.`)
        const job = (await readJob(store, { slot, id }, clock())) as ExportJob
        return one(202, job, { Location: `${JOBS_PATH}/${id}` })
      })
    }),
  })
  app.route({
    method: ['GET', 'HEAD'],
    url: JOBS_PATH,
    config,
    handler: answering(async ({ slot }) => {
      const jobs = await readJobs(store, [slot], clock())
      return { status: 200, headers: {}, body: { total: jobs.length, jobs: await Promise.all(jobs.map((job) => shownJob(parts, job))) } }
    }),
  })
  app.route({
    method: ['GET', 'HEAD'],
    url: `${JOBS_PATH}/:id`,
    config,
    handler: answering(async (asked) => one(200, await known(asked))),
  })
  app.route({
    method: 'DELETE',
    url: `${JOBS_PATH}/:id`,
    config,
    bodyLimit: MAX_BODY_BYTES,
    handler: answering(async (asked) => {
      const job = await known(asked)
      if (['QUEUED', 'RUNNING', 'READY'].includes(job.state)) await cancelJob(store, asked, clock())
      return one(200, await known(asked))
    }),
  })
}

/** Returns a job as replies show it. */
async function shownJob({ links, clock }: Pick<ExportJobParts, 'links' | 'clock'>, job: ExportJob): Promise<{ [key: string]: Json }> {
  const { request, state, progress, outcome, expires_at } = job
  const { id, dataset, from, to, province, columns, format, split, decimals = 'exact', created_at } = request
  const now = Math.floor(clock() / (1000 * LINK_STEP_S)) * 1000 * LINK_STEP_S
  const files = state === 'READY' ? (outcome?.files ?? []) : []
  const at = (ms: number | null | undefined): string | null => (ms === null || ms === undefined ? null : isoInstant(ms))
  return {
    id,
    status: state,
    dataset,
    filter: { from: at(from), to: at(to), province, columns },
    format,
    split,
    decimals,
    created_at: isoInstant(created_at),
    started_at: at(progress?.started_at),
    ended_at: at(outcome?.ended_at),
    expires_at: at(expires_at),
    progress: state === 'READY' || state === 'EXPIRED' ? 1 : Math.round((progress?.share ?? 0) * 1000) / 1000,
    reason: state === 'FAILED' ? (outcome?.reason ?? null) : null,
    snapshot: outcome?.snapshot ?? null,
    rows: outcome?.reason === null ? outcome.rows : null,
    files: await Promise.all(
      files.map(async ({ name, bytes, sha256, rows }) => {
        const link = await links.link(jobFile({ id, attempt: outcome?.attempt ?? null }, name), now)
        return { file: name, rows, bytes, sha256, url: link.url, url_expires_at: isoInstant(link.expires_at) }
      }),
    ),
  }
}
