import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { askOverHttp } from '../../api/features/mcp/ask.ts'
import { mcpServer, recentAnswers } from '../../api/features/mcp/server.ts'

const url = (process.env['TRAFFIC_API_URL'] ?? 'http://127.0.0.1:8080').replace(/\/+$/, '')
const recent = recentAnswers()

// Standard output belongs to the protocol: errors go to standard error.
serveStdio(
  () =>
    mcpServer({
      ask: askOverHttp(url, process.env['TRAFFIC_API_KEY'] ?? null),
      baseUrl: url,
      clock: Date.now,
      recent,
      caller: '',
    }),
  { onerror: (error) => process.stderr.write(`${error.message}\n`) },
)
