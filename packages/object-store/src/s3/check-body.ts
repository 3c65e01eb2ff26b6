import { createHash } from 'node:crypto';
import { pipeline, type Readable, Transform } from 'node:stream';
import { createError } from '@berth/contract';
import type { ExpectedBytes } from '../object-store.ts';

/**
 * Returns `body` as a stream that fails at its end when the bytes are not the expected ones, so that the upload that
 * reads it is abandoned.
 */
export function checkBody(body: Readable, { sizeBytes, md5, sha256 }: ExpectedBytes): Readable {
  const digests = [
    ...(md5 ? [{ hash: createHash('md5'), expected: md5, header: 'Content-MD5' }] : []),
    ...(sha256 ? [{ hash: createHash('sha256'), expected: sha256, header: 'x-amz-checksum-sha256' }] : []),
  ];
  let seen = 0;
  const check = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.byteLength;
      for (const { hash } of digests) hash.update(chunk);
      done(null, chunk);
    },
    flush(done) {
      if (sizeBytes !== undefined && seen !== sizeBytes) {
        done(createError('bad_request', `The body has ${seen} bytes; ${sizeBytes} were announced.`));
        return;
      }
      const wrong = digests.find(({ hash, expected }) => !hash.digest().equals(expected));
      done(
        wrong
          ? createError('bad_request', `What arrived does not have the digest in ${wrong.header}. Send it again.`)
          : null,
      );
    },
  });
  // The reader of the outcome gets the errors.
  pipeline(body, check, () => {});
  return check;
}
