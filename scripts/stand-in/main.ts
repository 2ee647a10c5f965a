import { parseArgs } from 'node:util'
import { parseInstant } from '../../lake/schema/time.ts'
import { FAULTS, type FaultSetting, parseFault } from './faults.ts'
import { STAND_INS } from './publishers/list.ts'
import { type Source, startPublishers } from './server.ts'

const HELP = `Usage: scripts/publishers [options]

Stands in for the publishers' servers, over HTTP and in their wire formats. https://host/path is served as /host/path.

  --source <s>       simulated (a generated Spain, the default) or captures:<dir> (recorded ones, in order)
  --seed <n>         each seed gives a different Spain (1)
  --archives <size>  short (files of archives have fewer lines than the publishers', the default) or full (as many as theirs: a day of trips
                     ten million, a month of Madrid's sensors eleven million, a year of the national accidents 102,000)
  --speed <n>        speed relative to the machine's clock (1); 0 stops it
  --start <instant>  start of the simulated clock, such as 2026-03-11T07:30:00Z (now)
  --port <n>         port (8750)
  --host <address>   address to listen on (127.0.0.1)
  --fault <f>        feed=fault[:option=value,…]; may be repeated
  --help             this text

Feeds: ${STAND_INS.map((feed) => feed.feed).join(', ')}

Faults, each with count=<n> to end after n answers:
${Object.entries(FAULTS)
  .map(([name, fault]) => `  ${name.padEnd(14)} ${fault.about}`)
  .join('\n')}

At run time, from this machine: GET /_control/state, POST /_control/faults {"feed": …, "fault": …}, DELETE /_control/faults[?feed=…],
POST /_control/clock {"advance_ms": …}.
`

/** Runs the command; returns the exit code, or null if it keeps serving. */
async function main(): Promise<number | null> {
  let options: ReturnType<typeof readOptions>
  try {
    options = readOptions(process.argv.slice(2))
  } catch (error) {
    process.stderr.write(`publishers: ${error instanceof Error ? error.message : String(error)}\nSee scripts/publishers --help\n`)
    return 2
  }
  if (options === 'help') {
    process.stdout.write(HELP)
    return 0
  }
  const publishers = await startPublishers(options).catch((error: Error) => error)
  if (publishers instanceof Error) {
    process.stderr.write(`publishers: ${publishers.message}\n`)
    return 1
  }
  const { source } = options
  process.stdout.write(
    source.kind === 'simulated' ? `serving a generated Spain (no real data), seed ${source.seed}\n` : `serving captures of ${source.dir}\n`,
  )
  for (const feed of STAND_INS) process.stdout.write(`  ${feed.feed.padEnd(16)} ${publishers.url}/${feed.hosts[0]}${feed.path}\n`)
  if (publishers.nmea) process.stdout.write(`  ${'ais_receivers'.padEnd(16)} ${publishers.nmea}\n`)
  process.stdout.write(`ready ${publishers.url}\n`)
  const stop = (): void => void publishers.close().then(() => process.exit(0))
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  return null
}

function readOptions(args: string[]): 'help' | { source: Source; port: number; host: string; faults: FaultSetting[] } {
  const { values } = parseArgs({
    args,
    options: {
      source: { type: 'string', default: 'simulated' },
      seed: { type: 'string', default: '1' },
      archives: { type: 'string', default: 'short' },
      speed: { type: 'string', default: '1' },
      start: { type: 'string' },
      port: { type: 'string', default: '8750' },
      host: { type: 'string', default: '127.0.0.1' },
      fault: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  return {
    source: readSource(values),
    port: numberOf('port', values.port, 65_535),
    host: values.host,
    faults: values.fault.map(parseFault),
  }
}

function readSource(values: { source: string; seed: string; archives: string; speed: string; start?: string | undefined }): Source {
  if (values.source.startsWith('captures:')) return { kind: 'captures', dir: values.source.slice('captures:'.length) }
  if (values.source !== 'simulated') throw new Error(`--source ${JSON.stringify(values.source)} is neither simulated nor captures:<dir>`)
  const start = values.start === undefined ? Date.now() : parseInstant(values.start)
  if (start === null) throw new Error(`--start ${JSON.stringify(values.start)} is no instant such as 2026-03-11T07:30:00Z`)
  const { archives } = values
  if (archives !== 'short' && archives !== 'full') throw new Error(`--archives ${JSON.stringify(archives)} is neither short nor full`)
  const [seed, speed] = [numberOf('seed', values.seed, 0xffff_ffff), numberOf('speed', values.speed, 100_000)]
  return { kind: 'simulated', seed, archives, speed, start }
}

function numberOf(name: string, text: string, most: number): number {
  const value = Number(text)
  if (!(value >= 0 && value <= most) || (name !== 'speed' && !Number.isInteger(value)))
    throw new Error(`--${name} ${JSON.stringify(text)} is not 0 … ${most}`)
  return value
}

const code = await main()
if (code !== null) process.exitCode = code
