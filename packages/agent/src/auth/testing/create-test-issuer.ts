import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '@berth/kit';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

/** A fake OpenID Connect provider on a local port, with discovery and keys. */
export interface TestIssuer extends AsyncDisposable {
  /** Its origin; also the `iss` of its tokens. */
  readonly issuer: string;
  readonly jwksUrl: string;
  /** The number of requests for the key set so far. */
  readonly keySetReads: number;
  /** Answers every request with `status` from now on; undefined ends the failure. */
  failWith(status: number | undefined): void;
  /** Creates and publishes a key that signs tokens from now on. Returns its `kid`. */
  addKey(algorithm?: string): Promise<string>;
  /** Stops publishing a key. */
  removeKey(kid: string): void;
  /** The published keys, as in the key set. */
  readonly keys: readonly JWK[];
  /** Signs a token with the newest key; it expires in 300 s by default. */
  sign(claims: JWTPayload, options?: SignOptions): Promise<string>;
}

/** Options of a signed token. */
export interface SignOptions {
  readonly expiresInSeconds?: number;
  readonly kid?: string | undefined;
  readonly issuer?: string;
  /** The header `typ`: `at+jwt` by default (RFC 9068), none when null. */
  readonly type?: string | null;
}

interface Key {
  readonly kid: string;
  readonly algorithm: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

/** Starts a provider with one key. @param clock dates the tokens */
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
