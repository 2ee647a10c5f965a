import { datasets as air } from './datasets/air/index.ts'
import { datasets as aviation } from './datasets/aviation/index.ts'
import { datasets as fuel } from './datasets/fuel/index.ts'
import { datasets as maritime } from './datasets/maritime/index.ts'
import { datasets as mobility } from './datasets/mobility/index.ts'
import { datasets as rail } from './datasets/rail/index.ts'
import { datasets as road } from './datasets/road/index.ts'
import { datasets as safety } from './datasets/safety/index.ts'
import { datasets as service } from './datasets/service/index.ts'
import { datasets as weather } from './datasets/weather/index.ts'
import { checkDatasets } from './schema/check-datasets.ts'
import type { Dataset } from './schema/dataset.ts'

/** Every dataset of the service, by domain, in documentation order. */
export const datasets: readonly Dataset[] = checkDatasets([
  ...road,
  ...fuel,
  ...mobility,
  ...rail,
  ...maritime,
  ...safety,
  ...weather,
  ...air,
  ...aviation,
  ...service,
])

/** The dataset with an id; throws for an unknown id. */
export function datasetById(id: string): Dataset {
  const found = datasets.find((dataset) => dataset.id === id)
  if (!found) throw new Error(`no dataset ${id}; there are ${datasets.map((dataset) => dataset.id).join(', ')}`)
  return found
}
