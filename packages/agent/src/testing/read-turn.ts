import type { Frame } from '@berth/contract/agent';
import { EventSourceParserStream } from 'eventsource-parser/stream';

/** A turn as its client read it. */
export interface ReadTurn {
  readonly frames: readonly Frame[];
  /** `<run>:<seq>` of each frame that has one. */
  readonly ids: readonly string[];
  /** All `text` frames, joined. */
  readonly text: string;
  /** Whether the last event was [DONE]. */
  readonly isDone: boolean;
}

/** Each event of a turn as it comes; `undefined` data is [DONE]. */
export async function* turnEvents(
  response: Response,
): AsyncGenerator<{ readonly id: string | undefined; readonly frame: Frame | undefined }> {
  if (!response.body) throw new Error(`an answer of status ${response.status} without a body`);
  const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  for await (const { id, data } of events) {
    yield { id, frame: data === '[DONE]' ? undefined : (JSON.parse(data) as Frame) };
  }
}

/** Reads a turn to its end. */
export async function readTurn(response: Response): Promise<ReadTurn> {
  const frames: Frame[] = [];
  const ids: string[] = [];
  let isDone = false;
  for await (const { id, frame } of turnEvents(response)) {
    if (isDone) throw new Error('an event came after [DONE]');
    if (id !== undefined && frame) ids.push(id);
    if (frame) frames.push(frame);
    else isDone = true;
  }
  return { frames, ids, isDone, text: frames.map((frame) => (frame.type === 'text' ? frame.text : '')).join('') };
}
