import type { Answers } from '../../lake/live/demand.ts'
import type { ReadOf } from '../define/endpoint.ts'
import type { MemoryAsk } from '../define/memory-read.ts'
import { currentStates } from './current-states.ts'
import type { RequestValues } from './request.ts'
import type { ServiceState } from './state.ts'

/** How long a request waits for documents that were never there, and how often it looks at what became of them, ms. */
const [WAIT_MS, LOOK_MS] = [2500, 200]
const NONE: Answers = new Map()

/** Asks for the documents that a request wants on demand, and waits a moment for those it cannot do without. */
export async function demandDocuments(
  state: ServiceState,
  read: Pick<ReadOf<'memory'>, 'demands' | 'from'>,
  of: { readonly values: RequestValues['own']; readonly now: number; readonly slice: MemoryAsk['slice'] },
): Promise<Answers> {
  const { demands, from } = read
  if (!demands || !state.system().feeds.some(({ id, enabled }) => enabled && id === demands.feed)) return NONE
  const { values, now, slice } = of
  const ask = () => ({ states: currentStates(state, from).states, slice })
  const { keys } = await demands.wanted(ask(), values, now)
  const until = performance.now() + WAIT_MS
  for (;;) {
    const answers = await state.live.want(demands.feed, { keys, now }).catch(() => NONE)
    const { awaited } = await demands.wanted(ask(), values, now)
    const isWaiting = awaited.some((key) => answers.get(key) === null)
    if (!isWaiting || performance.now() >= until) return answers
    await changeOf(state, from)
  }
}

/** Settles when one of the datasets changes, or after a while. */
function changeOf(state: ServiceState, from: ReadOf<'memory'>['from']): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      clearTimeout(timer)
      end()
      resolve()
    }
    const timer = setTimeout(settle, LOOK_MS)
    const end = state.onChange(from, settle)
  })
}

/** What answers add to the tag of a reply: which documents are awaited, or cannot be had. */
export function tagOf(answers: Answers): string[] {
  const open = [...answers].filter(([, answer]) => answer?.outcome !== 'FETCHED').map(([key, answer]) => `${key} ${answer?.outcome ?? ''}`)
  return open.length === 0 ? [] : [open.join()]
}
