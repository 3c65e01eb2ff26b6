/** Opcode of a close frame (RFC 6455 section 11.8). */
const CLOSE = 0x8;
const MASK_BYTES = 4;

/**
 * A tracker of frame boundaries in one direction of a WebSocket. Another frame may be inserted only at a boundary (RFC 6455
 * section 5.2). Payloads are not read.
 */
export class FrameTracker {
  /** Remaining header bytes of the current frame; a minimum until the length is known. */
  #headerLeft = 2;
  #headerSeen = 0;
  #isMasked = false;
  #lengthBytes = 0;
  #payloadLeft = 0;
  #hasClosed = false;

  /** Whether the bytes so far end at a frame boundary. */
  get isAtBoundary(): boolean {
    return this.#headerSeen === 0 && this.#payloadLeft === 0;
  }

  /** Whether a close frame has begun. */
  get hasClosed(): boolean {
    return this.#hasClosed;
  }

  /**
   * Tracks `chunk`: all of it, or up to the first frame boundary in it.
   *
   * @returns the number of bytes tracked.
   */
  follow(chunk: Uint8Array, untilBoundary = false): number {
    let at = 0;
    while (at < chunk.length) {
      if (this.#payloadLeft > 0) {
        const passed = Math.min(this.#payloadLeft, chunk.length - at);
        this.#payloadLeft -= passed;
        at += passed;
      } else {
        this.#header(chunk[at]!);
        at++;
      }
      if (untilBoundary && this.isAtBoundary) return at;
    }
    return at;
  }

  #header(byte: number): void {
    const index = this.#headerSeen++;
    this.#headerLeft--;
    if (index === 0) {
      if ((byte & 0x0f) === CLOSE) this.#hasClosed = true;
    } else if (index === 1) {
      this.#isMasked = (byte & 0x80) !== 0;
      const length = byte & 0x7f;
      this.#lengthBytes = length === 127 ? 8 : length === 126 ? 2 : 0;
      this.#length = this.#lengthBytes === 0 ? length : 0;
      this.#headerLeft = this.#lengthBytes + (this.#isMasked ? MASK_BYTES : 0);
    } else if (index < 2 + this.#lengthBytes) {
      // Real lengths are far below 2^53. A forged larger one only prevents a close frame on this connection.
      this.#length = this.#length * 256 + byte;
    }
    if (this.#headerLeft > 0) return;
    this.#payloadLeft = this.#length;
    this.#headerLeft = 2;
    this.#headerSeen = 0;
    this.#length = 0;
  }

  /** Payload length, as far as the header was read. */
  #length = 0;
}

/** Close code "Service Restart": the client should reconnect (IANA WebSocket close codes). */
export const SERVICE_RESTART = 1012;

/**
 * Returns a close frame. Frames to a server must be masked (RFC 6455 section 5.3). The mask is zero, because no web page controls the
 * content of this frame.
 */
export function closeFrame(code: number, isMasked: boolean): Buffer {
  const payload = [code >> 8, code & 0xff];
  return Buffer.from(isMasked ? [0x88, 0x82, 0, 0, 0, 0, ...payload] : [0x88, 0x02, ...payload]);
}
