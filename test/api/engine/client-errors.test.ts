import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { answerClientError, followAnswers } from '../../../api/engine/replies/malformed.ts'
import { until } from '../../helpers/until.ts'

test('a connection announced as ending gets no other reply, and the reply in progress on it is sent whole', async () => {
  const taken: [IncomingMessage, ServerResponse][] = []
  const reported: string[] = []
  const server = createServer((request, response) => {
    taken.push([request, response])
  })
  followAnswers(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  onTestFinished(() => {
    socket.destroy()
    server.close()
  })
  let text = ''
  socket.on('data', (part) => {
    text += part.toString()
  })
  const fail = (code: string): void =>
    answerClientError(Object.assign(new Error(code), { code }), taken[0]?.[0].socket as Socket, {
      baseUrl: '',
      onProblem: (problem) => void reported.push(problem),
    })
  socket.write('GET /first HTTP/1.1\r\nHost: a\r\n\r\n')
  await until('the first request', () => taken.length === 1)
  // The head of the next one takes too long; then it comes all the same, and its body takes too long as well.
  fail('ERR_HTTP_REQUEST_TIMEOUT')
  socket.write('POST /second HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nx')
  await until('the second request', () => taken.length === 2)
  fail('ERR_HTTP_REQUEST_TIMEOUT')
  const [, first] = taken[0] as [IncomingMessage, ServerResponse]
  first.end('the first answer')
  await once(socket, 'close')
  expect(text).toContain('the first answer')
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 408'])
  expect(reported).toEqual(['request-timeout'])
})
