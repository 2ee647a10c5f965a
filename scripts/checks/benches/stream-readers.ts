import { connect } from 'node:net'

/** Many readers of streams in a separate process, which reports how many events they have received. */
const [, , port = '0', count = '0'] = process.argv
const MARK = Buffer.from('\nevent: feed.stale\n')
let received = 0
const open = (): void => {
  const socket = connect(Number(port), '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: bench\r\n\r\n'))
  let rest = Buffer.alloc(0)
  socket.on('data', (piece) => {
    const bytes = Buffer.concat([rest, piece])
    let at = bytes.indexOf(MARK)
    let end = 0
    for (; at !== -1; at = bytes.indexOf(MARK, end)) {
      received++
      end = at + MARK.length
    }
    // A marker may be split between two chunks.
    rest = Buffer.from(bytes.subarray(Math.max(end, bytes.length - MARK.length + 1)))
  })
  socket.on('error', () => undefined)
}
// Not all at once: the backlog of a listening socket is finite.
let opened = 0
const timer = setInterval(() => {
  for (let at = 0; at < 100 && opened < Number(count); at++, opened++) open()
  if (opened >= Number(count)) clearInterval(timer)
}, 20)
process.on('message', () => process.send?.(received))
process.once('disconnect', () => process.exit(0))
