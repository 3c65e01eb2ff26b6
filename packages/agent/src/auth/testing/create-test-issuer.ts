import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '@berth/kit';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

/** An OpenID Connect provider on a socket of its own, as far as an agent meets it. */
export interface TestIssuer extends AsyncDisposable {
  /** Its origin; also the `iss` of its tokens. */
  readonly issuer: string;
  readonly jwksUrl: string;
  /** Times that the key set was asked for. */
  readonly keySetReads: number;
  /** What it answers to everything from now on; undefined: it works again. */
  failWith(status: number | undefined): void;
  /** Makes a key that tokens are signed with from now on, and shows it. */
  addKey(algorithm?: string): Promise<string>;
  /** Does not show a key any more. */
  removeKey(kid: string): void;
  /** Shown keys, as in the key set. */
  readonly keys: readonly JWK[];
  /** Of the newest key; `expiresInSeconds` 300 by default. */
  sign(claims: JWTPayload, options?: SignOptions): Promise<string>;
}

export interface SignOptions {
  readonly expiresInSeconds?: number;
  readonly kid?: string | undefined;
  readonly issuer?: string;
  /** Header `typ`; `at+jwt` when absent, as RFC 9068 has it, none when null. */
  readonly type?: string | null;
}

interface Key {
  readonly kid: string;
  readonly algorithm: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

/** @param clock that tokens are dated with. */
export async function createTestIssuer(clock: Pick<Clock, 'nowMs'>): Promise<TestIssuer> {
  const made: Key[] = [];
  let shown: readonly Key[] = [];
  let keySetReads = 0;
  let failure: number | undefined;
  const server = createServer((request, response) => {
    const body =
      request.url === '/keys'
        ? { keys: shown.map(({ jwk }) => jwk) }
        : { issuer: self.issuer, jwks_uri: `${self.issuer}/keys` };
    if (request.url === '/keys') keySetReads++;
    response.writeHead(failure ?? 200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const self: TestIssuer = {
    issuer,
    jwksUrl: `${issuer}/keys`,
    get keySetReads() {
      return keySetReads;
    },
    get keys() {
      return shown.map(({ jwk }) => jwk);
    },
    failWith(status) {
      failure = status;
    },
    async addKey(algorithm = 'ES256') {
      const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
      const kid = `key-${made.length + 1}`;
      const key = { kid, algorithm, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: algorithm } };
      made.push(key);
      shown = [...shown, key];
      return kid;
    },
    removeKey(kid) {
      shown = shown.filter((key) => key.kid !== kid);
    },
    sign(claims, { expiresInSeconds = 300, issuer: from = issuer, type = 'at+jwt', ...options } = {}) {
      const key = made.at(-1);
      if (!key) throw new Error('the issuer has no key yet');
      const kid = 'kid' in options ? options.kid : key.kid;
      const nowSeconds = Math.floor(clock.nowMs() / 1_000);
      return new SignJWT({ ...claims })
        .setProtectedHeader({
          alg: key.algorithm,
          ...(type === null ? {} : { typ: type }),
          ...(kid === undefined ? {} : { kid }),
        })
        .setIssuer(from)
        .setIssuedAt(nowSeconds)
        .setExpirationTime(nowSeconds + expiresInSeconds)
        .sign(key.privateKey);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  await self.addKey();
  return self;
}
