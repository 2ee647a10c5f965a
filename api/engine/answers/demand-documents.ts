import type { Answers } from '../../../lake/live/demand.ts'
import type { ReadOf } from '../../kernel/endpoint.ts'
import type { MemoryAsk } from '../../kernel/reads/memory-read.ts'
import type { RequestValues } from '../request/request.ts'
import type { ServiceState } from '../state/state.ts'
import { currentStates } from './current-states.ts'

/** How long a request waits for documents that never existed, and how often it checks them, ms. */
const [WAIT_MS, LOOK_MS] = [2500, 200]
const NONE: Answers = new Map()

/** Requests the documents that an answer needs on demand, and waits a moment for the indispensable ones. */
export async function demandDocuments(
  state: ServiceState,
  read: Pick<ReadOf<'memory'>, 'demands' | 'from'>,
  of: { readonly values: RequestValues['own']; readonly now: number; readonly cached: MemoryAsk['cached'] },
): Promise<Answers> {
  const { demands, from } = read
  if (!demands || !state.system().feeds.some(({ id, enabled }) => enabled && id === demands.feed)) return NONE
  const { values, now, cached } = of
  const ask = () => ({ states: currentStates(state, from).states, cached })
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

/** Settles when one of the datasets changes, or after a timeout. */
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

/** Returns what documents add to the tag of a reply: which are awaited, and which are unavailable. */
export function tagOf(answers: Answers): string[] {
  const open = [...answers].filter(([, answer]) => answer?.outcome !== 'FETCHED').map(([key, answer]) => `${key} ${answer?.outcome ?? ''}`)
  return open.length === 0 ? [] : [open.join()]
}
