import { inThread } from '../in-thread.ts'
import type { HotspotRow, HotspotSet, HotspotsGiven } from './sets.ts'

/** Runs `hotspotsOf` in its own thread, with the same result. See `inThread`. */
export function hotspotsInThread(
  set: HotspotSet,
  { signal, ...given }: HotspotsGiven & { readonly signal: AbortSignal },
): Promise<HotspotRow[]> {
  return inThread(new URL('./thread.ts', import.meta.url), { set, given }, signal)
}
