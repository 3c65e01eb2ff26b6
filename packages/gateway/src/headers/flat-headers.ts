/** Where a header's name first is in a flat list, by its name in lower case; -1 when it is not. */
export function findHeader(headers: readonly string[], lowerName: string): number {
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i]!;
    if (name.length === lowerName.length && name.toLowerCase() === lowerName) return i;
  }
  return -1;
}

/** Takes every occurrence of a header out of a flat list. */
export function removeHeader(headers: string[], lowerName: string): void {
  for (let at = findHeader(headers, lowerName); at >= 0; at = findHeader(headers, lowerName)) headers.splice(at, 2);
}

/** Bytes of a head's header lines as HTTP/1 writes them. */
export function headerBytes(headers: readonly string[]): number {
  let bytes = 0;
  for (const text of headers) bytes += text.length + 2;
  return bytes;
}

/** Flat headers as an object; repeated ones become lists. For writers that don't take a flat list. */
export function toHeaderObject(rawHeaders: readonly string[]): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    const value = rawHeaders[i + 1]!;
    const before = headers[name];
    headers[name] = before === undefined ? value : Array.isArray(before) ? [...before, value] : [before, value];
  }
  return headers;
}
