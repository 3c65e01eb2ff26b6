import { createHash } from 'node:crypto';
import { Transform } from 'node:stream';

/** Creates a stream that passes bytes on and knows their number and hash at its end. */
export function createByteMeter() {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, next) {
      hash.update(chunk);
      sizeBytes += chunk.byteLength;
      next(null, chunk);
    },
  });
  return { stream, result: () => ({ sizeBytes, sha256: hash.digest('hex') }) };
}
