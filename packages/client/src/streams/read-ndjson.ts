import { createError } from '@berth/contract/errors';

/** Characters of one line; far above any event, and a bound for what a wrong server can make us hold. */
const LONGEST_LINE = 4 * 1024 * 1024;

/**
 * The values of newline-delimited JSON, wherever the chunks are cut. Empty lines are skipped. A last line without its
 * newline counts when it is whole JSON; otherwise it is what a broken connection left, and is dropped.
 * @throws `internal` for a line that is not JSON or is longer than 4 Mi characters.
 */
export async function* readNdjson(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    const lines = decoder.decode(chunk, { stream: true }).split('\n');
    const last = lines.pop() ?? '';
    for (const line of lines) {
      const text = (parts.join('') + line).trim();
      parts = [];
      length = 0;
      if (text !== '') yield parseLine(text);
    }
    parts.push(last);
    length += last.length;
    if (length > LONGEST_LINE) throw createError('internal', 'The server sent a line of the stream that is too long.');
  }
  const rest = (parts.join('') + decoder.decode()).trim();
  if (rest === '') return;
  try {
    yield JSON.parse(rest) as unknown;
  } catch {
    // Half a line: the caller sees a stream that ended too early, which is what it is.
  }
}

function parseLine(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw createError('internal', `The server sent a line that is not JSON: ${text.slice(0, 80)}`, { cause: error });
  }
}
