import type { Stream } from '../../../jobs/feeds/define.ts'
import { aisReceivers } from '../../../jobs/feeds/maritime/ais-receivers.ts'
import { parsePublication } from '../../../jobs/ingest/parse.ts'
import { MinuteBuffer } from '../../../jobs/ingest/streams/follow.ts'
import { positionSentences, staticSentences } from '../../stand-in/formats/nmea.ts'
import { vesselAt, vesselsOfWorld } from '../../stand-in/world/vessels.ts'
import { makeWorld } from '../../stand-in/world/world.ts'
import type { Bench, Done, MemoryBench } from './measure.ts'

const MESSAGES_S = 1000
const MINUTE_S = 60
const AT = Date.parse('2026-11-21T08:31:00Z')
/** How often new sentences are parsed for live state, s. */
const SHOWN_EVERY_S = 4

/** Sentences of some minutes: 1,000 messages per second, from 2,000 vessels in turn. */
function* sentencesOf(minutes: number): Generator<{ readonly at: number; readonly sentences: readonly string[] }> {
  const vessels = makeWorld(7).part(vesselsOfWorld)
  for (let second = 0; second < minutes * MINUTE_S; second++) {
    const at = AT + 1000 * second
    const sentences: string[] = []
    for (let message = 0; message < MESSAGES_S; message++) {
      const vessel = vessels[(second * MESSAGES_S + message) % vessels.length] as (typeof vessels)[number]
      const fix = vesselAt(vessel, at)
      if (second < 2 || message % 50 === 0) sentences.push(...staticSentences(vessel, fix, message))
      else sentences.push(...positionSentences(vessel, fix, second % 60))
    }
    yield { at, sentences }
  }
}

/** A worker's complete processing of a stream between the socket and live state: intake, minute files and live rows. */
async function follow(seconds: Iterable<{ readonly at: number; readonly sentences: readonly string[] }>): Promise<Done> {
  const { intake, maxFileBytes } = aisReceivers.stream as Stream
  const taking = intake({ rows: new Map(), setting: () => null })
  const buffer = new MinuteBuffer(maxFileBytes)
  const parse = (bytes: Buffer, at: number) => parsePublication(aisReceivers, [{ name: 'minute', bytes }], at)
  let [kept, rows, second] = [0, 0, 0]
  for (const { at, sentences } of seconds) {
    for (const sentence of sentences) {
      const text = taking.take(sentence, at, 'bench')
      if (text === null) continue
      buffer.add(at, text)
      kept++
    }
    second++
    const shown = second % SHOWN_EVERY_S === 0 ? buffer.takeNew() : null
    if (shown) await parse(shown, at)
    const file = second % MINUTE_S === 0 ? buffer.cut(taking.counts()) : null
    if (file) rows += (await parse(file, at)).counts.get('vessel_positions') ?? 0
  }
  return { kept, rows }
}

/** A minute of 1,000 messages per second may take a tenth of a core. */
export const aisStream: Bench = {
  name: 'ais/speed',
  about: `A minute of AIS at ${MESSAGES_S} messages a second, from sentences to rows; in at most 6 s`,
  limit: 1,
  rounds: 5,
  async open() {
    const seconds = [...sentencesOf(1)]
    return {
      measured: { expected: { kept: { min: 40_000 }, rows: { min: 1500 } }, run: () => follow(seconds) },
      reference: { limit_ms: 6000 },
      async close() {},
    }
  },
}

/** Ten minutes of the same stream, in a separate process. */
export const aisStreamMemory: MemoryBench = {
  name: 'ais/memory',
  about: `Ten minutes of AIS at ${MESSAGES_S} messages a second, from sentences to rows`,
  limit_mb: 400,
  rounds: 3,
  expected: { kept: { min: 400_000 }, rows: { min: 15_000 } },
  run: () => follow(sentencesOf(10)),
}
