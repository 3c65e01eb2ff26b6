import { createError } from '@berth/contract/errors';

/** One event of `text/event-stream`. */
export interface ServerSentEvent {
  /** The last id that was sent; empty before there was one. */
  readonly id: string;
  readonly data: string;
}

/** Characters of one event; far above any log entry, and a bound for what a wrong server can make us hold. */
const LONGEST_EVENT = 4 * 1024 * 1024;

/**
 * The events of a stream that have data, wherever its chunks are cut. Comments and fields other than `id` and `data`
 * are skipped; an event that was not finished is dropped. Source: HTML Living Standard, "Server-sent events".
 * @throws `internal` for an event longer than 4 Mi characters
 */
export async function* readServerSentEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  // A byte order mark at the start is dropped by the decoder, as the standard asks.
  const decoder = new TextDecoder();
  let buffer = '';
  let id = '';
  let data: string[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    buffer += decoder.decode(chunk, { stream: true });
    // A CR at the very end may be half of a CRLF.
    const isCut = buffer.endsWith('\r');
    const lines = (isCut ? buffer.slice(0, -1) : buffer).split(/\r\n|\r|\n/);
    buffer = (lines.pop() ?? '') + (isCut ? '\r' : '');
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield { id, data: data.join('\n') };
        data = [];
        length = 0;
        continue;
      }
      const [field, value] = splitField(line);
      if (field === 'data') {
        data.push(value);
        length += value.length;
      } else if (field === 'id' && !value.includes('\0')) id = value;
    }
    if (length + buffer.length > LONGEST_EVENT)
      throw createError('internal', 'The server sent an event that is too long.');
  }
}

/** A comment, which begins with a colon, is a field without a name. */
function splitField(line: string): readonly [field: string, value: string] {
  const colon = line.indexOf(':');
  if (colon === -1) return [line, ''];
  const value = line.slice(colon + 1);
  return [line.slice(0, colon), value.startsWith(' ') ? value.slice(1) : value];
}
