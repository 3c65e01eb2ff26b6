import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { acmeAccountContext, certificateContext, type Sealer } from '@berth/database';
import { runInBackground } from '@berth/kit';
import { writePrivateFile } from '@berth/kit/node';
import type { Cluster } from '../cluster/cluster.ts';
import { followServers } from '../cluster/follow-servers.ts';
import { createLeases, type HeldLease } from '../cluster/leases.ts';
import type { ControlContext } from '../context/control-context.ts';

/** Options of {@link shareCertificates}. */
export interface ShareCertificatesOptions extends Pick<ControlContext, 'db' | 'clock' | 'logger'> {
  readonly cluster: Cluster;
  /** Seals keys and the account. */
  readonly sealer: Sealer;
  /** This server's folder of certificates, one file `<name>.pem` with key and chain each. */
  readonly folder: string;
  /** Called when files in the folder have changed. */
  reload(): Promise<void>;
  /** Called with true when this server is the one that obtains certificates, and with false when it isn't any more. */
  onTurn(isOurs: boolean): void;
  /** How long the turn holds without being renewed; see `createLeases`. */
  readonly leaseMs?: number;
}

/** The longest time until a certificate of another server is served here. */
const CERTIFICATES_POLL_MS = 5_000;
/** Between two tries to get the turn. */
const TURN_POLL_MS = 5_000;
/** An answer outlives its order by far; orders end within five minutes. */
const ANSWER_MS = 3_600_000;
const EXTENSION = '.pem';

/**
 * Certificates that one of several servers obtains and all serve. The database has the truth; each server's folder is its copy. Orders,
 * the account's key and the answers to challenges are in the database too, so any server answers the authority.
 */
export type SharedCertificates = ReturnType<typeof shareCertificates>;

export function shareCertificates(options: ShareCertificatesOptions) {
  const { db, clock, logger, cluster, sealer, folder, reload, onTurn } = options;
  const leases = createLeases({ ...options });
  const closing = new AbortController();
  /** Versions of the files in the folder. */
  const versions = new Map<string, string>();
  let turn: HeldLease | undefined;

  const fileOf = (name: string) => path.join(folder, name + EXTENSION);
  const readLocal = async (): Promise<void> => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const file of await readdir(folder)) {
      if (!file.endsWith(EXTENSION)) continue;
      const name = file.slice(0, -EXTENSION.length);
      versions.set(name, versionOf(await readFile(fileOf(name), 'utf8')));
    }
  };

  /** Copies certificates that this server lacks from the database. */
  const pull = async (): Promise<void> => {
    if (versions.size === 0) await readLocal();
    const rows = await db.selectFrom('certificates').select(['name', 'version']).execute();
    const missing = rows.filter(({ name, version }) => versions.get(name) !== version);
    for (const { name } of missing) {
      const row = await db.selectFrom('certificates').selectAll().where('name', '=', name).executeTakeFirst();
      if (!row) continue;
      await writePrivateFile(fileOf(name), sealer.open(row.sealed_pem, certificateContext(name)));
      versions.set(name, row.version);
    }
    if (missing.length > 0) await reload();
  };

  /** Writes this server's file of a name to the database. @throws LeaseTakenError when another server has the turn */
  const push = async (name: string, lease: HeldLease): Promise<void> => {
    const pem = await readFile(fileOf(name), 'utf8');
    const version = versionOf(pem);
    await db.transaction().execute(async (transaction) => {
      await lease.require(transaction);
      const row = { sealed_pem: (await sealer.current(transaction)).seal(pem, certificateContext(name)), version };
      await transaction
        .insertInto('certificates')
        .values({ name, ...row })
        .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
        .execute();
      await cluster.publish('certificates', name, transaction);
    });
    versions.set(name, version);
  };

  const takeTurn = async (lease: HeldLease): Promise<void> => {
    // What another server obtained isn't ordered again, and what this one obtained when it was alone is not lost.
    await pull();
    const rows = await db.selectFrom('certificates').select('name').execute();
    const known = new Set(rows.map(({ name }) => name));
    for (const name of versions.keys()) if (!known.has(name)) await push(name, lease);
    const over = AbortSignal.any([closing.signal, lease.signal]);
    if (over.aborted) return;
    turn = lease;
    onTurn(true);
    await new Promise((resolve) => over.addEventListener('abort', resolve, { once: true }));
    turn = undefined;
    onTurn(false);
  };
  const takeTurns = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      await leases.run('certificates', takeTurn).catch((error: unknown) => {
        logger.warn({ error: String(error) }, 'the turn to obtain certificates was lost');
      });
      await clock.sleep(TURN_POLL_MS, closing.signal).catch(() => {});
    }
  };

  let turns: Promise<void> | undefined;
  let endFollowing = async () => {};
  return {
    /** Copies the certificates there are, then follows the other servers and takes turns with them. */
    async start(): Promise<void> {
      await pull();
      endFollowing = followServers({
        ...{ cluster, clock, logger, channel: 'certificates', pollMs: CERTIFICATES_POLL_MS, look: pull },
      });
      turns = takeTurns();
      runInBackground('turns to obtain certificates', turns, logger);
    },
    /** Shares the certificate that this server obtained and has in its folder. */
    async add(name: string): Promise<void> {
      if (turn) await push(name, turn);
    },
    /** The account on the ACME server at `directoryUrl`, as text. */
    account: (directoryUrl: string) => ({
      async find(): Promise<string | undefined> {
        const row = await db
          .selectFrom('acme_accounts')
          .select('sealed_account')
          .where('directory_url', '=', directoryUrl)
          .executeTakeFirst();
        return row && sealer.open(row.sealed_account, acmeAccountContext(directoryUrl));
      },
      async save(text: string): Promise<void> {
        await db.transaction().execute(async (transaction) => {
          const box = await sealer.current(transaction);
          const row = { sealed_account: box.seal(text, acmeAccountContext(directoryUrl)) };
          await transaction
            .insertInto('acme_accounts')
            .values({ directory_url: directoryUrl, ...row })
            .onConflict((conflict) => conflict.column('directory_url').doUpdateSet(row))
            .execute();
        });
      },
    }),
    /** Answers to challenges, which every server gives. */
    answers: {
      async find(token: string): Promise<string | undefined> {
        const row = await db
          .selectFrom('acme_challenges')
          .select('answer')
          .where('token', '=', token)
          .executeTakeFirst();
        return row?.answer;
      },
      /** Offers an answer until the returned function is called. */
      async offer(token: string, answer: string): Promise<() => Promise<void>> {
        const row = { answer, expires_at: clock.nowMs() + ANSWER_MS };
        await db
          .insertInto('acme_challenges')
          .values({ token, ...row })
          .onConflict((conflict) => conflict.column('token').doUpdateSet(row))
          .execute();
        return async () => {
          await db
            .deleteFrom('acme_challenges')
            .where((eb) => eb.or([eb('token', '=', token), eb('expires_at', '<', clock.nowMs())]))
            .execute();
        };
      },
    },
    async close(): Promise<void> {
      closing.abort();
      await endFollowing();
      await turns;
    },
  };
}

function versionOf(pem: string): string {
  return createHash('sha256').update(pem).digest('hex');
}
