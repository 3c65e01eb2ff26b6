import { createHash } from 'node:crypto';
import { createError } from '@berth/contract';
import type { ExpectedBytes } from './object-store.ts';

/** Compares the bytes of an upload with what was announced. */
export interface BodyCheck {
  /** Adds a chunk. Returns false when there are more bytes than announced. */
  add(chunk: Uint8Array): boolean;
  /** @throws BerthError `bad_request` when the bytes are not the expected ones. */
  finish(): void;
}

export function createBodyCheck({ sizeBytes, md5, sha256 }: ExpectedBytes): BodyCheck {
  const digests = [
    ...(md5 ? [{ hash: createHash('md5'), expected: md5, header: 'Content-MD5' }] : []),
    ...(sha256 ? [{ hash: createHash('sha256'), expected: sha256, header: 'x-amz-checksum-sha256' }] : []),
  ];
  let seen = 0;
  return {
    add(chunk) {
      seen += chunk.byteLength;
      for (const { hash } of digests) hash.update(chunk);
      return sizeBytes === undefined || seen <= sizeBytes;
    },
    finish() {
      if (sizeBytes !== undefined && seen !== sizeBytes) {
        throw createError('bad_request', `The body has ${seen} bytes; ${sizeBytes} were announced.`);
      }
      const wrong = digests.find(({ hash, expected }) => !hash.digest().equals(expected));
      if (!wrong) return;
      throw createError('bad_request', `The body does not match the digest in ${wrong.header}. Send it again.`);
    },
  };
}
