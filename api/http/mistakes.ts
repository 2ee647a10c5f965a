import { type Problem, type ProblemCode, type ProblemError, problem, Refused } from '../define/problems.ts'
import { nearest } from '../define/suggest.ts'

/** Most mistakes that one reply tells of; the others are counted. */
const TOLD_MOST = 10
/** Longest part of a caller's text that a reply repeats, in characters. */
const SHOWN_MOST = 50
/** Text that ends as a sentence does. */
const SENTENCE = /[.?]$/

/**
 * The mistakes of one request, told together, each once: a reply is never much longer than the lists of what is allowed, and names each
 * list once, whatever the request repeats.
 */
export class Mistakes {
  readonly #seen = new Set<string>()
  readonly #listed = new Set<string>()
  readonly #errors: ProblemError[] = []
  #code: ProblemCode = 'invalid-parameter'

  /** Adds a mistake that is described already. */
  add(code: ProblemCode, error: ProblemError): void {
    this.#tell(code, error.detail, () => error)
  }

  /** Adds a parameter that there is not, of those that there are. */
  unknown(name: string, names: readonly string[]): void {
    this.#tell('unknown-parameter', `?${name}`, () => {
      const near = nearest(name, names)
      const shown = shortened(name)
      const detail = `There is no parameter ${shown}${near ? `; did you mean ${near}?` : '.'}`
      if (!this.#isFirst('')) return { parameter: shown, detail }
      return { parameter: shown, detail: `${detail} Allowed: ${names.join(', ')}`, allowed: names }
    })
  }

  /** Adds a parameter's refusal of a value; throws what is no refusal. */
  refused(error: unknown, name: string, value: string): void {
    if (!(error instanceof Refused)) throw error
    this.#tell(name === 'cursor' ? 'invalid-cursor' : error.code, `${name}=${value}`, () => {
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

  /** Throws the problem of what was added, if anything was. */
  throwIfAny(): void {
    if (this.#seen.size > 0) throw this.problem()
  }

  /** The problem that tells of all mistakes. */
  problem(): Problem {
    const more = this.#seen.size - this.#errors.length
    const details = this.#errors.map((error) => error.detail)
    if (more > 0) details.push(`${more} more ${more === 1 ? 'mistake is' : 'mistakes are'} not listed`)
    return problem(
      this.#code,
      details.reduce((told, detail) => `${told}${SENTENCE.test(told) ? '' : '.'} ${detail}`),
      { errors: this.#errors },
    )
  }

  #tell(code: ProblemCode, mistake: string, describe: () => ProblemError): void {
    if (this.#seen.has(mistake)) return
    if (this.#seen.size === 0) this.#code = code
    this.#seen.add(mistake)
    if (this.#errors.length < TOLD_MOST) this.#errors.push(describe())
  }

  #isFirst(parameter: string): boolean {
    const before = this.#listed.size
    return this.#listed.add(parameter).size > before
  }
}

/** The problem of a refusal, for values that are only known to be wrong once the answer is being made. */
export function refusal(error: Refused): Problem {
  const mistakes = new Mistakes()
  mistakes.refused(error, error.parameter ?? '', error.value ?? '')
  return mistakes.problem()
}

/** The begin of a caller's text, as replies repeat it. */
export function shortened(text: string): string {
  return text.length > SHOWN_MOST ? `${text.slice(0, SHOWN_MOST)}…` : text
}
