import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { type Header, pack } from 'tar-stream';

const PREFIX = 'berth previous-sha256=';

/** Hex SHA-256 of no content: the previous checksum of the first entry. */
export const NO_CONTENT = createHash('sha256').digest('hex');

/**
 * Returns the pax comment of an entry, which other tar programs ignore.
 * @param previous Hex SHA-256 of the previous entry's content. The checksum of an entry itself is known only after it
 * is written.
 */
export function sealComment(previous: string): Readonly<Record<string, string>> {
  return { comment: `${PREFIX}${previous}` };
}

/** Reads the comment that {@link sealComment} wrote; returns undefined for entries of other archives. */
export function readSealComment({ pax }: Pick<Header, 'pax'>): string | undefined {
  const { comment = '' } = (pax ?? {}) as Readonly<Record<string, string>>;
  return comment.startsWith(PREFIX) ? comment.slice(PREFIX.length) : undefined;
}

/** Size of a seal: pax header and content, the header of `./`, and the end of the archive, in 512-byte blocks. */
export const SEAL_BYTES = 5 * 512;

/**
 * Returns the last {@link SEAL_BYTES} of an archive: an entry for the folder itself, whose comment contains the
 * checksum of the archive.
 * @param archive Hex SHA-256 of all bytes of the archive before the seal.
 */
export async function makeSeal(previous: string, archive: string): Promise<Buffer> {
  const tar = pack();
  const { comment } = sealComment(previous);
  tar.entry({
    name: './',
    type: 'directory',
    mode: 0o700,
    mtime: new Date(0),
    pax: { comment: `${comment} archive-sha256=${archive}` },
  });
  tar.finalize();
  return buffer(tar);
}

/** Creates a hash over a stream without its last `tailBytes` bytes, independent of chunk boundaries. */
export function createTailHash(tailBytes: number) {
  const hash = createHash('sha256');
  let tail = Buffer.alloc(0);
  return {
    /** Adds a chunk; returns the bytes that are certainly not part of the tail. */
    take(chunk: Buffer): Buffer {
      const all = Buffer.concat([tail, chunk]);
      const cut = Math.max(0, all.length - tailBytes);
      tail = all.subarray(cut);
      const head = all.subarray(0, cut);
      hash.update(head);
      return head;
    },
    /** Returns the hex SHA-256 and the tail, which is shorter if the whole stream is. */
    end: () => ({ sha256: hash.digest('hex'), tail }),
  };
}
