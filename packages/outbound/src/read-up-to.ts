/** The beginning of a body. */
export interface ReadBody {
  /** At most `maxBytes` bytes. */
  readonly body: Buffer;
  /** True when there was more. */
  readonly isCut: boolean;
}

/** Reads a body to its end, or to `maxBytes`; stopping there closes its connection. @throws what the body throws. */
export async function readUpTo(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<ReadBody> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > maxBytes) break;
  }
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), isCut: size > maxBytes };
}
