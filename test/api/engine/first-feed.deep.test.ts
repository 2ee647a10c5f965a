import { afterEach, expect, test } from 'vitest'
import { endpoints } from '../../../api/endpoints/catalog.ts'
import { requestOf } from '../../../api/engine/request/example-request.ts'
import { datasetsOf } from '../../../api/kernel/endpoint.ts'
import { exampleRow, startService, type TestService } from '../service.ts'

const ofAny = endpoints.filter(({ read }) => read.kind === 'memory' && read.isOfAny)
const datasets = [...new Set(ofAny.flatMap((endpoint) => datasetsOf(endpoint)))]

let service: TestService
afterEach(() => service?.close())

test.each(datasets.map((dataset) => [dataset.id, dataset] as const))(
  'with nothing but %s published, no endpoint that answers from any of its datasets breaks',
  async (_, dataset) => {
    service = await startService({ endpoints: ofAny })
    await service.publish(dataset, [exampleRow(dataset)])
    for (const endpoint of ofAny) {
      const response = await service.get(requestOf(endpoint))
      expect([200, 404, 503], `${endpoint.path} ${response.status}: ${await response.text()}`).toContain(response.status)
    }
  },
)
