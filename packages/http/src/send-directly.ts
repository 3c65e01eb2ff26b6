import type { ServerResponse } from 'node:http';

/** Writes the body of an answer over Node's own `outgoing`; the head is written. */
export type BodyPump = (outgoing: ServerResponse) => Promise<void>;

/** How the body of an answer is written without being a stream of the web. */
const pumps = new WeakMap<ReadableStream, BodyPump>();

/** From now on an answer with this body can be sent by {@link sendDirectly}. */
export function setPump(body: ReadableStream, pump: BodyPump): void {
  pumps.set(body, pump);
}

/**
 * Sends an answer of `eventStream` or `byteStream` over Node's own `outgoing`, head and all: a web stream costs more than
 * all else that is done for a frame, and one that fails is ended by the server's library as if it were whole. False, and
 * nothing done, for any other answer.
 */
export function sendDirectly(response: Response, outgoing: ServerResponse): boolean {
  const pump = response.body && pumps.get(response.body);
  if (!pump) return false;
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.flushHeaders();
  void pump(outgoing);
  return true;
}
