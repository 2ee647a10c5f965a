import { afterAll, beforeAll, describe, test } from 'vitest'
import { requestOf } from '../../../api/engine/request/example-request.ts'
import { pathParams } from '../../../api/kernel/endpoint.ts'
import { PLANS } from '../../../lake/schema/dataset.ts'
import { IS_DEEP } from '../../helpers/tier.ts'
import { representatives } from '../representatives.ts'
import { fillWithExamples } from '../service.ts'
import { type InvalidParam, type KeyChecks, startKeyChecks } from './key-checks.ts'

let checks: KeyChecks
beforeAll(async () => {
  checks = await startKeyChecks()
  await fillWithExamples(checks.service)
})
afterAll(() => checks?.service.close())

describe.each(representatives.map((endpoint) => [endpoint.path, endpoint] as const))('%s', (_path, endpoint) => {
  const path = requestOf(endpoint)
  const nowhere = requestOf(endpoint, Object.fromEntries(pathParams(endpoint.path).map((name) => [name, 'nothing'])))

  /** Attempts of a caller without access to the reply, which is in memory, and whose tag is known. */
  async function tries(
    headers: Readonly<Record<string, string>>,
    refusal: Pick<InvalidParam, 'status' | 'code' | 'more'>,
  ): Promise<InvalidParam[]> {
    const etag = (await checks.service.get(path)).headers.get('etag') as string
    const asked = [path, nowhere, requestOf(endpoint, { format: 'csv' }), requestOf(endpoint, { nonsense_xyz: '1' })]
    return [
      ...asked.map((one) => ({ path: one, headers, ...refusal })),
      ...[etag, '*', 'W/"other"'].map((tag) => ({ path, headers: { ...headers, 'If-None-Match': tag }, ...refusal })),
      { path, headers: { ...headers, 'If-Modified-Since': new Date().toUTCString() }, ...refusal },
      { path, headers: { ...headers, Accept: 'image/png' }, ...refusal },
      { path, method: 'HEAD', headers, ...refusal },
    ]
  }

  test('an invalid key gets a refusal, and nothing else', async () => {
    // By default each endpoint refuses one kind of invalid key, its neighbours the others.
    const nth = representatives.indexOf(endpoint)
    const broken = checks.broken.filter((_, at) => IS_DEEP || at === nth % checks.broken.length)
    for (const { key, code } of broken) await checks.refusedAlike(await tries({ 'X-API-Key': key }, { status: 401, code }))
  })

  test.skipIf(endpoint.plan === 'FREE')('a caller without a key is asked for one, whatever the request', async () => {
    await checks.refusedAlike(await tries({}, { status: 401, code: 'key-required', more: ['required_plan', 'upgrade_url'] }))
  })

  test.each(PLANS.slice(0, PLANS.indexOf(endpoint.plan)))(
    'a key of the plan %s learns which plan it needs, whatever the request',
    async (plan) => {
      const more = ['required_plan', 'current_plan', 'upgrade_url']
      await checks.refusedAlike(await tries(await checks.service.keyed(plan), { status: 403, code: 'plan-required', more }))
    },
  )
})
