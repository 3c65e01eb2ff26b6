import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTestSealer, openTestDatabase } from '@berth/database/testing';
import { createIdSource } from '@berth/kit';
import { createFakeClock, createRecordingLogger } from '@berth/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { MailRefusedError, type MailTransport } from '../smtp/create-smtp-transport.ts';
import { createMailCourier } from './create-mail-courier.ts';
import { createMailOutbox, type OutgoingMail } from './create-mail-outbox.ts';

type Sent = Parameters<MailTransport['send']>[0];

/** Servers that share an outbox. `holder` is the one that has the lease; the others' writes are refused. */
async function setup() {
  const folder = mkdtempDisposableSync(path.join(tmpdir(), 'berth-mail-'));
  const { db, close } = await openTestDatabase(path.join(folder.path, 'berth.db'));
  const clock = createFakeClock(Date.UTC(2026, 0, 1));
  const lines: string[] = [];
  const logger = createRecordingLogger(lines);
  const outbox = createMailOutbox({ db, clock, ids: createIdSource(() => clock.nowMs()), sealer: createTestSealer() });
  const sent: Sent[] = [];
  const state = { holder: 'one', send: async (_mail: Sent): Promise<void> => {} };
  const startServer = (name: string) => {
    const requireHolder = async () => {
      if (state.holder !== name) throw new Error('another server has the lease');
    };
    const courier = createMailCourier({
      ...{ db, outbox, clock, logger },
      leases: {
        async run(_name, work) {
          if (state.holder !== name) return undefined;
          return { value: await work({ signal: new AbortController().signal, require: requireHolder }) };
        },
      },
      transport: {
        async send(mail) {
          sent.push(mail);
          await state.send(mail);
        },
      },
    });
    // The fake clock stands still, so closing isn't awaited: an attempt may hang.
    onTestFinished(() => void courier.close(0));
    courier.start();
    return courier;
  };
  onTestFinished(async () => {
    await close();
    folder.remove();
  });
  const put = (more: Partial<OutgoingMail> = {}) =>
    db.transaction().execute((transaction) => {
      return outbox.put({ to: 'ada@example.com', language: 'en', letter: { kind: 'test' }, ...more }, transaction);
    });
  /** Lets time pass until `condition` holds. */
  const until = async (condition: () => Promise<boolean>) => {
    for (let seconds = 0; !(await condition()); seconds++) {
      if (seconds === 200) throw new Error('it never happened');
      await clock.elapse(1_000);
    }
  };
  return { db, clock, outbox, sent, state, startServer, put, until, lines };
}

test('a mail is sent once, and its text is erased', async () => {
  const { clock, db, outbox, sent, startServer, put, until } = await setup();
  const id = await put();
  startServer('one');
  startServer('two');
  await until(async () => (await outbox.counts()).sent === 1);
  await clock.elapse(10_000);
  expect(sent.map((mail) => [mail.id, mail.to])).toEqual([[id, 'ada@example.com']]);
  expect(await db.selectFrom('mail_outbox').select(['state', 'sealed_content']).execute()).toEqual([
    { state: 'sent', sealed_content: null },
  ]);
});

test('a mail of a change that was undone is never sent', async () => {
  const { db, outbox } = await setup();
  const change = db.transaction().execute(async (transaction) => {
    await outbox.put({ to: 'ada@example.com', language: 'en', letter: { kind: 'test' } }, transaction);
    throw new Error('undone');
  });
  await expect(change).rejects.toThrow('undone');
  expect(await outbox.due(10)).toEqual([]);
});

// Fails when the link can be read in the database, which is also in backups.
test('the text is sealed while it waits', async () => {
  const { db, put } = await setup();
  await put({ letter: { kind: 'password_reset', name: 'Ada', link: 'https://x.example/#secret-token' } });
  const rows = await db.selectFrom('mail_outbox').selectAll().execute();
  expect(JSON.stringify(rows)).not.toContain('secret-token');
});

// Fails when the attempt is recorded after it, or when the server that takes over makes a new id.
test('a mail whose server was killed while it sent is sent again by another, with the same id', async () => {
  const { outbox, sent, state, startServer, put, until } = await setup();
  const id = await put();
  // The first server never hears the answer.
  state.send = () => new Promise(() => {});
  startServer('one');
  await until(async () => sent.length === 1);
  state.holder = 'two';
  state.send = async () => {};
  startServer('two');
  await until(async () => (await outbox.counts()).sent === 1);
  expect(sent.map((mail) => mail.id)).toEqual([id, id]);
});

test('failed attempts are repeated with backoff, and given up after twelve', async () => {
  const { clock, db, outbox, sent, state, startServer, put, until, lines } = await setup();
  await put();
  state.send = async () => {
    throw new MailRefusedError('451 busy', false);
  };
  startServer('one');
  await until(async () => sent.length === 2);
  expect(await outbox.list()).toMatchObject([{ state: 'queued', last_error: '451 busy', attempts: 2 }]);
  const row = db.selectFrom('mail_outbox').select('next_attempt_at');
  expect((await row.executeTakeFirstOrThrow()).next_attempt_at - clock.nowMs()).toBeGreaterThan(55_000);
  await db.updateTable('mail_outbox').set({ attempts: 11 }).execute();
  await until(async () => (await outbox.counts()).dead === 1);
  expect(sent).toHaveLength(3);
  expect(lines.join()).toContain('451 busy');
});

test('a refusal of the recipient is final at once, and an expired mail is not sent', async () => {
  const { clock, outbox, sent, state, startServer, put, until } = await setup();
  await put();
  state.send = async () => {
    throw new MailRefusedError('550 no such user', true);
  };
  await put({ expiresAtMs: clock.nowMs() });
  startServer('one');
  await until(async () => (await outbox.counts()).dead === 2);
  expect(sent).toHaveLength(1);
  expect((await outbox.list()).map((mail) => mail.last_error)).toEqual([
    'It expired before it could be sent.',
    '550 no such user',
  ]);
});

test('the letter of a request is made when it is sent; without one, nothing is left of it', async () => {
  const { db, outbox, sent, startServer, until } = await setup();
  outbox.resolve('password_reset', async ({ to }) =>
    to === 'ada@example.com'
      ? { letter: { kind: 'password_reset', name: 'Ada', link: 'https://x.example/#1' }, language: 'ar' }
      : undefined,
  );
  for (const to of ['ada@example.com', 'nobody@example.com']) {
    await outbox.request({ kind: 'password_reset', to, language: 'en' });
  }
  startServer('one');
  await until(async () => sent.length === 1 && (await outbox.due(1)).length === 0);
  expect(sent[0]?.text).toContain('مرحبًا Ada');
  const rows = await db.selectFrom('mail_outbox').select('recipient').execute();
  expect(rows).toEqual([{ recipient: 'ada@example.com' }]);
});

test.each(['a@b.c, d@e.f', 'a@b.c\r\nBcc: d@e.f', 'Ada <a@b.c>'])('a mail to %j is refused', async (to) => {
  const { put } = await setup();
  await expect(put({ to })).rejects.toMatchObject({ code: 'invalid' });
});

test('mails are forgotten a month after their end', async () => {
  const { clock, outbox, startServer, put, until } = await setup();
  await put();
  startServer('one');
  await until(async () => (await outbox.counts()).sent === 1);
  clock.advance(31 * 86_400_000);
  await outbox.prune();
  expect(await outbox.list()).toEqual([]);
});
