/** "Service restart": the client should connect again (IANA WebSocket close codes). */
export const SERVICE_RESTART = 1012;

/**
 * A close frame. Frames to a server must be masked (RFC 6455 section 5.3); the mask is zero, for there is nothing to hide in a
 * frame that no page has a say in.
 */
export function closeFrame(code: number, isMasked: boolean): Buffer {
  const payload = [code >> 8, code & 0xff];
  return Buffer.from(isMasked ? [0x88, 0x82, 0, 0, 0, 0, ...payload] : [0x88, 0x02, ...payload]);
}
