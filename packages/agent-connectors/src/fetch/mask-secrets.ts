const STAR = 0x2a;
/** What is shorter stands in answers by accident. */
const MIN_BYTES = 8;

/**
 * The bytes of an answer with stars where a secret was, as many as it had: lengths and ranges stay true. A secret may come
 * in two pieces, so the end of each piece waits for the next one when a secret could begin in it.
 * @param secrets in every spelling; those of fewer than 8 bytes are left.
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

/** How many bytes at the end may be the beginning of `needle`. */
function openEnd(bytes: Buffer, needle: Buffer): number {
  const from = Math.max(0, bytes.length - needle.length + 1);
  for (let at = bytes.indexOf(needle[0] as number, from); at !== -1; at = bytes.indexOf(needle[0] as number, at + 1)) {
    const length = bytes.length - at;
    if (bytes.compare(needle, 0, length, at) === 0) return length;
  }
  return 0;
}

/** The same memory: the bytes are on their way from a socket, and nobody else has them. */
function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
