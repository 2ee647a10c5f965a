import { PLANS } from '../../../lake/schema/dataset.ts'
import type { OwnAnswers, Served } from '../../engine/answers/own-answers.ts'
import { requestOf } from '../../engine/request/example-request.ts'
import { datasetsOf, type Endpoint, pathParams } from '../../kernel/endpoint.ts'
import { Problem, problem } from '../../kernel/problems.ts'

/** A publisher, as `/api/datasets` names it. */
interface SourceTerms {
  readonly id: string
  readonly name: string
  readonly licence: string
  readonly licence_url: string
  readonly attribution: string
  readonly commercial_use: 'yes' | 'no' | 'unknown'
}

/** A dataset of `/api/datasets`. Instants are ISO texts. */
export interface DatasetEntry {
  readonly id: string
  readonly title: string
  readonly about: string
  readonly domain: string
  readonly entity: readonly string[]
  readonly time: string
  readonly land: 'append' | 'changes' | 'replace'
  readonly columns: number
  readonly rows: number
  readonly bytes: number
  readonly files: number
  readonly covered_from: string | null
  readonly latest_row_at: string | null
  readonly covered_until: string | null
  readonly updated_at: string | null
  readonly provinces_without_data: readonly string[]
  readonly commercial_use: 'yes' | 'no' | 'unknown'
  readonly plans: { readonly live: string; readonly history: string; readonly bulk: string }
  readonly sources: readonly SourceTerms[]
}

/** A dataset of `/api/datasets/{id}`. */
interface DatasetCard extends DatasetEntry {
  readonly absence: string
  readonly partition: readonly { readonly column: string; readonly transform: string }[]
  readonly order: readonly string[]
  readonly snapshots: number
  readonly newest_snapshots: readonly {
    readonly id: string
    readonly at: string
    readonly operation: string
    readonly rows_added: number | null
    readonly rows_removed: number | null
    readonly rows: number | null
  }[]
  readonly schema_versions: readonly number[]
  readonly feeds: readonly {
    readonly id: string
    readonly is_direct: boolean
    readonly enabled: boolean
    readonly cadence_s: number
    readonly health: string
    readonly data_time: string | null
  }[]
  readonly endpoints: readonly { readonly path: string; readonly plan: string; readonly summary: string }[]
}

/** A column of `/api/datasets/{id}/schema`. */
export interface SchemaColumn {
  readonly name: string
  readonly about: string
  readonly kind: string
  readonly iceberg_type: string
  readonly nullable: boolean
  readonly is_key: boolean
  readonly unit: string | null
  readonly unit_in: string | null
  readonly code_list: string | null
  readonly codes: readonly string[]
  readonly least: number | null
  readonly most: number | null
  readonly example: unknown
}

/** A day of `/api/datasets/{id}/quality`. */
export interface QualityDay {
  readonly date: string
  readonly rows: number
  readonly nulls: readonly { readonly column: string; readonly share: number }[]
}

/** Rows of a dataset that anybody may read. */
export interface Sample {
  /** Path and query of the request. */
  readonly request: string
  readonly records: readonly Readonly<Record<string, unknown>>[]
}

/** What the page of a dataset shows. */
export interface DatasetDetails {
  readonly dataset: DatasetCard
  readonly columns: readonly SchemaColumn[]
  /** Newest first. */
  readonly days: readonly QualityDay[]
  /** Null if no list of the plan FREE has its rows. */
  readonly sample: Sample | null
  /** Requests of all endpoints over it, as their examples. */
  readonly requests: readonly {
    readonly url: string
    readonly plan: string
    readonly summary: { readonly en: string; readonly es: string }
  }[]
}

/** A source of `/api/sources`. */
export interface SourceEntry extends SourceTerms {
  readonly url: string
  readonly domains: readonly string[]
  readonly datasets: readonly string[]
  readonly feeds: readonly {
    readonly id: string
    readonly cadence_s: number
    readonly enabled: boolean
    readonly disabled_reason: string | null
  }[]
}

/** A model of `/api/prediccion/modelos`. */
export interface ModelEntry {
  readonly id: string
  readonly title: string
  readonly purpose: string
  readonly not_for: string
  readonly data: string
  readonly features: string
  readonly method: string
  readonly evaluation: string
  readonly model_version: string | null
  readonly made_at: string | null
  readonly data_from: string | null
  readonly data_to: string | null
  readonly fit_reason: string | null
  readonly served: readonly {
    readonly series: string
    readonly horizon: string
    readonly serves: string
    readonly error_to_baseline: number | null
    readonly points: number
  }[]
  readonly errors: readonly ModelError[]
  readonly versions: readonly {
    readonly model_version: string | null
    readonly state: string
    readonly reason: string
    readonly error_to_baseline: number | null
    readonly logged_at: string
  }[]
  readonly charts: readonly { readonly name: string; readonly title: string; readonly svg: string }[]
}

/** An error of a model, beside that of the baseline. */
export interface ModelError {
  readonly series: string
  readonly horizon: string
  readonly metric: string
  readonly subset: string
  readonly metric_unit: string
  readonly value: number
  readonly baseline: number | null
  readonly points: number
}

/** Most rows of a sample: its points are on the map, the first ones in a table. */
const MAX_SAMPLE = 150
/** Days of the chart of rows. */
export const CHART_DAYS = 92

interface CatalogueReads {
  readonly datasets: () => Promise<readonly DatasetEntry[]>
  /** Throws the problem of an unknown dataset. */
  readonly dataset: (id: string) => Promise<DatasetDetails>
  readonly sources: () => Promise<readonly SourceEntry[]>
  readonly models: () => Promise<readonly ModelEntry[]>
  /** Throws the problem of an unknown model. */
  readonly model: (id: string) => Promise<ModelEntry>
}

/** Makes the functions that read the catalogue from our own API. */
export function catalogueReads(ask: OwnAnswers, served: readonly Served[]): CatalogueReads {
  const list = async <T>(url: string, name: string): Promise<readonly T[]> => (await ask(url))[name] as readonly T[]
  const models = async (): Promise<readonly ModelEntry[]> => {
    try {
      return await list('/api/prediccion/modelos', 'models')
    } catch (error) {
      // Before the first run of the models.
      if (error instanceof Problem && error.code === 'no-data-yet') return []
      throw error
    }
  }
  return {
    datasets: () => list('/api/datasets', 'datasets'),
    sources: () => list('/api/sources', 'sources'),
    models,
    model: async (id) => {
      const model = (await models()).find((one) => one.id === id)
      if (!model) throw problem('not-found', 'There is no such model; /models lists them.')
      return model
    },
    dataset: async (id) => {
      const dataset = (await ask('/api/datasets/{id}', { id })) as unknown as DatasetCard
      const over = served.map(({ endpoint }) => endpoint).filter((endpoint) => datasetsOf(endpoint).some((one) => one.id === id))
      const [schema, quality, sample] = await Promise.all([
        ask('/api/datasets/{id}/schema', { id }),
        ask(`/api/datasets/{id}/quality?limit=${CHART_DAYS}`, { id }),
        sampleOf(ask, over, id),
      ])
      return {
        ...{ dataset, sample },
        columns: schema['columns'] as DatasetDetails['columns'],
        days: quality['days'] as DatasetDetails['days'],
        requests: over
          .toSorted((one, other) => PLANS.indexOf(one.plan) - PLANS.indexOf(other.plan))
          .map((endpoint) => ({
            url: requestOf(endpoint),
            plan: endpoint.plan,
            summary: { en: endpoint.summary, es: endpoint.summary_es },
          })),
      }
    },
  }
}

/** Asks the first list of the plan FREE about a dataset; null if there is none, or it has no answer at present. */
async function sampleOf(ask: OwnAnswers, over: readonly Endpoint[], id: string): Promise<Sample | null> {
  const endpoint = over.find(
    (one) => one.plan === 'FREE' && one.returns.kind === 'list' && pathParams(one.path).length === 0 && datasetsOf(one)[0]?.id === id,
  )
  if (endpoint?.returns.kind !== 'list') return null
  const { name } = endpoint.returns
  for (const request of [`${endpoint.path}?limit=${MAX_SAMPLE}`, requestOf(endpoint, { limit: '100' }), requestOf(endpoint)])
    try {
      const records = (await ask(request))[name]
      if (Array.isArray(records)) return { request, records }
    } catch {
      // It needs the parameters of its example, or has no data yet.
    }
  return null
}
