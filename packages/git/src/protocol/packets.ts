import { createError } from '@berth/contract';

/**
 * A packet of Git's wire protocol: data, or the end of a list (`flush`) or of a section (`delimiter`, `end`).
 * Source: git-scm.com/docs/protocol-common, git-scm.com/docs/protocol-v2.
 */
export type Packet = Buffer | 'flush' | 'delimiter' | 'end';

/** Maximum data of one packet. Source: gitprotocol-common(5). */
export const MAX_PACKET_BYTES = 65_516;
const SPECIAL = { 0: 'flush', 1: 'delimiter', 2: 'end' } as const;

export const FLUSH = '0000';
export const DELIMITER = '0001';

/** Returns a packet with its length. @throws RangeError above {@link MAX_PACKET_BYTES}. */
export function encodePacket(data: string | Uint8Array): Buffer {
  const bytes = Buffer.from(data);
  if (bytes.length > MAX_PACKET_BYTES) throw new RangeError(`a packet has at most ${MAX_PACKET_BYTES} bytes`);
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes]);
}

/** Reads a stream as packets, in constant memory. */
export interface PacketReader {
  /** Returns the next packet; undefined at the end of the stream. @throws `bad_request` for anything that is no packet. */
  next(): Promise<Packet | undefined>;
  /** Returns the bytes after the last packet that was read, and the rest of the stream. */
  rest(): AsyncIterable<Uint8Array>;
}

/** Creates a reader of `source`. */
export function createPacketReader(source: AsyncIterable<Uint8Array>): PacketReader {
  const chunks = source[Symbol.asyncIterator]();
  let buffered = Buffer.alloc(0);
  const fill = async (size: number): Promise<boolean> => {
    const parts: Uint8Array[] = [buffered];
    let length = buffered.length;
    while (length < size) {
      const { done, value } = await chunks.next();
      if (done) break;
      parts.push(value);
      length += value.length;
    }
    buffered = Buffer.concat(parts);
    return length >= size;
  };
  const take = (size: number): Buffer => {
    const taken = buffered.subarray(0, size);
    buffered = buffered.subarray(size);
    return taken;
  };
  return {
    async next() {
      if (!(await fill(4))) {
        if (buffered.length > 0) throw broken('ends within a packet');
        return undefined;
      }
      const head = take(4).toString('latin1');
      const size = /^[0-9a-f]{4}$/i.test(head) ? Number.parseInt(head, 16) : Number.NaN;
      if (size in SPECIAL) return SPECIAL[size as keyof typeof SPECIAL];
      if (!(size >= 4 && size <= MAX_PACKET_BYTES + 4)) throw broken('has a packet of an invalid length');
      if (!(await fill(size - 4))) throw broken('ends within a packet');
      return Buffer.from(take(size - 4));
    },
    async *rest() {
      if (buffered.length > 0) yield take(buffered.length);
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
    },
  };
}

/** Returns a packet's text without its line ending. */
export function textOf(packet: Buffer): string {
  return packet.toString('utf8').replace(/\n$/, '');
}

function broken(what: string) {
  return createError('bad_request', `The stream isn't Git's protocol: it ${what}.`);
}
