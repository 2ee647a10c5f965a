import type { roadPosts, roadSections } from '../../../../lake/datasets/road/road-network.ts'
import type { Line } from '../../../../lake/schema/columns.ts'
import type { Row } from '../../../../lake/schema/dataset.ts'
import { chainsOf } from './chains.ts'
import { type KmPost, type MeasuredLine, measuredLines } from './measure.ts'

type Section = Pick<Row<typeof roadSections>, 'direction' | 'geometry'>
type Post = Pick<Row<typeof roadPosts>, 'km' | 'position'>

/** A measured line of a carriageway. */
export interface Axis extends MeasuredLine {
  readonly direction: 'POSITIVE' | 'NEGATIVE' | 'BOTH'
  /** Its number among those of the direction, by kilometre; from 1. */
  readonly chain: number
}

/**
 * The measured lines of one road in one province. Where it has carriageways, each is a direction of its own, which sections with
 * traffic both ways belong to as well.
 */
export function axesOf(sections: readonly Section[], posts: readonly Post[]): Axis[] {
  const marks = posts.map(({ km, position }): KmPost => ({ km, at: [position.lon, position.lat] }))
  const linesOf = (...directions: readonly string[]): Line[] =>
    sections.flatMap(({ direction, geometry }) => (directions.includes(direction) ? [geometry] : []))
  const isDual = sections.some(({ direction }) => direction !== 'BOTH')
  const carriageways = isDual ? (['POSITIVE', 'NEGATIVE'] as const) : (['BOTH'] as const)
  return carriageways.flatMap((direction) =>
    measuredLines(chainsOf(linesOf(direction, 'BOTH')), marks)
      .sort((one, other) => (one.kilometres[0] as number) - (other.kilometres[0] as number))
      .map((line, at): Axis => ({ ...line, direction, chain: at + 1 })),
  )
}
