import type { Frame } from '@berth/contract/agent';

/** A frame with the ID after which a stream can be resumed. */
export interface NumberedFrame {
  /** `<run>:<seq>`; undefined when the server sent none. */
  readonly id: string | undefined;
  readonly frame: Frame;
}

/**
 * Yields the frames of an event stream. Returns true when the stream ended with `[DONE]`, false when it was cut off.
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
    // Reading to the end lets the browser reuse the connection; an incomplete stream is canceled.
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

/** Returns undefined for an event without a frame, such as a comment or data of a newer server. */
function parseFrame(data: string): Frame | undefined {
  if (data === '') return undefined;
  try {
    const frame: unknown = JSON.parse(data);
    return typeof frame === 'object' && frame !== null && 'type' in frame ? (frame as Frame) : undefined;
  } catch {
    return undefined;
  }
}
