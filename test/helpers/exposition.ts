/** A sample in the text format of Prometheus. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** A metric with all of its samples. */
export interface Family {
  readonly name: string
  readonly type: string
  readonly help: string
  readonly samples: readonly Sample[]
}

/** The metrics of one scrape. */
export interface Exposition {
  readonly families: ReadonlyMap<string, Family>
  /** The value of the sample with exactly these labels; 0 if there is none. */
  value(name: string, labels?: Readonly<Record<string, string>>): number
}

const HELP = /^# HELP ([a-zA-Z_:][\w:]*) (.*)$/
const TYPE = /^# TYPE ([a-zA-Z_:][\w:]*) (counter|gauge|histogram|summary|untyped)$/
const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/y
const VALUE = /^(?:[+-]?Inf|NaN|[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/

/** Parses the text format 0.0.4; throws on any violation of it, with the line. */
export function parseExposition(text: string): Exposition {
  if (!text.endsWith('\n')) throw new Error('the last line does not end')
  const families = new Map<string, Family & { readonly samples: Sample[] }>()
  const seen = new Set<string>()
  let help: RegExpExecArray | null = null
  let family: (Family & { readonly samples: Sample[] }) | null = null
  for (const line of text.split('\n')) {
    const wrong = (why: string): never => {
      throw new Error(`${why}: ${line}`)
    }
    if (line === '') continue
    const isHelp = HELP.exec(line)
    const isType = TYPE.exec(line)
    if (isHelp) help = isHelp
    else if (isType) {
      const [, name = '', type = ''] = isType
      if (help?.[1] !== name || !help[2]) return wrong('no help before')
      if (families.has(name)) return wrong('a metric twice')
      family = { name, type, help: help[2], samples: [] }
      families.set(name, family)
    } else {
      const [, name = '', inside = '', number = ''] = SAMPLE.exec(line) ?? wrong('no line of the format')
      if (!family || !namesOf(family).includes(name)) return wrong('a sample of another metric')
      if (!VALUE.test(number)) return wrong('no number')
      const labels = labelsOf(inside) ?? wrong('labels that cannot be read')
      const id = `${name} ${JSON.stringify(Object.entries(labels).sort())}`
      if (seen.has(id)) return wrong('a sample twice')
      seen.add(id)
      family.samples.push({ name, labels, value: Number(number.replace('Inf', 'Infinity')) })
    }
  }
  for (const one of families.values()) if (one.type === 'histogram') checkHistogram(one)
  const value: Exposition['value'] = (name, labels = {}) => {
    const wanted = JSON.stringify(Object.entries(labels).sort())
    const base = families.has(name) ? name : name.replace(/_(bucket|sum|count)$/, '')
    const known = families.get(base)
    if (!known) throw new Error(`there is no metric ${name}`)
    return known.samples.find((one) => one.name === name && JSON.stringify(Object.entries(one.labels).sort()) === wanted)?.value ?? 0
  }
  return { families, value }
}

function namesOf({ name, type }: Family): string[] {
  return type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name]
}

function labelsOf(inside: string): Record<string, string> | null {
  const labels: Record<string, string> = {}
  LABEL.lastIndex = 0
  while (LABEL.lastIndex < inside.length) {
    const [, name, value, end] = LABEL.exec(inside) ?? []
    if (name === undefined || value === undefined || name in labels) return null
    if (end === ',' && LABEL.lastIndex === inside.length) return null
    labels[name] = value
  }
  return labels
}

/** Checks that the buckets of a series increase, end with +Inf, and agree with its count. */
function checkHistogram({ name, samples }: Family): void {
  const series = new Map<string, { bounds: number[]; counts: number[]; ends: Record<string, number> }>()
  for (const { name: sample, labels, value } of samples) {
    const { le, ...rest } = labels
    const key = JSON.stringify(Object.entries(rest).sort())
    const one = series.get(key) ?? { bounds: [], counts: [], ends: {} }
    series.set(key, one)
    if (sample === `${name}_bucket`) {
      one.bounds.push(Number(le?.replace('Inf', 'Infinity')))
      one.counts.push(value)
    } else one.ends[sample.slice(name.length + 1)] = value
  }
  for (const [key, { bounds, counts, ends }] of series) {
    const isGrowing = (of: number[], by: number): boolean => of.every((one, at) => at === 0 || one - (of[at - 1] as number) >= by)
    const isWhole = bounds.at(-1) === Number.POSITIVE_INFINITY && counts.at(-1) === ends['count'] && (ends['sum'] ?? -1) >= 0
    if (!isWhole || !isGrowing(bounds, Number.MIN_VALUE) || !isGrowing(counts, 0)) throw new Error(`${name} ${key}: no histogram`)
  }
}
