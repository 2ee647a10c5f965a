import { type Node, parseSync, Visitor } from 'oxc-parser'

/** One change of a source text that a test should notice. */
export interface Change {
  readonly mutator: string
  /** Offsets of the replaced text, and its replacement. */
  readonly start: number
  readonly end: number
  readonly text: string
}

const COMPARISONS: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
}
const ARITHMETIC: Readonly<Record<string, readonly string[]>> = { '+': ['-'], '-': ['+'], '*': ['/'], '/': ['*'], '%': ['*'] }
const LOGIC: Readonly<Record<string, readonly string[]>> = { '&&': ['||'], '||': ['&&'] }
/** Calls that return a list of the same type as their receiver. */
const LIST_CALLS: ReadonlySet<string> = new Set(['filter', 'slice', 'sort', 'toSorted', 'reverse', 'toReversed'])
/** Replacements in SQL: operators of conditions and aggregates. `BETWEEN … AND …` stays, otherwise the SQL is invalid. */
const SQL_CHANGES: readonly (readonly [pattern: RegExp, text: string])[] = [
  [/\bAND\b/g, 'OR'],
  [/\bOR\b/g, 'AND'],
  [/(?<![<>=!-])<(?![<>=])/g, '<='],
  [/<=/g, '<'],
  [/(?<![<>=!-])>(?![<>=])/g, '>='],
  [/>=/g, '>'],
  [/\bmin(?=\()/g, 'max'],
  [/\bmax(?=\()/g, 'min'],
]

/**
 * All possible changes of a TypeScript source, in order of the text. Types, texts, examples and column ids stay: a law checks the
 * latter against a list. `isProgram` checks whether a change results in a program.
 */
export function changesOf(source: string): Change[] {
  const changes: Change[] = []
  const add = (mutator: string, { start, end }: { start: number; end: number }, ...texts: readonly string[]): void => {
    if (hidden === 0) for (const text of texts) changes.push({ mutator, start, end, text })
  }
  const { program, errors } = parseSync('source.ts', source)
  if (errors.length > 0) throw new Error(`the source does not parse: ${errors[0]?.message}`)
  const ids = new Set<Node>()
  /** Number of enclosing nodes whose contents must not change. */
  let hidden = 0
  new Visitor({
    TSLiteralType: () => void hidden++,
    'TSLiteralType:exit': () => void hidden--,
    Property({ key }) {
      if (isExample(key)) hidden++
    },
    'Property:exit'({ key }) {
      if (isExample(key)) hidden--
    },
    BinaryExpression({ left, operator, right }) {
      const found = operatorIn(source, { left, operator, right })
      if (!found) return
      if (operator in COMPARISONS) add('comparison', found, ...(COMPARISONS[operator] ?? []))
      else if (operator in ARITHMETIC && !isText(left) && !isText(right)) add('arithmetic', found, ...(ARITHMETIC[operator] ?? []))
    },
    LogicalExpression(node) {
      const found = operatorIn(source, node)
      if (found) add('boolean', found, ...(LOGIC[node.operator] ?? []))
    },
    UnaryExpression({ operator, start, argument }) {
      if (operator === '!') add('boolean', { start, end: argument.start }, '')
    },
    Literal(node) {
      const { value } = node
      if (typeof value === 'boolean') add('boolean', node, String(!value))
      if (typeof value === 'number' && !ids.has(node)) add('number', node, ...(value === 0 ? ['1'] : [String(value + 1), '0']))
    },
    ConditionalExpression({ test }) {
      add('condition', test, 'true', 'false')
    },
    IfStatement({ test, consequent }) {
      add('condition', test, 'true', 'false')
      const last = consequent.type === 'BlockStatement' ? consequent.body.at(-1) : consequent
      if (last?.type === 'ReturnStatement') add('early return', last, ';')
    },
    WhileStatement({ test }) {
      add('condition', test, 'false')
    },
    TaggedTemplateExpression({ tag, quasi }) {
      if (tag.type !== 'Identifier' || tag.name !== 'sql') return
      for (const { start, end } of quasi.quasis) changes.push(...sqlChanges(source, quasi.start, { start, end }))
    },
    CallExpression({ callee, arguments: [id, about], end }) {
      if (id && about && isText(about)) ids.add(id)
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return
      const { object, property } = callee
      if (LIST_CALLS.has(property.name)) add('list call', { start: object.end, end }, '')
    },
  }).visit(program)
  return changes.toSorted((one, other) => one.start - other.start)
}

/** A source with a change applied. */
export function applied(source: string, { start, end, text }: Change): string {
  return source.slice(0, start) + text + source.slice(end)
}

/** True for a text that parses; types are not checked. */
export function isProgram(source: string): boolean {
  return parseSync('source.ts', source).errors.length === 0
}

/** The operator between its two sides; null if a comment makes its position unclear. */
function operatorIn(
  source: string,
  { left, operator, right }: { readonly left: Node; readonly operator: string; readonly right: Node },
): { start: number; end: number } | null {
  const between = source.slice(left.end, right.start)
  if (/\/[/*]/.test(between)) return null
  const at = between.indexOf(operator)
  return at === -1 ? null : { start: left.end + at, end: left.end + at + operator.length }
}

/** True for an operand that makes `+` a concatenation. */
function isText(node: Node): boolean {
  return node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string')
}

function* sqlChanges(source: string, begin: number, { start, end }: { start: number; end: number }): Generator<Change> {
  for (const [pattern, text] of SQL_CHANGES)
    for (const { 0: found, index } of source.slice(start, end).matchAll(pattern)) {
      const at = start + index
      if (found === 'AND' && /\bBETWEEN\b(?:(?!\bAND\b)[^])*$/.test(source.slice(begin, at))) continue
      yield { mutator: 'SQL', start: at, end: at + found.length, text }
    }
}

function isExample(key: Node): boolean {
  return key.type === 'Identifier' && key.name === 'example'
}
