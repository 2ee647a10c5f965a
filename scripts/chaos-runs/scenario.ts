/** What a scenario runs with. */
export interface ScenarioOptions {
  /** An empty folder of its own, removed afterwards. */
  readonly folder: string
  /** How thorough to be; 10 is what the promise of exactly once is tried with. */
  readonly rounds: number
}

/** What a scenario found. */
export interface Findings {
  /** What was not as promised; none is what success means. */
  readonly problems: readonly string[]
  /** Why it could not be run here. */
  readonly skipped?: string
  /** What was done and measured. */
  readonly detail: Readonly<Record<string, unknown>>
}

/** One way in which things go wrong, and the proof that nothing is lost or doubled. */
export interface Scenario {
  readonly name: string
  readonly about: string
  run(options: ScenarioOptions): Promise<Findings>
}
