import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { CreatePasskeyRequest, PasskeySignInRequest } from '@berth/contract';

/** What an authenticator and its browser can be made to say. */
export interface CeremonyOptions {
  readonly challenge: string;
  readonly origin?: string;
  /** Host that the passkey is for. */
  readonly host?: string;
  readonly counter?: number;
  /** False: someone touched it, who may be anyone. */
  readonly isVerified?: boolean;
  readonly isCrossOrigin?: boolean;
  readonly userHandle?: string | undefined;
}

/** A passkey in memory, with the browser that it is used in. */
export interface FakePasskey {
  readonly id: string;
  /** Its answer when it is made. */
  register(options: CeremonyOptions): CreatePasskeyRequest['credential'];
  /** Its answer when it is used. */
  assert(options: CeremonyOptions): PasskeySignInRequest;
}

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest();

/** A key of P-256 that lies in a cloud, of the make of `aaguid`. */
export function createFakePasskey(aaguid = '00000000-0000-0000-0000-000000000000'): FakePasskey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const rawId = randomBytes(32);
  const id = base64url(rawId);
  return {
    id,
    register(options) {
      const make = Buffer.from(aaguid.replaceAll('-', ''), 'hex');
      const attested = Buffer.concat([make, Buffer.from([0, rawId.length]), rawId, coseKey(publicKey)]);
      const authData = authenticatorData(options, attested);
      // {"fmt": "none", "attStmt": {}, "authData": h'…'} in CBOR. Source: WebAuthn 3 sections 6.5.4 and 8.7.
      const attestationObject = Buffer.concat([
        Buffer.from([0xa3]),
        ...[cborText('fmt'), cborText('none'), cborText('attStmt'), Buffer.from([0xa0]), cborText('authData')],
        ...[Buffer.from([0x59, authData.length >> 8, authData.length & 0xff]), authData],
      ]);
      const response = {
        clientDataJSON: base64url(clientData('webauthn.create', options)),
        attestationObject: base64url(attestationObject),
        transports: ['internal', 'hybrid'],
      };
      return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} };
    },
    assert(options) {
      const authData = authenticatorData(options);
      const data = clientData('webauthn.get', options);
      const signature = sign('sha256', Buffer.concat([authData, sha256(data)]), privateKey);
      const response = {
        clientDataJSON: base64url(data),
        authenticatorData: base64url(authData),
        signature: base64url(signature),
        userHandle: options.userHandle,
      };
      return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} };
    },
  };
}

function clientData(type: string, options: CeremonyOptions): Buffer {
  const { challenge, origin = 'http://localhost:8787', isCrossOrigin: crossOrigin = false } = options;
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin }));
}

/** Source: WebAuthn 3 section 6.1. */
function authenticatorData(options: CeremonyOptions, attested: Buffer = Buffer.alloc(0)): Buffer {
  const { host = 'localhost', counter = 0, isVerified = true } = options;
  const [present, verified, synced, withKey] = [0x01, 0x04, 0x08 | 0x10, 0x40];
  const flags = present | (isVerified ? verified : 0) | synced | (attested.length > 0 ? withKey : 0);
  const head = Buffer.alloc(5);
  head.writeUInt8(flags);
  head.writeUInt32BE(counter, 1);
  return Buffer.concat([sha256(host), head, attested]);
}

/** {1: 2, 3: -7, -1: 1, -2: x, -3: y} in CBOR. Source: RFC 9053 section 7.1.1. */
function coseKey(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const coordinate = (value: string) => Buffer.concat([Buffer.from([0x58, 32]), Buffer.from(value, 'base64url')]);
  const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]);
  return Buffer.concat([head, coordinate(x), Buffer.from([0x22]), coordinate(y)]);
}

function cborText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 | text.length]), Buffer.from(text)]);
}
