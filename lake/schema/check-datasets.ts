import { isGeometry } from './columns.ts'
import type { Dataset } from './dataset.ts'
import { physicalFields, tableColumns } from './physical.ts'
import { UNITS } from './units.ts'

/** Members of live rows besides the columns of their dataset, see `LiveRow`. */
const ENGINE_NAMES = ['status', 'updated_at', 'is_stale', 'last_seen_at']
const SNAKE = /^[a-z][a-z0-9_]*$/

/** Checks what the types of a declaration cannot, and returns the datasets; throws one error that lists all violations. */
export function checkDatasets(datasets: readonly Dataset[]): readonly Dataset[] {
  const mistakes = datasets.flatMap((dataset) => mistakesOf(dataset).map((mistake) => `${dataset.id}: ${mistake}`))
  const ids = datasets.map((dataset) => dataset.id)
  for (const id of new Set(ids.filter((id, at) => ids.indexOf(id) !== at))) mistakes.push(`${id}: declared twice`)
  if (mistakes.length > 0) throw new Error(`mistakes in the catalogue:\n  ${mistakes.join('\n  ')}`)
  return Object.freeze([...datasets])
}

function mistakesOf(dataset: Dataset): string[] {
  const mistakes: string[] = []
  const columns = tableColumns(dataset)
  const seen = new Map<number, string>()
  for (const [name, column] of Object.entries(columns)) {
    if (!SNAKE.test(name)) mistakes.push(`column ${name} is not snake_case`)
    for (const id of column.secondId ? [column.id, column.secondId] : [column.id]) {
      if (!Number.isInteger(id) || id < 1) mistakes.push(`column ${name} has no field id`)
      if (seen.has(id)) mistakes.push(`field id ${id} is used by ${seen.get(id)} and ${name}`)
      seen.set(id, name)
    }
    if (dataset.columns[name] && column.id > 1000) mistakes.push(`column ${name}: ids above 1000 are the engine's`)
    if (dataset.columns[name] && ENGINE_NAMES.includes(name)) mistakes.push(`column ${name}: live rows have a member of that name`)
    if (column.unit !== undefined && !Object.hasOwn(UNITS, column.unit)) mistakes.push(`column ${name}: no unit ${column.unit}`)
    if (column.kind === 'decimal' && (column.precision ?? 0) > 15) mistakes.push(`column ${name}: at most 15 digits`)
    if (column.kind === 'list' && (!column.of || ['list', 'point'].includes(column.of.kind) || isGeometry(column.of.kind)))
      mistakes.push(`column ${name}: a list of scalars only`)
  }
  const physical = physicalFields(columns, { retired: true }).map((field) => field.name)
  for (const name of new Set(physical.filter((name, at) => physical.indexOf(name) !== at))) mistakes.push(`two fields named ${name}`)
  for (const name of [...dataset.entity, ...dataset.order, ...dataset.partition.map((part) => part.column), dataset.time])
    if (!columns[name]) mistakes.push(`there is no column ${name}`)
  for (const name of [...dataset.entity, dataset.time])
    if (columns[name]?.nullable) mistakes.push(`column ${name} is in the key and may not be null`)
  if (columns[dataset.time]?.kind !== 'instant') mistakes.push(`time ${dataset.time} is not an instant`)
  if (dataset.writeMode !== 'changes' && dataset.absence !== 'keeps') mistakes.push(`absence ${dataset.absence} needs land: changes`)
  if (dataset.writeMode === 'replace' && !(dataset.version && dataset.entity.includes(dataset.version)))
    mistakes.push('a replace dataset names its version, one of the entity')
  if (dataset.writeMode === 'replace' && dataset.live) mistakes.push('a replace dataset has no live state')
  if (dataset.writeMode !== 'replace' && dataset.version) mistakes.push('only a replace dataset has a version')
  if (dataset.isObservation && dataset.writeMode === 'changes')
    mistakes.push('the engine fills the time of a changes dataset: it is no observation')
  const [part] = dataset.partition
  if (dataset.keep !== undefined) {
    if (!/^[1-9]\d*(d|mo|y)$/.test(dataset.keep)) mistakes.push(`keep ${dataset.keep}: an age such as 35d, 6mo or 5y`)
    const isByTime = part?.column === dataset.time && part.transform !== 'identity'
    if (!isByTime && !(part && part.column === dataset.version))
      mistakes.push('keep needs a partition by the day or month of the time, or by the version')
  }
  if (dataset.life && dataset.absence !== 'ends') mistakes.push('a life needs absence: ends')
  if (dataset.life && columns[dataset.life.since]?.kind !== 'instant') mistakes.push(`${dataset.life.since} is not an instant`)
  if (dataset.writeMode === 'changes' && !dataset.partition.every((part) => part.column === dataset.time))
    mistakes.push('a changes dataset is partitioned by its time, so that each partition is self-contained')
  return mistakes
}
