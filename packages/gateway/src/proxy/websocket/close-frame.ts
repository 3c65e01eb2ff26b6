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
