import { type ParseArgsConfig, parseArgs } from 'node:util'
import type { Json } from '../../lake/schema/columns.ts'

for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // A closed terminal also sends SIGHUP.
    if (error.code === 'EIO') return
    if (error.code !== 'EPIPE') throw error
    // A reader that has seen enough (head, less) closes the pipe, which is not an error. A service stops what it has started.
    if (!process.emit('SIGTERM')) process.exit(0)
  })

/** Prints a line for a person. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Options of a command, as `parseArgs` takes them; every command also has `--help`. */
type Options = NonNullable<ParseArgsConfig['options']>

/** The values of options. */
export type Values<O extends Options> = ReturnType<typeof parseArgs<{ options: O }>>['values']

/** The usage of a command, its options, and the least and the most arguments that it takes; any by default. */
interface About<O extends Options> {
  readonly usage: string | (() => Promise<string>)
  readonly options: O
  readonly takes?: readonly [least: number, most: number]
}

/** Reads the command line; prints the usage and returns null for `--help`, or for another number of arguments. */
export async function commandLine<const O extends Options>({
  usage,
  options,
  takes: [least, most] = [0, Number.POSITIVE_INFINITY],
}: About<O>): Promise<{ readonly args: readonly string[]; readonly values: Values<O> } | null> {
  const all: Options = { ...options, help: { type: 'boolean', short: 'h' } }
  const { positionals: args, values } = parseArgs({ allowPositionals: true, options: all })
  if (!values['help'] && args.length >= least && args.length <= most) return { args, values: values as Values<O> }
  say(typeof usage === 'string' ? usage : await usage())
  return null
}

/** Runs a command with its arguments and options, see `commandLine`. If it fails, prints the error's message and exits with 1. */
export async function runCommand<const O extends Options>(
  about: About<O>,
  command: (args: readonly string[], values: Values<O>) => Promise<void>,
): Promise<void> {
  try {
    const line = await commandLine(about)
    if (line) await command(line.args, line.values)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  }
}

/** A subcommand: the least and the most arguments that it takes, and its work. */
type Subcommand = readonly [least: number, most: number, run: (...args: string[]) => Promise<void>]

/** Runs the subcommand that the first argument names. Throws, with the usage, if none has its name and number of arguments. */
export async function runSubcommand(
  usage: string,
  [name = '', ...args]: readonly string[],
  commands: ReadonlyMap<string, Subcommand>,
): Promise<void> {
  const [least, most, run] = commands.get(name) ?? [0, -1]
  if (!run || args.length < least || args.length > most) throw new Error(`${[name, ...args].join(' ')}: no such command\n${usage}`)
  await run(...args)
}

/** Formats rows as a text table with aligned columns, numbers to the right. */
export function table(head: readonly string[], rows: readonly (readonly Json[])[]): string {
  const cells = rows.map((row) =>
    row.map((value) => (value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value))),
  )
  const widths = head.map((name, at) => Math.max(name.length, ...cells.map((row) => row[at]?.length ?? 0)))
  const right = head.map((_, at) => rows.length > 0 && rows.every((row) => typeof row[at] === 'number' || row[at] === null))
  const line = (row: readonly string[]): string =>
    row
      .map((cell, at) => (right[at] ? cell.padStart(widths[at] as number) : cell.padEnd(widths[at] as number)))
      .join('  ')
      .trimEnd()
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...cells.map(line)].join('\n')
}
