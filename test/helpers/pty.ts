import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { stripVTControlCharacters } from 'node:util'

/** A program on a terminal of its own. */
export interface Pty {
  /** Everything that was written to the terminal, without the line that names it. */
  written(): string
  /** The newest whole frame of a board, as text. */
  frame(): string
  /** Types keys, such as `\x03` for Ctrl+C. */
  type(keys: string): void
  resize(columns: number, rows: number): void
  kill(): void
  /** Settles with the exit code. */
  readonly ended: Promise<number>
}

const FRAME = '\x1b[?2026h\x1b[H'
const END_OF_FRAME = '\x1b[?2026l'

/** Runs a program on a terminal of a size, by `script` of util-linux. The caller ends it. */
export function runOnPty(
  command: readonly string[],
  { columns = 80, rows = 24, env = {} }: { readonly columns?: number; readonly rows?: number; readonly env?: NodeJS.ProcessEnv } = {},
): Pty {
  const quoted = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
  const { NODE_OPTIONS: _options, VITEST: _vitest, NO_COLOR: _no, FORCE_COLOR: _force, ...rest } = process.env
  const child = spawn('script', ['-qefc', `tty; stty cols ${columns} rows ${rows}; exec ${quoted}`, '/dev/null'], {
    env: { ...rest, TERM: 'xterm-256color', SHELL: '/bin/sh', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  return {
    written: () => output.slice(output.indexOf('\n') + 1),
    frame: () => {
      const frames = output.split(FRAME)
      const last = frames.slice(1).findLast((text) => text.includes(END_OF_FRAME)) ?? ''
      return stripVTControlCharacters(last.slice(0, last.indexOf(END_OF_FRAME))).replace(/\r+\n/g, '\n')
    },
    type: (keys) => void child.stdin.write(keys),
    resize: (width, height) => {
      const [, tty = ''] = /^(\/dev\/\S+)/.exec(output) ?? []
      execFileSync('stty', ['-F', tty, 'cols', String(width), 'rows', String(height)])
    },
    kill: () => void child.kill('SIGKILL'),
    ended: once(child, 'close').then(([code]) => code as number),
  }
}
