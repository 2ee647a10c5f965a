import { createHash } from 'node:crypto'
import { modelCards, modelScores } from '../../lake/datasets/service/models.ts'
import type { Json } from '../../lake/schema/columns.ts'
import type { AnyRow, Dataset, Row } from '../../lake/schema/dataset.ts'
import { addToLog, keepVersion, type LogEntry, type ModelFiles, readLog, readVersion } from './files.ts'

/** An out-of-sample error in the last scored window; smaller is better. The fit's scores contain the same error and baseline. */
export interface Check {
  readonly series: string
  /** `horizon` of `model_scores`: an ISO 8601 duration such as P7D, or HELD_OUT_WEEKS. */
  readonly horizon: string
  readonly error: number
  /** The same error of the plain baseline (last value, typical value), over the same outcomes. */
  readonly baseline: number
  /** The same error of the champion over the same outcomes; null if it cannot forecast them. */
  readonly standing: number | null
  readonly points: number
}

/** An out-of-sample error as a row of `model_scores`. */
export type Score = Omit<Row<typeof modelScores>, 'model' | 'model_version' | 'made_at'>

/** A chart on a model card. */
export interface CardChart {
  readonly name: string
  readonly title: string
  readonly svg: string
}

/** Result of a fit, deterministic and serializable as JSON, since it is stored. */
export interface Fit<P> {
  /** Days of the training data, both inclusive, YYYY-MM-DD. */
  readonly data_from: string
  readonly data_to: string
  /** End of the newest data used, ms since the epoch. */
  readonly made_at: number
  /** Parameters for forecasting. */
  readonly parameters: P
  readonly checks: readonly Check[]
  readonly scores: readonly Score[]
  readonly charts: readonly CardChart[]
}

/** The champion to forecast with, and what of it is served. */
export interface Stood<P> {
  readonly model_version: string
  readonly parameters: P
  /** True if the plain baseline is served instead: the model was no better in the last scored window, or was not compared. */
  readonly isBaseline: (series: string, horizon: string) => boolean
  /** Error of what is served in the last scored window; null if none was measured. */
  readonly recentError: (series: string, horizon: string) => number | null
  /** The series and horizons compared with the baseline. */
  readonly checked: readonly Pick<Check, 'series' | 'horizon'>[]
  /** Rows of `model_scores` and `model_cards`, for `ModelRows.beside`. */
  readonly beside: ReadonlyMap<Dataset, readonly AnyRow[]>
}

/** What is served for each series and horizon, as data for a thread: by `<series> <horizon>`. */
export type ServedOf = { readonly [seriesAndHorizon: string]: { readonly isBaseline: boolean; readonly error: number | null } }

/** What is served for each series and horizon compared with the baseline. */
export function servedOf({ isBaseline, recentError, checked }: Stood<unknown>): ServedOf {
  return Object.fromEntries(
    checked.map(({ series, horizon }) => [
      `${series} ${horizon}`,
      { isBaseline: isBaseline(series, horizon), error: recentError(series, horizon) },
    ]),
  )
}

/**
 * Fits a model, stores the fit and chooses the champion: the fit (PROMOTED) unless its mean error relative to the baseline is
 * greater (REFUSED) or it failed (FAILED). Where the champion is no better than the baseline, that is served. Without a champion
 * the first fit wins, and errors are thrown; also if `signal` fires.
 */
export async function runModel<P extends Json>(
  files: ModelFiles,
  of: { readonly model: string; readonly revision: number; readonly signal: AbortSignal },
  fit: (standing: P | null) => Promise<Fit<P>>,
): Promise<Stood<P>> {
  const { model, revision, signal } = of
  const log = await readLog(files, model)
  const version = log.findLast(({ state }) => state === 'PROMOTED')?.model_version ?? null
  const standing = version === null ? null : (await readVersion<Fit<P>>(files, model, version)).fit
  const about = { model, revision, commit: files.commit, logged_at: new Date(files.now()).toISOString() }
  let fitted: Fit<P>
  try {
    fitted = await fit(standing?.parameters ?? null)
    if (!areFinite(fitted)) throw new Error('the fit contains a value that is not a number')
  } catch (error) {
    signal.throwIfAborted()
    const reason = error instanceof Error ? error.message : String(error)
    const none = { model_version: null, data_from: null, data_to: null, error_to_baseline: null }
    const entry = { ...about, ...none, state: 'FAILED', reason } as const
    if (log.at(-1)?.state !== 'FAILED' || log.at(-1)?.reason !== reason) {
      await addToLog(files, entry, log.length)
      log.push(entry)
    }
    if (!standing || version === null) throw error
    return stood({ model, version, fit: standing, checks: standing.checks, log })
  }
  const fresh = versionOf(fitted, revision)
  const known = log.findLast(({ model_version }) => model_version === fresh)
  // A refused fit may win after a change of champion; the champion itself is not judged again.
  const verdict = version === fresh ? { state: 'PROMOTED' as const, reason: known?.reason ?? '' } : judge(fitted.checks, standing !== null)
  const newest = log.at(-1)
  // An earlier result is logged again if a fit had another result since.
  if (newest?.model_version !== fresh || newest.state !== verdict.state) {
    await keepVersion(files, { model, model_version: fresh, commit: files.commit, fit: fitted as unknown as Json })
    const { data_from, data_to, checks } = fitted
    const entry: LogEntry = {
      ...about,
      model_version: fresh,
      ...verdict,
      data_from,
      data_to,
      error_to_baseline: meanRatio(checks, 'error'),
    }
    await addToLog(files, entry, log.length)
    log.push(entry)
  }
  if (verdict.state === 'PROMOTED' || !standing || version === null)
    return stood({ model, version: fresh, fit: fitted, checks: fitted.checks, log })
  const checks = fitted.checks.map((check) => ({ ...check, error: check.standing ?? Number.POSITIVE_INFINITY }))
  return stood({ model, version, fit: { ...standing, scores: scoresAgain(standing, fitted) }, checks, log })
}

/** The scores of a champion that a fit was compared with: over the common outcomes if checked, else its own. */
function scoresAgain(standing: Fit<unknown>, fresh: Fit<unknown>): Score[] {
  const again = fresh.checks.flatMap(({ series, horizon, error, baseline, standing: value }) =>
    value === null
      ? []
      : fresh.scores
          .filter((one) => one.series === series && one.horizon === horizon && one.value === error && one.baseline === baseline)
          .map((one) => ({ ...one, value })),
  )
  const nameOf = ({ series, horizon, metric, subset }: Score): string => JSON.stringify([series, horizon, metric, subset])
  const names = new Set(again.map(nameOf))
  return [...standing.scores.filter((one) => !names.has(nameOf(one))), ...again]
}

/** True if all numbers of a fit are finite: JSON would store others as null. */
function areFinite(of: unknown): boolean {
  if (typeof of === 'number') return Number.isFinite(of)
  return typeof of !== 'object' || of === null || Object.values(of).every(areFinite)
}

/** Whether a fit becomes the champion, and why. */
export function judge(checks: readonly Check[], hasStanding: boolean): Pick<LogEntry, 'state' | 'reason'> {
  const better = checks.filter(({ error, baseline }) => error < baseline).length
  const beside = `better than the baseline at ${better} of ${checks.length} series and horizons`
  if (checks.length === 0)
    return {
      state: 'PROMOTED',
      reason: `${hasStanding ? '' : 'the first version; '}no outcomes yet to evaluate it on: the baseline is served`,
    }
  if (!hasStanding) return { state: 'PROMOTED', reason: `the first version; ${beside}` }
  const both = checks.filter(({ standing }) => standing !== null)
  if (both.length === 0) return { state: 'PROMOTED', reason: `the current version cannot forecast these outcomes; ${beside}` }
  const [own, theirs] = [meanRatio(both, 'error'), meanRatio(both, 'standing')] as [number, number]
  const reason = `error in the last scored window ${own.toFixed(4)} of the baseline's, that of the current version ${theirs.toFixed(4)}; ${beside}`
  // Summing the same terms in another order must not change the verdict.
  return { state: own <= theirs + 1e-12 ? 'PROMOTED' : 'REFUSED', reason }
}

function meanRatio(checks: readonly Check[], of: 'error' | 'standing'): number | null {
  const ratios = checks.filter(({ baseline }) => baseline > 0).map((check) => (check[of] as number) / check.baseline)
  return ratios.length === 0 ? null : ratios.reduce((sum, one) => sum + one, 0) / ratios.length
}

/** The name of a fit: from its revision, its newest day and its content. */
function versionOf(fit: Fit<unknown>, revision: number): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([fit.data_from, fit.data_to, fit.parameters, fit.scores]))
    .digest('hex')
  return `r${revision}-${fit.data_to.replaceAll('-', '')}-${digest.slice(0, 8)}`
}

/** Number of newest log entries on a card. */
const LOG_SHOWN = 60

function stood<P>(of: {
  readonly model: string
  readonly version: string
  readonly fit: Fit<P>
  readonly checks: readonly Check[]
  readonly log: readonly LogEntry[]
}): Stood<P> {
  const { model, version: model_version, fit, checks, log } = of
  const { made_at, data_from, data_to } = fit
  const named = new Map(checks.map((check) => [`${check.series} ${check.horizon}`, check]))
  const isBaseline = (series: string, horizon: string): boolean => {
    const check = named.get(`${series} ${horizon}`)
    return check === undefined || check.error >= check.baseline
  }
  const last = log.at(-1) as LogEntry
  const card = {
    ...{ model, model_version, made_at, data_from, data_to, fit_state: last.state, fit_reason: last.reason },
    served: checks.map(({ series, horizon, error, baseline, points }) => ({
      ...{ series, horizon, points, serves: error < baseline ? 'MODEL' : 'BASELINE' },
      ...{ error: Number.isFinite(error) ? error : null, baseline },
    })),
    versions: log
      .slice(-LOG_SHOWN)
      .map(({ model: _model, ...entry }) => entry)
      .reverse(),
    charts: fit.charts,
  }
  return {
    ...{ model_version, parameters: fit.parameters, isBaseline, checked: checks },
    recentError: (series, horizon) => {
      const check = named.get(`${series} ${horizon}`)
      return check ? Math.min(check.error, check.baseline) : null
    },
    beside: new Map<Dataset, readonly AnyRow[]>([
      [modelScores, fit.scores.map((score) => ({ ...score, model, model_version, made_at }))],
      [modelCards, [card]],
    ]),
  }
}
