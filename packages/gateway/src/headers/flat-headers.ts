/** Returns the index of the first header with this name in a flat list of names and values; -1 when there is none. */
export function findHeader(headers: readonly string[], lowerName: string): number {
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i]!;
    if (name.length === lowerName.length && name.toLowerCase() === lowerName) return i;
  }
  return -1;
}

/** Removes every occurrence of a header from a flat list. */
export function removeHeader(headers: string[], lowerName: string): void {
  for (let at = findHeader(headers, lowerName); at >= 0; at = findHeader(headers, lowerName)) headers.splice(at, 2);
}

/** Returns the header lines in HTTP/1 form. */
export function headerLines(headers: readonly string[]): string {
  let lines = '';
  for (let i = 0; i < headers.length; i += 2) lines += `${headers[i]}: ${headers[i + 1]}\r\n`;
  return lines;
}

/** Returns the size of the header lines in HTTP/1 form, in bytes. */
export function headerBytes(headers: readonly string[]): number {
  let bytes = 0;
  for (const text of headers) bytes += text.length + 2;
  return bytes;
}

/**
 * Converts a flat list to an object with names in lower case; repeated headers become arrays. For APIs that take no flat list.
 * @param headers The object to add them to.
 * @param hostName Name that `host` gets.
 */
export function toHeaderObject(
  rawHeaders: readonly string[],
  headers: Record<string, string | string[]> = {},
  hostName = 'host',
): Record<string, string | string[]> {
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const lower = rawHeaders[i]!.toLowerCase();
    const name = lower === 'host' ? hostName : lower;
    const value = rawHeaders[i + 1]!;
    const before = headers[name];
    headers[name] = before === undefined ? value : Array.isArray(before) ? [...before, value] : [before, value];
  }
  return headers;
}

/** Returns a slice without leading and trailing spaces and tabs. `trim` would remove other characters too. */
export function trimmedSlice(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
