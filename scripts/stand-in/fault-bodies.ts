import { constants, crc32, deflateRawSync } from 'node:zlib'

/** A page that a publisher's front server sends instead of data, with status 200. */
export const HTML_PAGE = Buffer.from(
  `<!DOCTYPE html>\r\n<html lang="es">\r\n<head><meta charset="utf-8"><title>Servicio no disponible</title></head>\r\n<body>\r\n<h1>Estamos realizando tareas de mantenimiento</h1>\r\n<p>Disculpe las molestias. Inténtelo de nuevo pasados unos minutos.</p>\r\n</body>\r\n</html>\r\n`,
)

/** XML whose entities, each ten times the previous one, expand to 3 GB ("billion laughs"). */
export const XML_BOMB = Buffer.from(
  [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE payload [',
    '  <!ENTITY lol0 "lol">',
    ...Array.from({ length: 9 }, (_, at) => `  <!ENTITY lol${at + 1} "${`&lol${at};`.repeat(10)}">`),
    ']>',
    '<payload>&lol9;</payload>',
    '',
  ].join('\n'),
)

const PIECE = 16 * 1024 * 1024
const PIECES = 65

/** The header of gzip: deflate, no name, no time (RFC 1952, 2.3); and a last block without content (RFC 1951, 3.2.6). */
const GZIP_HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])
const LAST_BLOCK = Buffer.from([0x03, 0x00])

/**
 * About a megabyte of gzip that begins like `start` and continues with over a gigabyte of blanks. A piece that ends in a full
 * flush refers to nothing before it, so one piece of 16 MB is made and repeated. The checksum is right.
 */
export function gzipBomb(start: Buffer): Buffer {
  const blanks = Buffer.alloc(PIECE, 0x20)
  const piece = deflated(blanks)
  let checksum = crc32(start)
  for (let nth = 0; nth < PIECES; nth++) checksum = crc32(blanks, checksum)
  const tail = Buffer.alloc(8)
  tail.writeUInt32LE(checksum, 0)
  tail.writeUInt32LE((start.length + PIECE * PIECES) % 2 ** 32, 4)
  return Buffer.concat([GZIP_HEAD, deflated(start), ...Array<Buffer>(PIECES).fill(piece), LAST_BLOCK, tail])
}

function deflated(bytes: Buffer): Buffer {
  return deflateRawSync(bytes, { finishFlush: constants.Z_FULL_FLUSH })
}
