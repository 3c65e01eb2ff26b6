import { createError } from '@berth/contract';
import { createPacketReader, encodePacket, FLUSH, MAX_PACKET_BYTES, textOf } from '../protocol/packets.ts';

/** The request of a fetch or clone. */
export interface FetchRequest {
  /** Full hex ids. */
  readonly wants: readonly string[];
  /** The first commit that the client says it has. */
  readonly has: string | undefined;
  /** False while the client is still comparing histories. */
  readonly isDone: boolean;
  readonly hasSideband: boolean;
}

/**
 * Reads the body of a fetch. Source: gitprotocol-pack(5), "Packfile Negotiation".
 * @throws `bad_request`, also for a shallow fetch
 */
export async function readFetch(body: AsyncIterable<Uint8Array>): Promise<FetchRequest> {
  const reader = createPacketReader(body);
  const wants: string[] = [];
  let has: string | undefined;
  let isDone = false;
  let hasSideband = false;
  for (let packet = await reader.next(); packet !== undefined; packet = await reader.next()) {
    if (!Buffer.isBuffer(packet)) continue;
    const text = textOf(packet);
    const [, id, capabilities = ''] = /^want ([0-9a-f]{40})(.*)$/.exec(text) ?? [];
    if (id !== undefined) {
      wants.push(id);
      hasSideband ||= capabilities.split(' ').includes('side-band-64k');
    } else if (text === 'done') isDone = true;
    else if (/^have [0-9a-f]{40}$/.test(text)) has ??= text.slice('have '.length);
    else {
      throw createError('bad_request', 'This server sends whole histories only. Fetch without --depth and --filter.');
    }
  }
  return { wants, has, isDone, hasSideband };
}

/** Yields the response to a fetch: the pack, or a refusal without one. */
export async function* serveFetch(
  { wants, has, isDone, hasSideband }: FetchRequest,
  commit: string | undefined,
  openPack: () => Promise<AsyncIterable<Uint8Array>>,
): AsyncGenerator<Uint8Array> {
  const strange = wants.find((id) => id !== commit);
  if (strange !== undefined) {
    yield encodePacket(`ERR upload-pack: not our ref ${strange}\n`);
    return;
  }
  // The stored pack has the whole history, so it completes whatever the client has. An acknowledgment ends the comparison.
  yield encodePacket(has === undefined ? 'NAK\n' : `ACK ${has}\n`);
  if (!isDone || wants.length === 0) return;
  for await (const chunk of await openPack()) {
    if (!hasSideband) {
      yield chunk;
      continue;
    }
    for (let at = 0; at < chunk.length; at += MAX_PACKET_BYTES - 1) {
      yield encodePacket(Buffer.concat([Buffer.from([1]), chunk.subarray(at, at + MAX_PACKET_BYTES - 1)]));
    }
  }
  if (hasSideband) yield Buffer.from(FLUSH);
}
