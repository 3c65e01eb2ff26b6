const STAR = 0x2a;
/** Shorter texts could match by accident. */
const MIN_BYTES = 8;

/**
 * Yields the bytes of a response with each byte of a secret replaced by `*`, so that lengths and ranges stay valid. A
 * secret may be split between chunks: the end of a chunk is held back while a secret could begin in it.
 * @param secrets in every encoding; those of fewer than 8 bytes are not masked.
 */
export async function* maskSecrets(
  body: AsyncIterable<Uint8Array>,
  secrets: readonly string[],
): AsyncGenerator<Uint8Array> {
  const needles = secrets.map((secret) => Buffer.from(secret)).filter((needle) => needle.length >= MIN_BYTES);
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of body) {
    const bytes = held.length === 0 ? viewOf(chunk) : Buffer.concat([held, chunk]);
    for (const needle of needles) mask(bytes, needle);
    const keep = Math.max(0, ...needles.map((needle) => openEnd(bytes, needle)));
    held = bytes.subarray(bytes.length - keep);
    if (bytes.length > keep) yield bytes.subarray(0, bytes.length - keep);
  }
  if (held.length > 0) yield held;
}

function mask(bytes: Buffer, needle: Buffer): void {
  for (let at = bytes.indexOf(needle); at !== -1; at = bytes.indexOf(needle, at + needle.length)) {
    bytes.fill(STAR, at, at + needle.length);
  }
}

/** Returns how many bytes at the end may be the beginning of `needle`. */
function openEnd(bytes: Buffer, needle: Buffer): number {
  const from = Math.max(0, bytes.length - needle.length + 1);
  for (let at = bytes.indexOf(needle[0] as number, from); at !== -1; at = bytes.indexOf(needle[0] as number, at + 1)) {
    const length = bytes.length - at;
    if (bytes.compare(needle, 0, length, at) === 0) return length;
  }
  return 0;
}

/**
 * Returns a view of the same memory. Masking it in place is safe: the bytes come from a socket and have no other
 * reader.
 */
function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
