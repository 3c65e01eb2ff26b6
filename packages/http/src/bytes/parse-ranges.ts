/** First and last byte, both inclusive. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** More ranges than a reader needs; a multipart response of so many costs more than the whole. */
const MAX_RANGES = 50;

/**
 * Parses a `Range` header for an object of `sizeBytes` (RFC 9110, 14.1.2). Undefined when the whole object is to be
 * sent: another unit, an invalid header, or ranges that add up to more than the object. Empty when no range lies inside
 * it.
 */
export function parseRanges(header: string, sizeBytes: number): ByteRange[] | undefined {
  const match = /^\s*bytes\s*=(.*)$/i.exec(header);
  if (!match) return undefined;
  const specs = (match[1] ?? '')
    .split(',')
    .map((spec) => spec.trim())
    .filter((spec) => spec !== '');
  if (specs.length === 0 || specs.length > MAX_RANGES) return undefined;
  const ranges: ByteRange[] = [];
  for (const spec of specs) {
    const bounds = /^(\d*)-(\d*)$/.exec(spec);
    const [first = '', last = ''] = bounds?.slice(1) ?? [];
    if (!bounds || (first === '' && last === '')) return undefined;
    const range =
      first === '' ? suffix(Number(last), sizeBytes) : { first: Number(first), last: lastOf(last, sizeBytes) };
    if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
    if (range.first < sizeBytes && range.first <= range.last) ranges.push(range);
  }
  const total = ranges.reduce((sum, range) => sum + range.last - range.first + 1, 0);
  return total > sizeBytes ? undefined : ranges;
}

function suffix(length: number, sizeBytes: number): ByteRange {
  return { first: length === 0 ? sizeBytes : Math.max(0, sizeBytes - length), last: sizeBytes - 1 };
}

function lastOf(text: string, sizeBytes: number): number {
  return text === '' ? sizeBytes - 1 : Math.min(Number(text), sizeBytes - 1);
}
