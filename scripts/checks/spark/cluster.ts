import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

const run = promisify(execFile)
/** Memory of each worker, and how long a part of the cluster may take to start, ms. */
const MEMORY = '1g'
const START_MS = 60_000

/** A standalone cluster of Spark. */
export interface Cluster {
  /** Its address, for `--master`. */
  readonly master: string
  stop(): Promise<void>
}

/** Starts a standalone master and two workers of a core each on this machine, from the `pyspark` of a Python. */
export async function startCluster(python: string, folder: string): Promise<Cluster> {
  const { stdout } = await run(python, ['-c', 'import pyspark, os; print(os.path.dirname(pyspark.__file__))'])
  const home = stdout.trim()
  const children: ChildProcess[] = []
  const start = async (sign: RegExp, args: readonly string[]): Promise<string> => {
    const child = spawn(`${home}/bin/spark-class`, args, {
      cwd: folder,
      env: { ...process.env, SPARK_HOME: home },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    children.push(child)
    const lines = createInterface({ input: child.stderr as NodeJS.ReadableStream })
    const found = new Promise<string>((resolve) => {
      lines.on('line', (line) => {
        const [match] = sign.exec(line) ?? []
        if (match) resolve(match)
      })
    })
    const late = new Promise<never>((_, reject) =>
      setTimeout(() => reject(new Error(`not within ${START_MS} ms: spark-class ${args[0]}`)), START_MS).unref(),
    )
    return Promise.race([found, late])
  }
  const stop = async (): Promise<void> => {
    for (const child of children.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
  }
  try {
    const address = ['--host', '127.0.0.1', '--port', '0', '--webui-port', '0']
    const master = await start(/spark:\/\/[\d.]+:\d+/, ['org.apache.spark.deploy.master.Master', ...address])
    const limits = ['--cores', '1', '--memory', MEMORY, '--work-dir', `${folder}/spark-work`]
    for (let worker = 0; worker < 2; worker++)
      await start(/Successfully registered with master/, ['org.apache.spark.deploy.worker.Worker', ...address, ...limits, master])
    return { master, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
