import { randomBytes } from 'node:crypto';
import { crc32, deflateRawSync } from 'node:zlib';
import type { ProjectFiles } from './project-files.ts';
import { tar } from './tar.ts';

/** Bytes of a gzip header without optional fields, and of its trailer. Source: RFC 1952, section 2.3. */
const HEADER_BYTES = 10;
const TRAILER_BYTES = 8;
const HAS_COMMENT = 0x10;

/**
 * A gzip tar of `files` and of noise that doesn't compress, exactly `sizeBytes` long: what the noise leaves over goes
 * into the comment of the gzip header.
 */
export function archiveOfSize(files: ProjectFiles, sizeBytes: number): Buffer {
  const noise = randomBytes(sizeBytes - 1_048_576);
  const content = tar(Object.entries({ ...files, 'noise.bin': noise }).map(([path, body]) => ({ path, body })));
  const packed = deflateRawSync(content, { level: 0 });
  const commentBytes = sizeBytes - HEADER_BYTES - TRAILER_BYTES - packed.length;
  if (commentBytes < 1) throw new Error(`${sizeBytes} bytes are too few`);
  const header = Buffer.from([0x1f, 0x8b, 8, HAS_COMMENT, 0, 0, 0, 0, 0, 255]);
  const comment = Buffer.alloc(commentBytes, 'x');
  comment[commentBytes - 1] = 0;
  const trailer = Buffer.alloc(TRAILER_BYTES);
  trailer.writeUInt32LE(crc32(content), 0);
  trailer.writeUInt32LE(content.length % 2 ** 32, 4);
  return Buffer.concat([header, comment, packed, trailer]);
}
