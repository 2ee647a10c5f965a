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

/** Runs a command. If it fails, prints the error's message and exits with 1. */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  try {
    await command()
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  }
}
