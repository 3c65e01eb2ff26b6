import type { Frame } from '@berth/contract/agent';

/** A frame with the id that a stream can be taken up after. */
export interface NumberedFrame {
  /** `<run>:<seq>`; undefined when the server gave none. */
  readonly id: string | undefined;
  readonly frame: Frame;
}

/**
 * The frames of an event stream, as they come. Answers true when it ended with `[DONE]`, false when it was cut.
 * Source: docs/contract/agent-api.md §2, "Frames".
 */
export async function* readFrames(body: ReadableStream<Uint8Array>): AsyncGenerator<NumberedFrame, boolean> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = '';
  let isWhole = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return false;
      const events = (rest + value).replaceAll('\r\n', '\n').split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) {
        const { id, data } = parseEvent(event);
        if (data === '[DONE]') {
          isWhole = true;
          return true;
        }
        const frame = parseFrame(data);
        if (frame) yield { id, frame };
      }
    }
  } finally {
    // Read to its end a connection is good for the next request; left in the middle it is not.
    if (isWhole) reader.read().catch(() => undefined);
    else await reader.cancel().catch(() => undefined);
  }
}

function parseEvent(event: string): { readonly id: string | undefined; readonly data: string } {
  let id: string | undefined;
  const data: string[] = [];
  for (const line of event.split('\n')) {
    if (line.startsWith('id:')) id = line.slice(3).trim();
    else if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
  }
  return { id, data: data.join('\n') };
}

/** Undefined for what is no frame: a comment, or something newer than this page. */
function parseFrame(data: string): Frame | undefined {
  if (data === '') return undefined;
  try {
    const frame: unknown = JSON.parse(data);
    return typeof frame === 'object' && frame !== null && 'type' in frame ? (frame as Frame) : undefined;
  } catch {
    return undefined;
  }
}
