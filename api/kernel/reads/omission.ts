/** Fields that a request omits from the reply, and the parameter that selects them. */
export interface Omission<P> {
  readonly by: string
  readonly fields: (values: P) => readonly string[]
}
