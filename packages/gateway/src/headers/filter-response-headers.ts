import { connectionTokens, isHopByHop } from './hop-by-hop.ts';

/** The headers that go on to the client: the instance's, in their order and spelling, without those of its connection. */
export function filterResponseHeaders(rawHeaders: readonly string[]): string[] {
  const headers: string[] = [];
  const named = connectionTokens(joinedHeader(rawHeaders, 'connection'));
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    const lower = name.toLowerCase();
    if (!isHopByHop(lower) && !named.has(lower)) headers.push(name, rawHeaders[i + 1]!);
  }
  return headers;
}

/** All values of a header, by its name in lower case, as one list; undefined when there is none. */
function joinedHeader(rawHeaders: readonly string[], lowerName: string): string | undefined {
  let joined: string | undefined;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length !== lowerName.length || name.toLowerCase() !== lowerName) continue;
    joined = joined === undefined ? rawHeaders[i + 1]! : `${joined},${rawHeaders[i + 1]}`;
  }
  return joined;
}
