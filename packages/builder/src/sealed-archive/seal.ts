import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { type Header, pack } from 'tar-stream';

const PREFIX = 'berth previous-sha256=';

/** SHA-256 of nothing, in hexadecimal: what the first entry says of the one before it. */
export const NO_CONTENT = createHash('sha256').digest('hex');

/**
 * The comment of an entry, which programs that read tars pass over.
 * @param previous SHA-256 of the content of the entry before, in hexadecimal: that of an entry's own is known only when it is written.
 */
export function sealComment(previous: string): Readonly<Record<string, string>> {
  return { comment: `${PREFIX}${previous}` };
}

/** What {@link sealComment} wrote; undefined for an entry of any other archive. */
export function readSealComment({ pax }: Pick<Header, 'pax'>): string | undefined {
  const { comment = '' } = (pax ?? {}) as Readonly<Record<string, string>>;
  return comment.startsWith(PREFIX) ? comment.slice(PREFIX.length) : undefined;
}

/** A seal: pax header and its content, the header of `./`, and the end of the archive; 512 bytes a block. */
export const SEAL_BYTES = 5 * 512;

/**
 * The last bytes of an archive, {@link SEAL_BYTES}: an entry for the folder itself, whose comment holds what the archive has to be.
 * @param archive SHA-256 of all bytes of the archive before the seal, in hexadecimal.
 */
export async function makeSeal(previous: string, archive: string): Promise<Buffer> {
  const tar = pack();
  const { comment } = sealComment(previous);
  tar.entry({
    ...{ name: './', type: 'directory', mode: 0o700, mtime: new Date(0) },
    pax: { comment: `${comment} archive-sha256=${archive}` },
  });
  tar.finalize();
  return buffer(tar);
}

/** Hashes a stream as it passes, all but its last bytes, however it is cut. */
export interface TailHash {
  /** Takes more; answers what is not of the tail. */
  take(chunk: Buffer): Buffer;
  /** The SHA-256 in hexadecimal, and the last bytes: fewer where the stream had fewer. */
  end(): { readonly sha256: string; readonly tail: Buffer };
}

export function createTailHash(tailBytes: number): TailHash {
  const hash = createHash('sha256');
  let tail = Buffer.alloc(0);
  return {
    take(chunk) {
      const all = Buffer.concat([tail, chunk]);
      const cut = Math.max(0, all.length - tailBytes);
      tail = all.subarray(cut);
      const head = all.subarray(0, cut);
      hash.update(head);
      return head;
    },
    end: () => ({ sha256: hash.digest('hex'), tail }),
  };
}
