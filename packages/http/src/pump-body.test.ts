import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { createError } from '@berth/contract';
import { createFakeClock } from '@berth/testkit';
import { expect, test } from 'vitest';
import { pumpBody } from './pump-body.ts';

/** A body, a parser that keeps what it gets, and the pump between them. */
function open(options: { readonly maxBytes?: number; readonly parser?: Writable; readonly signal?: AbortSignal } = {}) {
  const clock = createFakeClock();
  const body = new PassThrough();
  const chunks: Buffer[] = [];
  const parser =
    options.parser ??
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        chunks.push(chunk);
        done();
      },
    });
  const { maxBytes, signal = new AbortController().signal } = options;
  const pumped = pumpBody(body, parser, { clock, signal, ...(maxBytes === undefined ? {} : { maxBytes }) });
  // Each test looks at it later; until then a rejection is no one's.
  pumped.catch(() => {});
  return { clock, body, parser, pumped, text: () => Buffer.concat(chunks).toString() };
}

/** The response needs the connection, so a failed upload must leave the body open and without the pump's listeners. */
function expectLeftOpen({ body }: ReturnType<typeof open>, clockPending: number): void {
  expect(body.destroyed).toBe(false);
  expect([body.listenerCount('data'), body.listenerCount('close')]).toEqual([0, 0]);
  expect(clockPending).toBe(0);
}

test('a body of exactly the limit is parsed whole, and nothing of the pump is left', async () => {
  const upload = open({ maxBytes: 10 });
  upload.body.write('hello');
  upload.body.end('world');
  await upload.pumped;
  expect(upload.text()).toBe('helloworld');
  expect(upload.clock.pending).toBe(0);
});

// Fails when the limit is looked at once the body has ended: a client could fill the disk before.
test('one byte more is refused as soon as it comes, while the client still sends', async () => {
  const upload = open({ maxBytes: 10 });
  upload.body.write('hello world');
  await expect(upload.pumped).rejects.toMatchObject({ code: 'payload_too_large', status: 413 });
  expectLeftOpen(upload, upload.clock.pending);
});

// Fails when the timer isn't set again by each chunk, or runs from the start alone.
test('a body that pauses is waited for a minute from its last byte', async () => {
  const upload = open();
  upload.body.write('a');
  await upload.clock.elapse(59_999);
  upload.body.write('b');
  await upload.clock.elapse(59_999);
  upload.body.end('c');
  await upload.pumped;
  expect(upload.text()).toBe('abc');

  const silent = open();
  silent.body.write('a');
  await silent.clock.elapse(60_000);
  await expect(silent.pumped).rejects.toMatchObject({
    code: 'bad_request',
    message: 'The upload timed out after a minute without data. Send it again.',
  });
  expectLeftOpen(silent, silent.clock.pending);
});

// Fails when a connection that breaks counts as the end of the body: half an archive would be stored as a whole one.
test.each(['destroyed without an error', 'broken by an error', 'gone before it was read'])(
  'an upload whose connection is %s is none',
  async (how) => {
    const clock = createFakeClock();
    const body = new PassThrough();
    const isEarly = how === 'gone before it was read';
    if (isEarly) {
      body.destroy();
      await once(body, 'close');
    }
    const pumped = pumpBody(body, new PassThrough().resume(), { clock, signal: new AbortController().signal });
    body.write('half', () => {});
    if (!isEarly) body.destroy(how === 'broken by an error' ? new Error('ECONNRESET') : undefined);
    body.on('error', () => {});
    await expect(pumped).rejects.toMatchObject({
      code: 'bad_request',
      message: 'The connection was closed during the upload.',
    });
    expect(clock.pending).toBe(0);
  },
);

// Fails when the listener for errors goes with the others: a connection that resets later would end the process.
test('a connection that breaks after the upload was refused does no harm', async () => {
  const upload = open({ maxBytes: 1 });
  upload.body.write('too much');
  await expect(upload.pumped).rejects.toMatchObject({ code: 'payload_too_large' });
  expect(upload.body.listenerCount('error')).toBeGreaterThan(0);
  upload.body.destroy(new Error('ECONNRESET'));
  await new Promise(setImmediate);
  expect(upload.body.destroyed).toBe(true);
});

test('what the parser refuses is the reason, and the body stays open for the answer', async () => {
  const parser = new Writable({ write: (_chunk, _encoding, done) => done(new Error('Unexpected end of form')) });
  const upload = open({ parser });
  upload.body.write('x');
  await expect(upload.pumped).rejects.toMatchObject({
    code: 'bad_request',
    message: 'The body is not well-formed multipart/form-data: Unexpected end of form.',
  });
  expectLeftOpen(upload, upload.clock.pending);
});

test.each(['before it begins', 'while it runs'])('a signal that aborts %s ends it with its reason', async (when) => {
  const stop = new AbortController();
  const reason = createError('unavailable', 'The server is stopping.');
  if (when === 'before it begins') stop.abort(reason);
  const upload = open({ signal: stop.signal });
  upload.body.write('x');
  stop.abort(reason);
  await expect(upload.pumped).rejects.toBe(reason);
  expectLeftOpen(upload, upload.clock.pending);
});

// Fails when the body is read at its own pace: an upload to a slow disk would pile up in memory.
test('a parser that is slow is waited for', async () => {
  const taken: (() => void)[] = [];
  const parser = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => void taken.push(done) });
  const upload = open({ parser });
  let accepted = true;
  let sent = 0;
  while (accepted && sent < 1_000) {
    accepted = upload.body.write(Buffer.alloc(16_384));
    sent++;
    await new Promise(setImmediate);
  }
  expect(sent).toBeLessThan(10);
  upload.body.end();
  while (!parser.writableFinished) {
    taken.shift()?.();
    await new Promise(setImmediate);
  }
  await upload.pumped;
});
