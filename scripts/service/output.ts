// A reader that has seen enough (head, less) closes the pipe: that is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

/** Prints a line for a person. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Runs a command. If it fails, prints the error's message and exits with 1. */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  try {
    await command()
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  }
}
