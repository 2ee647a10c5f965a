/** How long one piece of work may block the event loop, in ms. */
const SHARE_MS = 10

/** Work that waits for the event loop; each turn of the loop resumes one piece. */
const waiting: (() => void)[] = []

function letOneGoOn(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(letOneGoOn)
}

/**
 * One piece of work's share of the event loop. Long work checks regularly whether its share is over, and then waits for its next
 * turn. Other requests are answered in between, however many pieces of long work there are.
 */
export class Turn {
  #began = performance.now()

  /** True if the work should wait for its next turn. */
  get isOver(): boolean {
    return performance.now() - this.#began > SHARE_MS
  }

  /** Waits for the next turn. */
  async next(): Promise<void> {
    await new Promise<void>((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(letOneGoOn)
    })
    this.#began = performance.now()
  }
}
