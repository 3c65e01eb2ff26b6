import type { GrantStore, OwnerKey, StoredGrant } from '@berth/agent-store';
import type { Clock, IdSource, Logger } from '@berth/kit';
import { z } from 'zod';
import type { Credential, HeldCredential } from '../connector/grants.ts';
import type { SecretRing } from './create-secret-ring.ts';

const PURPOSE = 'connector credentials';
/** Maximum number of log lines about rows that don't open. */
const MAX_TOLD = 100;

const credentialSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('key'), key: z.string(), endpoint: z.string().exactOptional() }),
  z.object({
    type: z.literal('oauth'),
    accessToken: z.string(),
    refreshToken: z.string().exactOptional(),
    expiresAtMs: z.number().exactOptional(),
    renewAtMs: z.number().exactOptional(),
    details: z.record(z.string(), z.unknown()),
  }),
]);

/** Dependencies of {@link createVault}. */
export interface VaultDeps {
  readonly store: GrantStore;
  readonly secrets: SecretRing;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
}

/** An encrypted store of credentials. A credential that can't be decrypted counts as absent. */
export interface Vault {
  find(owner: OwnerKey, connector: string): Promise<HeldCredential | undefined>;
  put(owner: OwnerKey, connector: string, credential: Credential): Promise<HeldCredential>;
  /** Replaces `held`. Undefined when it was deleted or replaced in the meantime. */
  replace(held: HeldCredential, credential: Credential): Promise<HeldCredential | undefined>;
  /** Marks `held` as rejected, unless it was replaced in the meantime. */
  markRejected(held: HeldCredential): Promise<void>;
  remove(owner: OwnerKey, connector: string): Promise<HeldCredential | undefined>;
  /**
   * Takes the lease on renewing a credential, across all instances, for `forMs` at most. False: another holder has it,
   * or the credential is gone.
   * @param holder id of the renewal.
   */
  lease(owner: OwnerKey, connector: string, holder: string, forMs: number): Promise<boolean>;
  release(owner: OwnerKey, connector: string, holder: string): Promise<void>;
  /** Returns the credentials of these owners that can be opened, in one query. */
  listOf(owners: readonly OwnerKey[]): Promise<readonly HeldCredential[]>;
  /** Reseals `grant` with the current key, unless it was changed in the meantime; false when it can't be opened. */
  reseal(grant: StoredGrant): Promise<boolean>;
}

/**
 * Creates the vault. Credentials are sealed for their owner and connector: a row that is moved to another one doesn't
 * open.
 */
export function createVault({ store, secrets, clock, ids, logger }: VaultDeps): Vault {
  const box = secrets.box(PURPOSE);
  const contextOf = ({ owner, connector }: Pick<StoredGrant, 'owner' | 'connector'>) => [
    owner,
    connector,
    'credential',
  ];
  /** Rows already logged as unreadable. */
  const told = new Set<string>();
  const openRow = (row: StoredGrant): HeldCredential | undefined => {
    const { owner, connector, version, isRejected, sealed } = row;
    const text = box.open(sealed, contextOf(row));
    const credential = text === undefined ? undefined : credentialSchema.safeParse(JSON.parse(text)).data;
    if (credential) return { owner, connector, version, isRejected, credential };
    if (!told.has(sealed) && told.size < MAX_TOLD) {
      told.add(sealed);
      logger.warn(
        { connector, key: sealed.split('.', 1)[0] },
        "a connection can't be decrypted and counts as not connected",
      );
    }
    return undefined;
  };
  const sealNew = (owner: OwnerKey, connector: string, credential: Credential) => ({
    version: ids.next('grant') as string,
    sealed: box.seal(JSON.stringify(credential), contextOf({ owner, connector })),
  });
  return {
    async find(owner, connector) {
      const row = await store.find(owner, connector);
      return row && openRow(row);
    },
    async listOf(owners) {
      return (await store.listOf(owners)).flatMap((row) => openRow(row) ?? []);
    },
    async put(owner, connector, credential) {
      const { version, sealed } = sealNew(owner, connector, credential);
      await store.put({ owner, connector, version, sealed, isRejected: false, connectedAtMs: clock.nowMs() });
      return { owner, connector, version, isRejected: false, credential };
    },
    async replace(held, credential) {
      const { owner, connector } = held;
      const change = sealNew(owner, connector, credential);
      if (!(await store.replace(held, change))) return undefined;
      return { owner, connector, version: change.version, isRejected: false, credential };
    },
    markRejected: (held) => store.markRejected(held),
    async remove(owner, connector) {
      const row = await store.remove(owner, connector);
      return row && openRow(row);
    },
    lease(owner, connector, holder, forMs) {
      const nowMs = clock.nowMs();
      return store.lease(owner, connector, { holder, nowMs, untilMs: nowMs + forMs });
    },
    release: (owner, connector, holder) => store.release(owner, connector, holder),
    async reseal(row) {
      const text = box.open(row.sealed, contextOf(row));
      if (text !== undefined) await store.reseal(row, box.seal(text, contextOf(row)));
      return text !== undefined;
    },
  };
}
