const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** A line, or a part of one that was too long. */
export interface Line {
  /** Without its line ending; invalid UTF-8 becomes U+FFFD. */
  readonly text: string;
  /** Number among the parts of a long line, from 1; absent for a whole line. */
  readonly part?: number;
}

/** Splits one stream of bytes into lines. LF, CR LF and CR end a line. */
export interface LineSplitter {
  push(chunk: Uint8Array): Line[];
  /** Returns what came since the last line ending as a line; what follows begins another. */
  flush(): Line[];
  /** True when bytes came since the last line ending. */
  readonly hasPartial: boolean;
}

/** A carry buffer larger than this is released when its line ends. */
const KEPT_CARRY_BYTES = 16_384;

/**
 * Creates a splitter that cuts lines longer than `maxBytes`. Memory: at most about `maxBytes`; time linear in the
 * input.
 */
export function createLineSplitter(maxBytes: number): LineSplitter {
  let carry = Buffer.alloc(0);
  let carryLength = 0;
  /** Parts of the current line that were returned. */
  let parts = 0;
  /** The beginning of the current line was flushed: an empty rest of it is not a line. */
  let isFlushed = false;
  /**
   * The last byte was CR, so a following LF belongs to it. `blank`: nothing came before it, so that it counts only with
   * the LF.
   */
  let afterReturn: 'no' | 'line' | 'blank' = 'no';

  function carryOn(bytes: Buffer): void {
    const needed = carryLength + bytes.length;
    if (needed > carry.length) {
      const grown = Buffer.allocUnsafe(Math.min(maxBytes, Math.max(needed, carry.length * 2, 256)));
      carry.copy(grown, 0, 0, carryLength);
      carry = grown;
    }
    bytes.copy(carry, carryLength);
    carryLength = needed;
  }

  /** Adds to the current line, and returns a part whenever it exceeds the maximum. */
  function extend(bytes: Buffer, lines: Line[]): void {
    let rest = bytes;
    while (carryLength + rest.length > maxBytes) {
      const room = maxBytes - carryLength;
      carryOn(rest.subarray(0, room));
      rest = rest.subarray(room);
      const cut = wholeCharacters(carry, carryLength);
      lines.push({ text: carry.toString('utf8', 0, cut), part: ++parts });
      carry.copyWithin(0, cut, carryLength);
      carryLength -= cut;
    }
    carryOn(rest);
  }

  function endLine(bytes: Buffer, lines: Line[]): void {
    if (carryLength === 0 && parts === 0 && bytes.length <= maxBytes) {
      if (bytes.length > 0 || !isFlushed) lines.push({ text: bytes.toString('utf8') });
    } else {
      extend(bytes, lines);
      lines.push(...take());
    }
    isFlushed = false;
  }

  function take(): Line[] {
    const text = carry.toString('utf8', 0, carryLength);
    const lines = parts > 0 ? [{ text, part: parts + 1 }] : [{ text }];
    carryLength = 0;
    parts = 0;
    if (carry.length > KEPT_CARRY_BYTES) carry = Buffer.alloc(0);
    return lines;
  }

  function isBlank(start: number, end: number): boolean {
    return start === end && carryLength === 0 && parts === 0;
  }

  return {
    push(chunk) {
      const data = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const lines: Line[] = [];
      if (data.length === 0) return lines;
      let start = 0;
      if (afterReturn !== 'no' && data[0] === LINE_FEED) {
        if (afterReturn === 'blank') endLine(data.subarray(0, 0), lines);
        start = 1;
      }
      afterReturn = 'no';
      let feed = data.indexOf(LINE_FEED, start);
      let carriage = data.indexOf(CARRIAGE_RETURN, start);
      while (feed !== -1 || carriage !== -1) {
        const isReturn = carriage !== -1 && (feed === -1 || carriage < feed);
        const end = isReturn ? carriage : feed;
        const hasFeed = isReturn && feed === end + 1;
        const isBlankReturn = isReturn && isBlank(start, end);
        if (isReturn && end === data.length - 1) afterReturn = isBlankReturn ? 'blank' : 'line';
        // A program that redraws a line with CR prints no blank lines.
        if (!isBlankReturn || hasFeed) endLine(data.subarray(start, end), lines);
        start = hasFeed ? end + 2 : end + 1;
        if (feed !== -1 && feed < start) feed = data.indexOf(LINE_FEED, start);
        if (carriage !== -1 && carriage < start) carriage = data.indexOf(CARRIAGE_RETURN, start);
      }
      if (start < data.length) extend(data.subarray(start), lines);
      return lines;
    },
    flush() {
      if (carryLength === 0 && parts === 0) return [];
      isFlushed = true;
      return take();
    },
    get hasPartial() {
      return carryLength > 0 || parts > 0;
    },
  };
}

/**
 * Returns the length of `bytes` up to `length` without a UTF-8 character cut at the end. Source: RFC 3629 section 3.
 */
function wholeCharacters(bytes: Buffer, length: number): number {
  for (let back = 1; back <= 3 && back < length; back++) {
    const byte = bytes[length - back] ?? 0;
    if (byte < 0x80) return length;
    if (byte < 0xc0) continue;
    const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return size > back ? length - back : length;
  }
  return length;
}
