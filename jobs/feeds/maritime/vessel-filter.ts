import type { AisMessage } from '../../formats/ais.ts'
import type { StreamKnown } from '../stream-intake.ts'
import { isPrivateType, isVesselMmsi } from './vessel-types.ts'

/** Most vessels remembered; the one silent for longest is evicted. Spanish waters see some 30,000 in a year. */
const MAX_VESSELS = 100_000

type Verdict = 'PUBLIC' | 'PRIVATE'

/** Passes messages of vessels known not to be private craft. */
export interface VesselFilter {
  /** Null if all messages may be stored, else the reason why not. */
  refuses(messages: readonly AisMessage[]): 'other_station' | 'private' | 'type_unknown' | null
}

/**
 * Opens a gate with the vessels in the table and the operator's exclusion list. A vessel is dropped until its type is known:
 * it states one every six minutes.
 */
export function openVesselFilter({ rows, setting }: StreamKnown): VesselFilter {
  const excluded = excludedMmsi(setting)
  const known = new Map<number, Verdict>()
  for (const row of rows.get('vessels') ?? []) known.set(Number(row['mmsi']), 'PUBLIC')
  const learn = (mmsi: number, verdict: Verdict): void => {
    known.delete(mmsi)
    known.set(mmsi, verdict)
    if (known.size <= MAX_VESSELS) return
    const [oldest] = known.keys()
    known.delete(oldest as number)
  }
  return {
    refuses(messages) {
      for (const message of messages) {
        const { mmsi } = message
        if (!isVesselMmsi(mmsi)) return 'other_station'
        if (excluded.has(mmsi)) return 'private'
        if (message.kind === 'static' && message.part !== 'A')
          learn(mmsi, isPrivateType(message.ship_type ?? null, message.ais_class) ? 'PRIVATE' : 'PUBLIC')
      }
      const verdicts = messages.map(({ mmsi }) => known.get(mmsi))
      if (verdicts.includes('PRIVATE')) return 'private'
      return verdicts.includes(undefined) ? 'type_unknown' : null
    },
  }
}

function excludedMmsi(setting: StreamKnown['setting']): ReadonlySet<number> {
  return new Set((setting('AIS_EXCLUDED_MMSI') ?? '').split(',').filter(Boolean).map(Number))
}
