import type { CodeList } from '../../lake/schema/codes.ts'
import type { Dataset } from '../../lake/schema/dataset.ts'
import type { Diagnostics } from '../feeds/define.ts'

/** Diagnostics of parsing and checking a publication. */
export interface Report {
  /** Publication time, ms since the epoch; null if the document states none. */
  publishedAt: number | null
  /** By dataset and reason. */
  readonly quarantined: Record<string, Record<string, number>>
  /** By dataset and column: how many values became null, where no row of the publication has a usable one. */
  readonly unusable: Record<string, Record<string, number>>
  /** By code list and code. */
  readonly unknownCodes: Record<string, Record<string, number>>
  readonly missingBlocks: Record<string, string[]>
  /** Count by warning text. */
  readonly warnings: Map<string, number>
  /** Samples of quarantined rows for diagnostics: dataset, reason, sample. */
  readonly samples: { readonly dataset: string; readonly reason: string; readonly sample: string }[]
}

const MOST_SAMPLES = 20
const MOST_TEXTS = 200

/** Notes that gather into a report. */
export function collectDiagnostics(): { diagnostics: Diagnostics; report: Report } {
  const report: Report = {
    publishedAt: null,
    quarantined: {},
    unusable: {},
    unknownCodes: {},
    missingBlocks: {},
    warnings: new Map(),
    samples: [],
  }
  const diagnostics: Diagnostics = {
    publishedAt(instant) {
      report.publishedAt = instant
    },
    unknownCode(list, code) {
      const codes = (report.unknownCodes[listId(list)] ??= tallies())
      codes[code] = (codes[code] ?? 0) + 1
    },
    reject(dataset, reason, sample) {
      countReason(report, dataset, reason)
      if (report.samples.length < MOST_SAMPLES) report.samples.push({ dataset: dataset.id, reason, sample: sample.slice(0, 500) })
    },
    missingGroup(dataset, block) {
      const blocks = (report.missingBlocks[dataset.id] ??= [])
      if (!blocks.includes(block)) blocks.push(block)
    },
    warn(text) {
      if (report.warnings.size < MOST_TEXTS || report.warnings.has(text)) report.warnings.set(text, (report.warnings.get(text) ?? 0) + 1)
    },
  }
  return { diagnostics, report }
}

/** Adds one quarantined row to a report. */
export function countReason(report: Report, dataset: Dataset, reason: string): void {
  const reasons = (report.quarantined[dataset.id] ??= tallies())
  reasons[reason] = (reasons[reason] ?? 0) + 1
}

/** All counts of a two-level tally added up. */
export function tally(counts: Record<string, Record<string, number>>): number {
  return Object.values(counts).reduce((sum, inner) => sum + Object.values(inner).reduce((part, count) => part + count, 0), 0)
}

/** Warnings as lines, with their counts. */
export function warningLines(report: Report): string[] {
  return [...report.warnings].map(([text, count]) => (count === 1 ? text : `${text} (${count} times)`))
}

/** Counts by texts from publishers, where `constructor` is a text like any other. */
function tallies(): Record<string, number> {
  return Object.create(null) as Record<string, number>
}

function listId(list: CodeList | string): string {
  return typeof list === 'string' ? list : list.id
}
