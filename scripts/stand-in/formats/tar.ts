/** A file of an archive. */
interface TarMember {
  readonly name: string
  readonly bytes: Buffer
}

const BLOCK = 512

/** A plain tar archive (ustar, POSIX.1-1988) of some files, dated `at` (ms). Names have at most 100 bytes. */
export function packTar(members: readonly TarMember[], at: number): Buffer {
  const parts = members.flatMap(({ name, bytes }) => [headerOf(name, bytes.length, at), bytes, Buffer.alloc(-bytes.length & (BLOCK - 1))])
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)])
}

function headerOf(name: string, size: number, at: number): Buffer {
  const header = Buffer.alloc(BLOCK)
  const octal = (value: number, offset: number, length: number): void =>
    void header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, offset, 'latin1')
  header.write(name, 0, 100)
  octal(0o644, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(size, 124, 12)
  octal(Math.floor(at / 1000), 136, 12)
  // The checksum counts its own field as blanks.
  header.write('        0', 148, 'latin1')
  header.write('ustar\x0000', 257, 'latin1')
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return header
}
