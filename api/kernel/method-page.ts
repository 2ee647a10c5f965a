/** A page at `/docs/methods/<name>` that explains a method: Markdown in English, next to the code. */
export interface MethodPage {
  readonly name: string
  readonly file: URL
}

/** Declares a method page. Throws if its name cannot be part of a path. */
export function defineMethodPage(name: string, file: URL): MethodPage {
  if (!/^[a-z]+(-[a-z]+)*$/.test(name)) throw new Error(`${name} is not a valid name of a method page, such as black-spots`)
  return Object.freeze({ name, file })
}

/** The path of a method page. */
export function methodPath({ name }: MethodPage): string {
  return `/docs/methods/${name}`
}
