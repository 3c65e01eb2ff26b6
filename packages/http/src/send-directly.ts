import type { ServerResponse } from 'node:http';

/** Writes the body of a response to Node's `outgoing`, after its head. */
export type BodyPump = (outgoing: ServerResponse) => Promise<void>;

/** Functions that write the body of a response without a web stream. */
const pumps = new WeakMap<ReadableStream, BodyPump>();

/** Makes a response with this body available to {@link sendDirectly}. */
export function setPump(body: ReadableStream, pump: BodyPump): void {
  pumps.set(body, pump);
}

/**
 * Sends a response of `eventStream` or `byteStream` to Node's `outgoing`, head and body. A web stream costs more than
 * everything else that is done for a frame, and the server's library ends a failed one as if it were complete. Returns
 * false, and does nothing, for any other response.
 */
export function sendDirectly(response: Response, outgoing: ServerResponse): boolean {
  const pump = response.body && pumps.get(response.body);
  if (!pump) return false;
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.flushHeaders();
  void pump(outgoing);
  return true;
}
