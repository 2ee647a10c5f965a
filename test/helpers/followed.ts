import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { PROJECT, ROOMS } from '../laws/sources.ts'
import type { CodeBlock } from './markdown.ts'
import { tempFolder } from './temp.ts'

const FILES = ['package.json', 'package-lock.json', 'tsconfig.json', '.biome.json', '.gitignore', 'README.md']
/** `scripts/setup.sh` uses this copy of the lock file to detect installed packages. */
const STAMP = '.installed'
const MAX_OUTPUT = 64 * 1024 * 1024

const execute = promisify(execFile)

/** A copy of the project in which steps of its documentation are followed; packages are linked. */
export class ProjectCopy {
  readonly folder = tempFolder()

  constructor() {
    for (const name of [...ROOMS, 'findings', ...FILES]) cpSync(join(PROJECT, name), join(this.folder, name), { recursive: true })
    const [from, to] = [join(PROJECT, 'node_modules'), join(this.folder, 'node_modules')]
    mkdirSync(to)
    // Linked one by one: installing packages in the copy must not change the project's own.
    for (const name of readdirSync(from)) if (name !== STAMP && name !== '.vite') symlinkSync(join(from, name), join(to, name))
    cpSync(join(this.folder, 'package-lock.json'), join(to, STAMP))
  }

  /** Applies a block: creates its file, changes its file, or runs its commands. Returns the output of commands. */
  async follow({ language, file, code }: CodeBlock): Promise<string> {
    if (language === 'sh') {
      const printed: string[] = []
      for (const command of code.split('\n')) printed.push(await this.run(command))
      return printed.join('')
    }
    if (file === null) throw new Error(`no file is named above:\n${code}`)
    const path = join(this.folder, file)
    if (language === 'diff') writeFileSync(path, patched(readFileSync(path, 'utf8'), code))
    else {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, `${code}\n`, { flag: 'wx' })
    }
    return ''
  }

  /** Runs a shell command in the copy and returns its output. Throws with the output if it fails. */
  private async run(command: string): Promise<string> {
    const { NODE_OPTIONS: _options, VITEST: _vitest, VITEST_WORKER_ID: _worker, VITEST_POOL_ID: _pool, ...env } = process.env
    const options = { cwd: this.folder, env: { ...env, NO_INSTALL: '1' }, maxBuffer: MAX_OUTPUT }
    try {
      return (await execute('bash', ['-c', command], options)).stdout
    } catch (cause) {
      const { stdout = '', stderr = '' } = cause as { readonly stdout?: string; readonly stderr?: string }
      throw new Error(`${command} failed:\n${stdout}\n${stderr}`, { cause })
    }
  }
}

/**
 * A text with a diff applied: hunks are separated by `@@` and located by their lines, in any order. Throws if one does not match
 * exactly once.
 */
export function patched(text: string, diff: string): string {
  return diff.split(/^@@.*\n/m).reduce((given, hunk) => {
    const lines = hunk.split('\n').filter((line, at, all) => line !== '' || at < all.length - 1)
    const side = (mark: string): string =>
      lines
        .filter((line) => !line.startsWith(mark))
        .map((line) => `${line.slice(1)}\n`)
        .join('')
    const parts = given.split(side('+'))
    if (parts.length !== 2) throw new Error(`found ${parts.length - 1} times:\n${side('+')}`)
    return parts.join(side('-'))
  }, text)
}
