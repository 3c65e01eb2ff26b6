import { createHash, timingSafeEqual } from 'node:crypto';
import type { Database, IdentityCodesTable, IdentityRefreshTokensTable } from '@berth/database';
import type { Clock } from '@berth/kit';
import type { Kysely } from 'kysely';
import { createSecret, hashSecret } from '../secrets/secrets.ts';
import type { IdentityClient } from './identity-clients.ts';
import type { IdentitySession } from './identity-sessions.ts';

/** Grants of a person's session for a client. */
export interface IdentityGrant {
  readonly sessionHash: string;
  /** Separated by spaces. */
  readonly scope: string;
  /** The nonce of the authorization request; null at a refresh. */
  readonly nonce: string | null;
  /** Ties the refresh tokens of one sign-in together. */
  readonly family: string;
}

/** The request that an authorization code answers. */
export interface NewCode {
  readonly session: IdentitySession;
  readonly client: IdentityClient;
  /** As it was sent; the token request must repeat it. */
  readonly redirectUri: string;
  readonly scope: string;
  readonly nonce: string | null;
  readonly codeChallenge: string;
}

/** Authorization codes and refresh tokens. Each works once; using one twice revokes everything issued from it. */
export interface IdentityGrants {
  createCode(code: NewCode): Promise<string>;
  /** Uses up a code, whatever the outcome. Undefined when it is not valid for this client, redirect and verifier. */
  takeCode(
    code: string,
    proof: { readonly client: IdentityClient; readonly redirectUri: string; readonly verifier: string },
  ): Promise<IdentityGrant | undefined>;
  /** Undefined when the sign-in has been revoked since the grant was taken. */
  createRefreshToken(
    grant: IdentityGrant,
    client: IdentityClient,
    session: IdentitySession,
  ): Promise<string | undefined>;
  /** Uses up a refresh token. Undefined when it is not valid for this client. */
  takeRefreshToken(token: string, client: IdentityClient): Promise<IdentityGrant | undefined>;
  /** Revokes all refresh tokens of the same sign-in. */
  revoke(token: string): Promise<void>;
}

/** The life of a code: the page fetches its tokens at once. RFC 6749 section 4.1.2 allows ten minutes. */
const CODE_MS = 60_000;
/** A refresh token reused within this time was sent by a second tab, or again after a lost answer. Later reuse means a stolen copy. */
const REUSE_MS = 10_000;

export function createIdentityGrants(options: {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
}): IdentityGrants {
  const { db, clock } = options;
  // A family is named by the hash of its code. Its tokens are issued only while the row of that code is there, so one that
  // is on its way to being issued can't outlive the revocation.
  const revokeFamily = (family: string) =>
    db.transaction().execute(async (transaction) => {
      await transaction.deleteFrom('identity_codes').where('hash', '=', family).execute();
      await transaction.deleteFrom('identity_refresh_tokens').where('family', '=', family).execute();
    });

  /** Marks a token as used and returns its row; `isFirst` is true for one caller only, however many come at once. */
  const useRefreshToken = async (token: string) => {
    const hash = hashSecret(token);
    const marked = await db
      .updateTable('identity_refresh_tokens')
      .set({ used_at: clock.nowMs() })
      .where('hash', '=', hash)
      .where('used_at', 'is', null)
      .returningAll()
      .executeTakeFirst();
    if (marked) return { row: marked, usedAtMs: null };
    const row = await findRefreshToken(hash);
    return row && { row, usedAtMs: row.used_at };
  };
  const findRefreshToken = (hash: string) =>
    db.selectFrom('identity_refresh_tokens').selectAll().where('hash', '=', hash).executeTakeFirst();

  return {
    async createCode({ session, client, redirectUri, scope, nonce, codeChallenge }) {
      const code = createSecret();
      const row: IdentityCodesTable = {
        hash: hashSecret(code),
        session_hash: session.hash,
        ...clientColumns(client),
        redirect_uri: redirectUri,
        scope,
        nonce,
        code_challenge: codeChallenge,
        expires_at: clock.nowMs() + CODE_MS,
        used_at: null,
      };
      await db.insertInto('identity_codes').values(row).execute();
      return code;
    },

    async takeCode(code, { client, redirectUri, verifier }) {
      const hash = hashSecret(code);
      const nowMs = clock.nowMs();
      const row = await db
        .updateTable('identity_codes')
        .set({ used_at: nowMs })
        .where('hash', '=', hash)
        .where('used_at', 'is', null)
        .returningAll()
        .executeTakeFirst();
      if (!row) {
        // RFC 6749 section 4.1.2: a code used twice has been stolen.
        await revokeFamily(hash);
        return undefined;
      }
      const isGood =
        row.expires_at > nowMs &&
        isOf(row, client) &&
        row.redirect_uri === redirectUri &&
        matchesChallenge(verifier, row.code_challenge);
      return isGood ? { sessionHash: row.session_hash, scope: row.scope, nonce: row.nonce, family: hash } : undefined;
    },

    async createRefreshToken({ family, scope }, client, session) {
      const token = createSecret();
      const row: IdentityRefreshTokensTable = {
        hash: hashSecret(token),
        family,
        session_hash: session.hash,
        ...clientColumns(client),
        scope,
        expires_at: session.expiresAtMs,
        used_at: null,
      };
      return db.transaction().execute(async (transaction) => {
        const codes = transaction.selectFrom('identity_codes').select('hash').where('hash', '=', family);
        if (!(await codes.executeTakeFirst())) return undefined;
        await transaction.insertInto('identity_refresh_tokens').values(row).execute();
        return token;
      });
    },

    async takeRefreshToken(token, client) {
      const used = await useRefreshToken(token);
      if (!used) return undefined;
      const { row, usedAtMs } = used;
      const nowMs = clock.nowMs();
      const isReplayed = usedAtMs !== null && nowMs - usedAtMs > REUSE_MS;
      if (isReplayed || !isOf(row, client)) {
        await revokeFamily(row.family);
        return undefined;
      }
      if (row.expires_at <= nowMs) return undefined;
      return { sessionHash: row.session_hash, scope: row.scope, nonce: null, family: row.family };
    },

    async revoke(token) {
      const row = await findRefreshToken(hashSecret(token));
      if (row) await revokeFamily(row.family);
    },
  };
}

/** Matches the deployment and its owner: a later owner of the name gets nothing that was issued for an earlier one. */
function clientColumns({ id, accountId }: IdentityClient) {
  return { client_id: id, client_account_id: accountId ?? '' };
}

function isOf(
  row: { readonly client_id: string; readonly client_account_id: string },
  client: IdentityClient,
): boolean {
  const columns = clientColumns(client);
  return row.client_id === columns.client_id && row.client_account_id === columns.client_account_id;
}

/** Source: RFC 7636 section 4.6, S256. */
function matchesChallenge(verifier: string, challenge: string): boolean {
  const digest = createHash('sha256').update(verifier).digest();
  const given = Buffer.from(challenge, 'base64url');
  return given.length === digest.length && timingSafeEqual(given, digest);
}
