/** The fields of an engine's event that are used. Source: Docker Engine API 1.41, SystemEvents. */
export interface EngineEvent {
  readonly Action?: string;
  readonly Actor?: { readonly ID?: string; readonly Attributes?: Readonly<Record<string, string>> };
}

/**
 * Yields the JSON values of an engine's stream, one per line. Errors of the stream are rethrown. A last line without a line ending, which a
 * killed engine leaves, is dropped.
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
