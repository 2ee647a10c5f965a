import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { tempFolder } from './temp.ts'

/** A socket whose connections reach another one (`unix://…`) after a delay; closed with the test. */
export async function slowSocket(url: string, delay_ms: number): Promise<string> {
  const path = join(tempFolder(), 'slow.sock')
  const proxy = createServer((socket) => {
    socket.pause().on('error', () => undefined)
    setTimeout(() => {
      const target = connect(url.replace('unix://', '')).on('error', () => undefined)
      socket.pipe(target).pipe(socket)
    }, delay_ms)
  })
  await new Promise<void>((resolve) => proxy.listen(path, resolve))
  onTestFinished(() => void proxy.close())
  return path
}
