import type { AnyRow } from '../../../lake/schema/dataset.ts'
import type { Order } from '../../kernel/page.ts'
import { sorted } from '../request/paging.ts'

/** Records with their requested orders, at most one for each sort of the endpoint. */
export class SortedRecords {
  readonly #records: readonly AnyRow[]
  readonly #orders = new Map<string, Promise<readonly AnyRow[]>>()

  constructor(records: readonly AnyRow[]) {
    this.#records = records
  }

  /** Returns the records in an order; unchanged if the sort field is only known for a page. */
  async inOrder(order: Order): Promise<readonly AnyRow[]> {
    const [first] = this.#records
    if (!first || order.some(({ field }) => !(field in first))) return this.#records
    const name = JSON.stringify(order.map(({ field, falling }) => [field, falling]))
    const made = this.#orders.get(name) ?? sorted(this.#records, order)
    this.#orders.set(name, made)
    return await made
  }
}
