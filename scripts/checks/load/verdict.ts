/** Limits of the worker with all feeds: peak resident memory, and mean share of one core. */
export const LIMITS = Object.freeze({ memory_mb: 1500, cpu_pct: 70 })

/** State of a feed, as `/status` reports it; times in ISO 8601. */
export interface FeedSample {
  readonly id: string
  readonly enabled: boolean
  readonly health: string
  readonly cadence_s: number
  readonly last_success_at: string | null
}

/** A measurement of the worker and its feeds. */
export interface Sample {
  /** ms since the epoch. */
  readonly at: number
  /** Processor time of the worker since its start, s. */
  readonly cpu_s: number
  readonly memory_mb: number
  /** Size of its JavaScript heap. */
  readonly heap_mb: number
  /** When the worker started, s since the epoch. */
  readonly started_s: number
  readonly feeds: readonly FeedSample[]
}

/** When a feed was not on time. */
interface Lateness {
  /** Its worst health. */
  readonly health: string
  readonly samples: number
  /** Minutes from the begin of the run to the first of these samples. */
  readonly first_min: number
}

/** The result of a run. */
export interface Verdict {
  readonly minutes: number
  readonly feeds: number
  readonly memory_mb: number
  /** Minutes from the begin of the run to this peak, and the JavaScript heap then. */
  readonly peak_min: number
  readonly heap_mb: number
  readonly cpu_pct: number
  /** Feeds that were not on time in some sample. */
  readonly late: Readonly<Record<string, Lateness>>
  /** Exceeded limits, in words; empty if the run passed. */
  readonly failures: readonly string[]
}

/** A feed is late if it was last fetched longer ago than this many of its cadences. */
const LATE_AFTER = 2
const WORST = ['OK', 'LATE', 'STALE', 'DOWN']

/** Judges the samples of a run, oldest first. Throws if there are fewer than two. */
export function judge(samples: readonly Sample[]): Verdict {
  const [first, last] = [samples[0], samples.at(-1)]
  if (!first || !last || last.at <= first.at) throw new Error('at least two samples are needed')
  const minutesTo = ({ at }: Sample): number => Math.round((at - first.at) / 6000) / 10
  const peak = samples.reduce((most, sample) => (sample.memory_mb > most.memory_mb ? sample : most))
  const memory_mb = Math.round(peak.memory_mb)
  const restarts = samples.filter((sample, at) => at > 0 && sample.started_s !== samples[at - 1]?.started_s).length
  const cpu_pct = Math.round((100_000 * (last.cpu_s - first.cpu_s)) / (last.at - first.at))
  const late: Record<string, Lateness> = {}
  for (const sample of samples)
    for (const { id, enabled, health, cadence_s, last_success_at } of sample.feeds) {
      if (!enabled) continue
      // Data may be late by its publisher's own irregular times: LATE counts if the feed was not fetched in time.
      const waited_s = (sample.at - Date.parse(last_success_at ?? '')) / 1000
      if (health === 'OK' || (health === 'LATE' && waited_s <= LATE_AFTER * cadence_s)) continue
      const before = late[id] ?? { health, samples: 0, first_min: minutesTo(sample) }
      const isWorse = WORST.indexOf(health) > WORST.indexOf(before.health)
      late[id] = { ...before, samples: before.samples + 1, ...(isWorse ? { health } : {}) }
    }
  const names = Object.entries(late).map(
    ([id, { health, samples: count, first_min }]) => `${id} (${health}, ${count} of ${samples.length} samples from minute ${first_min})`,
  )
  return {
    minutes: minutesTo(last),
    feeds: last.feeds.filter(({ enabled }) => enabled).length,
    ...{ memory_mb, peak_min: minutesTo(peak), heap_mb: Math.round(peak.heap_mb), cpu_pct, late },
    failures: [
      ...(memory_mb > LIMITS.memory_mb ? [`the worker took ${memory_mb} MB, more than ${LIMITS.memory_mb}`] : []),
      ...(cpu_pct > LIMITS.cpu_pct ? [`the worker took ${cpu_pct} % of a core, more than ${LIMITS.cpu_pct}`] : []),
      ...(restarts > 0 ? [`the worker was restarted ${restarts} times`] : []),
      ...(names.length > 0 ? [`feeds were late: ${names.join(', ')}`] : []),
    ],
  }
}

/** Reads the value of a metric without labels from the text format of Prometheus. Throws if it is absent. */
export function metricOf(text: string, name: string): number {
  const found = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]
  if (found === undefined) throw new Error(`no metric ${name}`)
  return Number(found)
}

/** Sums the values of a metric whose labels match, in the text format of Prometheus; 0 if there are none. */
export function sumOf(text: string, name: string, labels: RegExp): number {
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) && labels.test(line))
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}

/** What some workers and one API did in some minutes. */
export interface WorkersFigures {
  readonly workers: number
  readonly minutes: number
  /** Parses of polled feeds for each of their fetches that were accepted or rejected: 1 if no worker repeats another's work. */
  readonly parses_per_fetch: number
  readonly fetches: number
  /** Requests to the object store a minute, of all processes. */
  readonly requests_min: number
  readonly of_workers_min: Readonly<Record<string, number>>
  readonly of_api_min: Readonly<Record<string, number>>
  readonly landings: number
  /** Requests of the workers for each landing. */
  readonly requests_per_landing: number
}

/** Limits of workers that share feeds; that of requests is for one worker and one API. */
export const SHARED = Object.freeze({ parses_per_fetch: 1.05, requests_min: 300, per_landing: 1.2 })

/** Judges the figures of different numbers of workers; returns the exceeded limits, in words. */
export function judgeWorkers(figures: readonly WorkersFigures[]): string[] {
  const alone = figures.find(({ workers }) => workers === 1)
  return figures.flatMap(({ workers, parses_per_fetch, requests_min, requests_per_landing }) => [
    ...(parses_per_fetch > SHARED.parses_per_fetch ? [`${workers} workers parsed each fetch ${parses_per_fetch.toFixed(2)} times`] : []),
    ...(workers === 1 && requests_min > SHARED.requests_min
      ? [`one worker and an API sent ${Math.round(requests_min)} requests a minute`]
      : []),
    ...(alone && requests_per_landing > SHARED.per_landing * alone.requests_per_landing
      ? [
          `${workers} workers sent ${requests_per_landing.toFixed(1)} requests for each landing, one ${alone.requests_per_landing.toFixed(1)}`,
        ]
      : []),
  ])
}
