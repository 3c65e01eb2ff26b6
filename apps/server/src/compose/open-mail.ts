import { readFileSync } from 'node:fs';
import { createError } from '@berth/contract';
import { createLeases } from '@berth/control';
import type { Sealer } from '@berth/database';
import {
  createMailCourier,
  createMailOutbox,
  createSmtpTransport,
  type MailOutbox,
  type MailTransport,
} from '@berth/mail';
import type { Capability } from '@berth/runtime';
import type { PartOptions } from '../context/part-options.ts';
import type { State } from './open-state.ts';

/** The platform's e-mail. */
export interface Mail {
  readonly outbox: MailOutbox;
  readonly transport: MailTransport;
  /** Returns whether mail is delivered, for `berth doctor`. */
  capability(): Promise<Capability>;
  /** Begins to send. */
  start(): void;
}

/** Running attempts are awaited this long; the next start repeats what was cut off. */
const CLOSE_MS = 5_000;

/**
 * Opens the outbox and the SMTP server of the settings; returns undefined without them.
 * @throws BerthError `invalid` when the file of the root certificate can't be read
 */
export function openMail(
  { config, clock, ids, logger, shutdown }: PartOptions,
  { db, cluster }: Pick<State, 'db' | 'cluster'>,
  sealer: Sealer,
): Mail | undefined {
  const { smtpUrl: url, smtpFrom: from, smtpCa, smtpPlaintext: isPlaintextAllowed } = config;
  if (url === undefined || from === undefined) return undefined;
  const outbox = createMailOutbox({ db, clock, ids, sealer });
  const transport = createSmtpTransport({ url, from, isPlaintextAllowed, ca: readCa(smtpCa) });
  const leases = createLeases({ db, cluster, clock, logger, leaseMs: config.leaseSeconds * 1_000 });
  const courier = createMailCourier({ db, outbox, transport, leases, clock, logger });
  shutdown.push('mail', () => courier.close(CLOSE_MS));
  return {
    outbox,
    transport,
    start: () => courier.start(),
    async capability() {
      const { queued, sent, dead } = await outbox.counts();
      const failing = (await outbox.list()).filter(({ state, attempts }) => state === 'queued' && attempts > 1).length;
      const detail = `${sent} mails sent, ${queued} queued and ${dead} given up within a month.`;
      if (dead + failing === 0) return { id: 'mail', title: 'E-mail', status: 'enforced', detail };
      const remedy = 'Run `berth admin mail ls` for the answers of the mail server.';
      return { id: 'mail', title: 'E-mail', status: 'partial', detail, remedy };
    },
  };
}

function readCa(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw createError('invalid', `BERTH_SMTP_CA (${file}): ${(cause as Error).message}`, { cause });
  }
}
