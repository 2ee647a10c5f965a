import type { ObjectStore } from '../../../lake/store/store.ts'
import { type MinuteCounts, recordedUsage } from './recorded.ts'
import { openRecorder, type RecorderOptions, type UsageRecorder } from './recorder.ts'

/** The usage of the API: counted, recorded and read. */
export interface Usage extends Pick<UsageRecorder, 'counter' | 'flush' | 'close'> {
  /** Returns the daily units charged to a slot in each minute of slightly more than the last 24 hours. */
  recorded(slot: string): Promise<MinuteCounts>
}

/** Opens the record of usage in a store. The caller closes it after the last request. */
export function openUsage(options: RecorderOptions & { readonly store: ObjectStore }): Usage {
  const recorder = openRecorder(options)
  const { counter, flush, close } = recorder
  return { counter, flush, close, recorded: recordedUsage({ ...options, recorder }) }
}
