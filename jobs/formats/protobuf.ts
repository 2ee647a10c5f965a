const VARINT = 0
const FIXED_64 = 1
const LENGTH_DELIMITED = 2
const FIXED_32 = 5

/**
 * True if the bytes are one complete protobuf message: only fields with a number, a valid wire type, and as many bytes as they
 * declare. False for an HTML page, text, or a truncated message.
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

/** Seven bits per byte, lowest first, at most ten bytes. Above 2^53 only the end position is exact. */
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
