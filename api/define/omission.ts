/** Fields that a request leaves out of the reply, and the parameter that says so. */
export interface Omission<P> {
  readonly by: string
  readonly fields: (values: P) => readonly string[]
}
