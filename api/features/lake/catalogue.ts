import { tableKey } from '../../../lake/iceberg/schema.ts'
import type { Dataset } from '../../../lake/schema/dataset.ts'
import { TIERS } from '../../auth/plans.ts'
import type { RequestContext } from '../../auth/request-context.ts'
import { isSample, SAMPLE } from '../../kernel/sample.ts'
import { noNamespace, noTable } from './errors.ts'
import { OWN } from './own-tables.ts'

/** The public tables by namespace, as callers may see them. */
export interface Catalogue {
  /** True if the caller's plan reads all tables. */
  readsAll(context: RequestContext): boolean
  /** True if the caller's key writes tables. */
  writes(context: RequestContext): boolean
  /** Returns the namespaces that the caller's plan may read, in order. */
  namespaces(context: RequestContext): readonly string[]
  /**
   * Returns the datasets of a namespace by name, in order. Throws the problem of an unknown namespace, or of one that the plan
   * may not read.
   */
  tables(context: RequestContext, namespace: string): ReadonlyMap<string, Dataset>
  /** Returns the dataset of a table. Throws the problem of an unknown one, also in an unknown namespace, or as `tables`. */
  table(context: RequestContext, namespace: string, name: string): Dataset
}

/** Makes the catalogue of the public datasets. */
export function openCatalogue(datasets: readonly Dataset[]): Catalogue {
  const byNamespace = new Map<string, Map<string, Dataset>>()
  const add = (namespace: string, dataset: Dataset): void => {
    const tables = byNamespace.get(namespace) ?? new Map<string, Dataset>()
    byNamespace.set(namespace, tables.set(dataset.id, dataset))
  }
  for (const dataset of [...datasets].sort((one, other) => (one.id < other.id ? -1 : 1))) {
    add(namespaceOf(dataset), dataset)
    if (isSample(dataset)) add(SAMPLE, dataset)
  }
  if (byNamespace.has(OWN)) throw new Error(`the namespace ${OWN} is for tables of lake writers`)
  // Its tables are no datasets.
  byNamespace.set(OWN, new Map())
  const all = [...byNamespace.keys()].sort()
  const readsAll = (context: RequestContext): boolean => TIERS.indexOf(context.caller.tier) >= TIERS.indexOf('ENTERPRISE')
  const writes = (context: RequestContext): boolean => context.caller.key?.isLakeWriter === true && readsAll(context)
  const readable = (context: RequestContext, namespace: string): boolean =>
    namespace === SAMPLE || (namespace === OWN ? writes(context) : readsAll(context))
  const tables: Catalogue['tables'] = (context, namespace) => {
    const found = byNamespace.get(namespace)
    if (!found || (namespace === OWN && !writes(context))) throw noNamespace(namespace)
    if (!readable(context, namespace)) context.needs('ENTERPRISE', `The namespace ${namespace}`)
    return found
  }
  return {
    readsAll,
    writes,
    namespaces: (context) => all.filter((namespace) => readable(context, namespace)),
    tables,
    table: (context, namespace, name) => {
      // Spark takes any error but an unknown table for a failure, and looks for branches by longer namespaces.
      const found = byNamespace.has(namespace) ? tables(context, namespace).get(name) : undefined
      if (!found) throw noTable(namespace, name)
      return found
    },
  }
}

/** The namespace of a dataset's table: the folder in which it is. */
function namespaceOf(dataset: Dataset): string {
  return tableKey(dataset).split('/')[1] as string
}
