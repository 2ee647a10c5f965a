import type { AnyRow } from '../../lake/schema/dataset.ts'
import { type Order, sorted } from './paging.ts'

/** Records, and their orders that were asked for so far: as many as the endpoint has sorts. */
export class SortedRecords {
  readonly #records: readonly AnyRow[]
  readonly #orders = new Map<string, Promise<readonly AnyRow[]>>()

  constructor(records: readonly AnyRow[]) {
    this.#records = records
  }

  /** The records in an order; as they are where what they are sorted by is only known once they are picked. */
  async inOrder(order: Order): Promise<readonly AnyRow[]> {
    const [first] = this.#records
    if (!first || order.some(({ field }) => !(field in first))) return this.#records
    const name = JSON.stringify(order.map(({ field, falling }) => [field, falling]))
    const made = this.#orders.get(name) ?? sorted(this.#records, order)
    this.#orders.set(name, made)
    return await made
  }
}
