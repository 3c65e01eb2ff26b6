import { createHmac, timingSafeEqual } from 'node:crypto';
import type { DnsRecord } from './dns-records.ts';

/** A key that signs updates with HMAC-SHA256. Source: RFC 8945. */
export interface TsigKey {
  readonly name: string;
  readonly secret: Uint8Array;
}

/** A signed message, and its signature, which the response's signature includes. */
export interface SignedMessage {
  readonly message: Buffer;
  readonly mac: Buffer;
}

const TYPE = { soa: 6, txt: 16, tsig: 250 } as const;
const CLASS = { in: 1, none: 254, any: 255 } as const;
/** The header's opcode UPDATE. Source: RFC 2136 2.2. */
const UPDATE = 5 << 11;
const HEADER_BYTES = 12;
const ALGORITHM = 'hmac-sha256';
const FUDGE_SECONDS = 300;
/** Short, so that a resolver of the authority doesn't keep the record of an earlier order. */
const TTL_SECONDS = 60;
const RCODES: Readonly<Record<number, string>> = {
  1: 'FORMERR',
  2: 'SERVFAIL',
  3: 'NXDOMAIN',
  4: 'NOTIMP',
  5: 'REFUSED',
  8: 'NXRRSET',
  9: 'NOTAUTH',
  10: 'NOTZONE',
  16: 'BADSIG',
  17: 'BADKEY',
  18: 'BADTIME',
  22: 'BADTRUNC',
};

/** Returns an unsigned message that adds `record` to `zone`, or removes it and no other value of its name. Source: RFC 2136 2.5. */
export function encodeUpdate(id: number, zone: string, change: 'add' | 'remove', record: DnsRecord): Buffer {
  const isAdded = change === 'add';
  const text = Buffer.from(record.value, 'ascii');
  if (text.length > 255) throw new Error('a value of a DNS record has at most 255 bytes');
  return Buffer.concat([
    // One zone, no prerequisites, one change, nothing else.
    numbers([id, UPDATE, 1, 0, 1, 0]),
    encodeName(zone),
    numbers([TYPE.soa, CLASS.in]),
    encodeName(record.name),
    numbers([TYPE.txt, isAdded ? CLASS.in : CLASS.none, 0, isAdded ? TTL_SECONDS : 0, text.length + 1]),
    Buffer.from([text.length]),
    text,
  ]);
}

/** Signs a message. @param nowSeconds wall time; servers refuse a difference of more than five minutes */
export function signMessage(message: Buffer, key: TsigKey, nowSeconds: number): SignedMessage {
  const mac = macOf(key, [message, tsigVariables(key, nowSeconds, FUDGE_SECONDS, 0)]);
  const data = Buffer.concat([
    encodeName(ALGORITHM),
    time(nowSeconds),
    numbers([FUDGE_SECONDS, mac.length]),
    mac,
    numbers([message.readUInt16BE(0), 0, 0]),
  ]);
  const record = Buffer.concat([encodeName(key.name), numbers([TYPE.tsig, CLASS.any, 0, 0, data.length]), data]);
  return { message: withAdditional(Buffer.concat([message, record]), message.readUInt16BE(10) + 1), mac };
}

/**
 * Checks the response to a signed update.
 * @throws Error with the name of the code when the server refused it, or when its signature isn't the key's
 */
export function checkResponse(response: Buffer, request: SignedMessage, key: TsigKey, nowSeconds: number): void {
  if (response.length < HEADER_BYTES || response.readUInt16BE(0) !== request.message.readUInt16BE(0)) {
    throw new Error('the name server sent something else than a response');
  }
  const code = response.readUInt16BE(2) & 15;
  const tsig = findTsig(response);
  if (code !== 0) {
    const reasons = [code, ...(tsig && tsig.error !== 0 ? [tsig.error] : [])];
    throw new Error(`the name server refused the update: ${reasons.map((one) => RCODES[one] ?? one).join(', ')}`);
  }
  // Otherwise anyone on the way could claim that the record is there, or is gone.
  if (!tsig || !isSignedBy(key, response, tsig, request.mac) || Math.abs(nowSeconds - tsig.seconds) > tsig.fudge) {
    throw new Error(`the response of the name server isn't signed with the key ${key.name}`);
  }
}

interface Tsig {
  /** Offset of the record in the message. */
  readonly start: number;
  readonly seconds: number;
  readonly fudge: number;
  readonly mac: Buffer;
  readonly originalId: number;
  readonly error: number;
}

function isSignedBy(key: TsigKey, response: Buffer, tsig: Tsig, requestMac: Buffer): boolean {
  const unsigned = withAdditional(Buffer.from(response.subarray(0, tsig.start)), response.readUInt16BE(10) - 1);
  unsigned.writeUInt16BE(tsig.originalId, 0);
  const variables = tsigVariables(key, tsig.seconds, tsig.fudge, tsig.error);
  const expected = macOf(key, [numbers([requestMac.length]), requestMac, unsigned, variables]);
  return tsig.mac.length === expected.length && timingSafeEqual(tsig.mac, expected);
}

/** Returns the signature of a message, which is its last record; undefined when there is none or the message is damaged. */
function findTsig(message: Buffer): Tsig | undefined {
  try {
    let offset = HEADER_BYTES;
    for (let left = message.readUInt16BE(4); left > 0; left--) offset = skipName(message, offset) + 4;
    let start = offset;
    const records = message.readUInt16BE(6) + message.readUInt16BE(8) + message.readUInt16BE(10);
    let data = offset;
    for (let left = records; left > 0; left--) {
      start = offset;
      data = skipName(message, offset) + 10;
      offset = data + message.readUInt16BE(data - 2);
    }
    if (records === 0 || message.readUInt16BE(10) === 0 || message.readUInt16BE(data - 10) !== TYPE.tsig)
      return undefined;
    const fields = skipName(message, data);
    const macBytes = message.readUInt16BE(fields + 8);
    const end = fields + 10 + macBytes;
    return {
      start,
      seconds: message.readUIntBE(fields, 6),
      fudge: message.readUInt16BE(fields + 6),
      mac: message.subarray(fields + 10, end),
      originalId: message.readUInt16BE(end),
      error: message.readUInt16BE(end + 2),
    };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Returns the offset behind a name, which may end in a pointer to an earlier one. Source: RFC 1035 4.1.4. */
function skipName(message: Buffer, start: number): number {
  let offset = start;
  for (;;) {
    const length = message.readUInt8(offset);
    if (length >= 0xc0) return offset + 2;
    offset += length + 1;
    if (length === 0) return offset;
  }
}

/** Returns the part of a signature that says how it was made. Source: RFC 8945 4.3.3. */
function tsigVariables(key: TsigKey, seconds: number, fudge: number, error: number): Buffer {
  return Buffer.concat([
    encodeName(key.name),
    numbers([CLASS.any, 0, 0]),
    encodeName(ALGORITHM),
    time(seconds),
    numbers([fudge, error, 0]),
  ]);
}

function macOf(key: TsigKey, parts: readonly Uint8Array[]): Buffer {
  const hmac = createHmac('sha256', key.secret);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}

function withAdditional(message: Buffer, count: number): Buffer {
  message.writeUInt16BE(count, 10);
  return message;
}

/** Encodes a name without compression. @throws Error when it isn't a name of ASCII letters, digits, dashes and underscores */
function encodeName(name: string): Buffer {
  const labels = name.toLowerCase().replace(/\.$/, '').split('.');
  if (!labels.every((label) => /^[a-z0-9_-]{1,63}$/.test(label)) || name.length > 253) {
    throw new Error(`"${name}" is not a DNS name`);
  }
  return Buffer.concat([...labels.flatMap((label) => [Buffer.from([label.length]), Buffer.from(label)]), Buffer.of(0)]);
}

/** Encodes 16-bit numbers, big-endian. */
function numbers(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, index * 2);
  return bytes;
}

function time(seconds: number): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeUIntBE(seconds, 0, 6);
  return bytes;
}
