import type { FeedStandIn } from './publisher.ts'

/** The options of a fault. */
interface FaultOptions {
  /** Number of answers that it affects before it ends; unlimited by default. */
  readonly count?: number
  readonly ms?: number
  readonly status?: number
  readonly share?: number
  readonly age_s?: number
  readonly by_s?: number
  readonly type?: string
  readonly blocks?: readonly string[]
}

type Option = Exclude<keyof FaultOptions, 'count'>

/** A kind of fault. */
interface FaultKind {
  readonly about: string
  /** Its options besides `count`. */
  readonly options: readonly Option[]
  /** True if it changes the publication, which is impossible for recorded captures. */
  readonly needsSimulation: boolean
}

/** Every fault switch. */
export const FAULTS = {
  latency: { about: 'waits ms (10000) before it answers', options: ['ms'], needsSimulation: false },
  status: { about: 'answers with an error status (503)', options: ['status'], needsSimulation: false },
  cut: { about: 'cuts the connection after a share (0.5) of the announced bytes', options: ['share'], needsSimulation: false },
  truncated: { about: 'sends a share (0.5) of the document as if it were complete', options: ['share'], needsSimulation: false },
  html: { about: 'sends an HTML page with status 200', options: [], needsSimulation: false },
  gzip_bomb: { about: 'sends a megabyte of gzip that expands to more than a gigabyte', options: [], needsSimulation: false },
  xml_bomb: { about: 'sends XML whose entities expand to three gigabytes', options: [], needsSimulation: false },
  wrong_type: { about: 'sends the document under another content type (text/html)', options: ['type'], needsSimulation: false },
  redirect_loop: { about: 'redirects to itself endlessly', options: [], needsSimulation: false },
  stale: { about: 'sends the publication of age_s (3600) ago', options: ['age_s'], needsSimulation: true },
  repeated: {
    about: 'repeats the publication at the start of the fault, without validators',
    options: [],
    needsSimulation: true,
  },
  clock_skew: { about: 'dates publications by_s (172800) later', options: ['by_s'], needsSimulation: true },
  half_empty: { about: 'publishes a share (0.5) of the records', options: ['share'], needsSimulation: true },
  block_missing: {
    about: "leaves out blocks (M30, 112, restricted, province codes; by default the feed's usual one)",
    options: ['blocks'],
    needsSimulation: true,
  },
  unknown_codes: { about: 'publishes unknown codes and columns', options: [], needsSimulation: true },
  old_layout: { about: 'publishes an earlier layout', options: [], needsSimulation: true },
} as const satisfies Record<string, FaultKind>

/** Name of a fault switch. */
export type FaultName = keyof typeof FAULTS

/** A fault to be set on a feed. */
export interface FaultSetting extends FaultOptions {
  readonly feed: string
  readonly fault: FaultName
}

/** An active fault, and since when by the stand-in's clock (ms). */
export interface ActiveFault extends FaultSetting {
  readonly since: number
}

const RANGES: Readonly<Record<'count' | 'ms' | 'status' | 'share' | 'age_s' | 'by_s', readonly [number, number]>> = {
  count: [1, 1_000_000],
  ms: [0, 600_000],
  status: [400, 599],
  share: [0, 1],
  age_s: [1, 31_536_000],
  by_s: [-31_536_000, 31_536_000],
}

/** The active faults. */
export interface FaultBoard {
  set(setting: FaultSetting): void
  clear(feed?: string): void
  list(): ActiveFault[]
  /** Takes the faults that affect the next answer of a feed, and decrements the counts of those that have one. */
  take(feed: string): ReadonlyMap<FaultName, ActiveFault>
}

/** A board without faults. `now` is the stand-in's clock; `isSimulated` is false if captures are served. */
export function makeFaultBoard({
  feeds,
  isSimulated,
  now,
}: {
  feeds: readonly FeedStandIn[]
  isSimulated: boolean
  now: () => number
}): FaultBoard {
  let active: (ActiveFault & { left: number })[] = []
  return {
    set(setting) {
      checkSetting(setting, { feeds, isSimulated })
      active = active.filter((fault) => fault.feed !== setting.feed || fault.fault !== setting.fault)
      active.push({ ...setting, since: now(), left: setting.count ?? Number.POSITIVE_INFINITY })
    },
    clear(feed) {
      active = feed === undefined ? [] : active.filter((fault) => fault.feed !== feed)
    },
    list: () => active.map(({ left: _, ...fault }) => fault),
    take(feed) {
      const hit = active.filter((fault) => fault.feed === feed)
      for (const fault of hit) fault.left -= 1
      active = active.filter((fault) => fault.left > 0)
      return new Map(hit.map((fault) => [fault.fault, fault]))
    },
  }
}

/** Parses `feed=fault` or `feed=fault:option=value,option=value` from the command line. Throws with the allowed values. */
export function parseFault(text: string): FaultSetting {
  const match = /^([a-z0-9_]+)=([a-z_]+)(?::(.+))?$/.exec(text)
  if (!match) throw new Error(`fault ${JSON.stringify(text)} is not of the form feed=fault or feed=fault:option=value,…`)
  const [, feed = '', fault = '', options = ''] = match
  const entries = options === '' ? [] : options.split(',').map((option) => option.split('=') as [string, string?])
  return readFault({ feed, fault, ...Object.fromEntries(entries.map(([name, value = '']) => [name, optionValue(name, value)])) })
}

/** Reads a fault from the JSON of the control endpoint. Throws with the allowed values. */
export function readFault(value: unknown): FaultSetting {
  if (typeof value !== 'object' || value === null) throw new Error('a fault is an object {feed, fault, …}')
  const { feed, fault, ...options } = value as Record<string, unknown>
  if (typeof feed !== 'string') throw new Error('a fault needs the text "feed"')
  if (typeof fault !== 'string' || !isFaultName(fault))
    throw new Error(`fault: ${JSON.stringify(fault)} is not one of ${Object.keys(FAULTS).join(', ')}`)
  const allowed: readonly string[] = ['count', ...FAULTS[fault].options]
  for (const [name, option] of Object.entries(options)) {
    if (!allowed.includes(name)) throw new Error(`${fault}: no option ${JSON.stringify(name)}; allowed: ${allowed.join(', ')}`)
    const isRight =
      name === 'blocks'
        ? Array.isArray(option) && option.every((block) => typeof block === 'string')
        : typeof option === (name === 'type' ? 'string' : 'number')
    if (!isRight)
      throw new Error(
        `${fault}: ${name} ${JSON.stringify(option)} is no ${name === 'blocks' ? 'list of texts' : name === 'type' ? 'text' : 'number'}`,
      )
  }
  return { feed, fault, ...(options as FaultOptions) }
}

function checkSetting(setting: FaultSetting, { feeds, isSimulated }: { feeds: readonly FeedStandIn[]; isSimulated: boolean }): void {
  const feed = feeds.find((candidate) => candidate.feed === setting.feed)
  if (!feed) throw new Error(`feed: ${JSON.stringify(setting.feed)} is not one of ${feeds.map((candidate) => candidate.feed).join(', ')}`)
  if (FAULTS[setting.fault].needsSimulation && !isSimulated)
    throw new Error(`${setting.fault} changes what is published, and needs the simulated source`)
  if (setting.fault === 'old_layout' && !feed.hasOldLayout) throw new Error(`old_layout: ${setting.feed} had no other layout`)
  for (const name of ['count', 'ms', 'status', 'share', 'age_s', 'by_s'] as const) {
    const value = setting[name]
    const [least, most] = RANGES[name]
    if (value !== undefined && !(value >= least && value <= most))
      throw new Error(`${setting.fault}: ${name} ${value} is not ${least} … ${most}`)
  }
  for (const block of setting.blocks ?? []) {
    if (!feed.blocks.known.test(block))
      throw new Error(`block_missing: ${setting.feed} has no block ${JSON.stringify(block)}; allowed: ${feed.blocks.known.source}`)
  }
}

function isFaultName(name: string): name is FaultName {
  return Object.hasOwn(FAULTS, name)
}

function optionValue(name: string, value: string): string | number | string[] {
  if (name === 'blocks') return value.split('+')
  return name === 'type' ? value : Number(value)
}
