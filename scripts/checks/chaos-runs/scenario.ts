/** The options of a scenario. */
export interface ScenarioOptions {
  /** An empty folder of its own, removed afterwards. */
  readonly folder: string
  /** How thorough to be; exactly-once delivery is tested with 10. */
  readonly rounds: number
}

/** The results of a scenario. */
export interface Findings {
  /** Broken promises; a successful run has none. */
  readonly problems: readonly string[]
  /** Why it could not run on this machine. */
  readonly skipped?: string
  /** What was done and measured. */
  readonly detail: Readonly<Record<string, unknown>>
}

/** One kind of failure, and the proof that no data is lost or duplicated. */
export interface Scenario {
  readonly name: string
  readonly about: string
  run(options: ScenarioOptions): Promise<Findings>
}
