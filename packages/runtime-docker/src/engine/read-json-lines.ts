/**
 * Reads what the engine streams: JSON values, one a line. What the stream fails with is thrown as it came; a last line without its
 * end is what an engine that was killed left, and is dropped.
 */
export async function* readJsonLines<Value>(stream: AsyncIterable<Uint8Array | string>): AsyncGenerator<Value> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    rest += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') yield JSON.parse(line) as Value;
  }
}
