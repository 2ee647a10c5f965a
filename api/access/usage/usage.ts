import type { ObjectStore } from '../../../lake/store/store.ts'
import { type MinuteCounts, recordedUsage } from './recorded.ts'
import { openRecorder, type RecorderOptions, type UsageRecorder } from './recorder.ts'

/** The usage of the API: counted, recorded and read. */
export interface Usage extends Pick<UsageRecorder, 'counter' | 'flush' | 'close'> {
  /** Units of the day that a slot was charged in each minute of the last 24 hours and a bit. */
  recorded(slot: string): Promise<MinuteCounts>
}

/** Opens the record of usage in a store. Who opens it closes it, once nothing is asked any more. */
export function openUsage(options: RecorderOptions & { readonly store: ObjectStore }): Usage {
  const recorder = openRecorder(options)
  const { counter, flush, close } = recorder
  return { counter, flush, close, recorded: recordedUsage({ ...options, recorder }) }
}
