import { InvalidParam, type Problem, type ProblemCode, type ProblemError, problem } from '../problems.ts'
import { nearest } from '../reads/suggest.ts'

/** Most mistakes that one reply lists; the others are counted. */
const MAX_LISTED = 10
/** Longest part of a caller's text that a reply repeats, in characters. */
const MAX_SHOWN = 50
/** Matches the end of a sentence. */
const SENTENCE = /[.?]$/

/**
 * The mistakes of one request, each listed once. The lists of allowed values appear once each, so a reply stays short whatever
 * the request repeats.
 */
export class ValidationErrors {
  readonly #seen = new Set<string>()
  readonly #listed = new Set<string>()
  readonly #errors: ProblemError[] = []
  #code: ProblemCode = 'invalid-parameter'

  /** Adds a mistake that already has a description. */
  add(code: ProblemCode, error: ProblemError): void {
    this.#list(code, error.detail, () => error)
  }

  /** Adds an unknown parameter; `names` are the known ones. */
  unknown(name: string, names: readonly string[]): void {
    this.#list('unknown-parameter', `?${name}`, () => {
      const near = nearest(name, names)
      const shown = shortened(name)
      const detail = `There is no parameter ${shown}${near ? `; did you mean ${near}?` : '.'}`
      if (!this.#isFirst('')) return { parameter: shown, detail }
      return { parameter: shown, detail: `${detail} Allowed: ${names.join(', ')}`, allowed: names }
    })
  }

  /** Adds the refusal of a parameter's value. Throws any other error. */
  refused(error: unknown, name: string, value: string): void {
    if (!(error instanceof InvalidParam)) throw error
    this.#list(name === 'cursor' ? 'invalid-cursor' : error.code, `${name}=${value}`, () => {
      const near = error.near()
      const isListed = error.allowed !== undefined && !this.#isFirst(name)
      const expected = `${near ? `did you mean ${near}? ` : ''}${isListed ? 'expected one of the same' : error.message}`
      const got = value === '' ? '' : `, got ${JSON.stringify(shortened(value))}`
      return {
        parameter: name,
        detail: `${name}: ${expected}${got}`,
        ...(value === '' ? {} : { value: shortened(value) }),
        ...(error.allowed && !isListed ? { allowed: error.allowed } : {}),
      }
    })
  }

  /** Throws the problem if there is any mistake. */
  throwIfAny(): void {
    if (this.#seen.size > 0) throw this.problem()
  }

  /** Returns the problem that lists the mistakes. */
  problem(): Problem {
    const more = this.#seen.size - this.#errors.length
    const details = this.#errors.map((error) => error.detail)
    if (more > 0) details.push(`${more} more ${more === 1 ? 'mistake is' : 'mistakes are'} not listed`)
    return problem(
      this.#code,
      details.reduce((text, detail) => `${text}${SENTENCE.test(text) ? '' : '.'} ${detail}`),
      { errors: this.#errors },
    )
  }

  #list(code: ProblemCode, mistake: string, describe: () => ProblemError): void {
    if (this.#seen.has(mistake)) return
    if (this.#seen.size === 0) this.#code = code
    this.#seen.add(mistake)
    if (this.#errors.length < MAX_LISTED) this.#errors.push(describe())
  }

  #isFirst(parameter: string): boolean {
    const before = this.#listed.size
    return this.#listed.add(parameter).size > before
  }
}

/** Returns the problem of a refusal, for values that only turn out to be wrong while the answer is made. */
export function invalidParamProblem(error: InvalidParam): Problem {
  const mistakes = new ValidationErrors()
  mistakes.refused(error, error.parameter ?? '', error.value ?? '')
  return mistakes.problem()
}

/** Returns the start of a caller's text, as replies repeat it. */
export function shortened(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}
