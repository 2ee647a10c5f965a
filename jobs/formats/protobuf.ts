const VARINT = 0
const FIXED_64 = 1
const LENGTH_DELIMITED = 2
const FIXED_32 = 5

/**
 * True where bytes are one whole protobuf message: from first to last byte fields with a number, a wire type that is in use, and as many
 * bytes as they state. A page, a text and a message that was cut are none.
 */
export function isProtobuf(bytes: Buffer): boolean {
  let at = 0
  while (at < bytes.length) {
    const tag = varint(bytes, at)
    if (!tag || tag.value < 8) return false
    at = tag.end
    const wireType = tag.value % 8
    if (wireType === FIXED_64) at += 8
    else if (wireType === FIXED_32) at += 4
    else if (wireType === VARINT || wireType === LENGTH_DELIMITED) {
      const value = varint(bytes, at)
      if (!value) return false
      at = value.end + (wireType === LENGTH_DELIMITED ? value.value : 0)
    } else return false
  }
  return at === bytes.length
}

/** Seven bits a byte, the lowest first; ten bytes at most. Beyond 2^53 only its end is exact. */
function varint(bytes: Buffer, from: number): { readonly value: number; readonly end: number } | null {
  let value = 0
  for (let nth = 0; nth < 10; nth++) {
    const byte = bytes[from + nth]
    if (byte === undefined) return null
    value += (byte & 0x7f) * 2 ** (7 * nth)
    if (byte < 0x80) return { value, end: from + nth + 1 }
  }
  return null
}
