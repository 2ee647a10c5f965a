import { aisReceivers as source } from '../../../lake/datasets/maritime/sources.ts'
import { AisError, type AisMessage, decodeAis } from '../../formats/ais.ts'
import { AisAssembler, type AisPayload } from '../../formats/nmea.ts'
import { defineFeed } from '../define.ts'
import { minuteLines } from '../minute-file.ts'
import type { StreamIntake, StreamKnown } from '../stream-intake.ts'
import { openVesselFilter, VESSEL_FEED, VESSEL_FILES, VesselRows } from './vessel-rows.ts'

/** AIS from the operator's own receivers: NMEA 0183 sentences over TCP or UDP. */
export const aisReceivers = defineFeed({
  ...VESSEL_FEED,
  id: 'ais_receivers',
  source,
  stream: { ...VESSEL_FILES, connect: { env: 'AIS_RECEIVERS' }, intake },
  *rows([body], { fetched_at }, diagnostics) {
    const rows = new VesselRows(source.id, diagnostics)
    let assembler: AisAssembler | null = null
    for (const { at, text, isTimed } of minuteLines(body?.bytes ?? Buffer.alloc(0), fetched_at, (counts) =>
      warnOf(counts, diagnostics.warn),
    )) {
      // Our lines have their reception time; a plain recording only has tag blocks.
      assembler ??= new AisAssembler({ trustsTags: !isTimed })
      for (const sentence of text.split('\t')) {
        const found = assembler.take(sentence, at)
        if (found) for (const message of messagesOf(found, diagnostics.warn)) rows.take(message, found.at)
      }
    }
    assembler?.end()
    warnOf(assembler?.faults ?? {}, diagnostics.warn)
    yield* rows.batches()
  },
})

/** Stores complete messages of permitted vessels, each with its original sentences. */
function intake(known: StreamKnown): StreamIntake {
  const gate = openVesselFilter(known)
  const assembler = new AisAssembler()
  let refused: Record<string, number> = {}
  const refuse = (reason: string): null => {
    refused[reason] = (refused[reason] ?? 0) + 1
    return null
  }
  return {
    take(frame, at, connection) {
      const found = assembler.take(frame, at, connection)
      if (!found) return null
      const messages = messagesOf(found, refuse)
      if (messages.length === 0) return refuse('other_message')
      const reason = gate.refuses(messages)
      return reason === null ? found.sentences.join('\t') : refuse(reason)
    },
    counts() {
      const counts = { ...assembler.faults, ...refused }
      refused = {}
      assembler.resetFaults()
      return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
    },
  }
}

function messagesOf({ payload, fillBits }: AisPayload, warn: (text: string) => unknown): readonly AisMessage[] {
  try {
    return decodeAis(payload, fillBits)
  } catch (error) {
    if (!(error instanceof AisError)) throw error
    warn(error.message)
    return []
  }
}

function warnOf(counts: Readonly<Record<string, number>>, warn: (text: string) => void): void {
  for (const [reason, count] of Object.entries(counts)) if (count > 0) warn(`not used, ${reason.replaceAll('_', ' ')}: ${count}`)
}
