import { describe, expect, test } from 'vitest';
import { createFailingFiles } from '../testing/failing-files.ts';
import { createTemporaryStore, printed, SCOPE } from '../testing/temporary-store.ts';

describe('a disk that fails', () => {
  test.each([
    ['ENOSPC', 'the disk is full (ENOSPC)'],
    ['EIO', 'the disk reported an error (EIO)'],
  ] as const)(
    '%s: entries are dropped, counted, and the log says so when it is written again',
    async (code, reason) => {
      const files = createFailingFiles();
      await using temporary = await createTemporaryStore({ files });
      const { store } = temporary;
      await store.append(SCOPE, printed('one'));
      await store.flush();
      files.writeFailure = code;
      await store.append(SCOPE, printed('lost', 'lost'));
      expect(await temporary.messages()).toEqual(['one']);
      await store.append(SCOPE, printed('lost'));
      await expect(store.flush()).rejects.toMatchObject({ code: 'unavailable' });
      files.writeFailure = undefined;
      await store.append(SCOPE, printed('two'));
      expect(await temporary.messages()).toEqual(['one', `3 log entries were lost: ${reason}`, 'two']);
      expect((await store.read(SCOPE, { limit: 2 }))[0]).toMatchObject({ logName: 'system', severity: 'ERROR' });
      await store.flush();
      await store.close();
      temporary.reopen();
      expect(await temporary.messages()).toEqual(['one', `3 log entries were lost: ${reason}`, 'two']);
    },
  );

  test('the loss is told without another append', async () => {
    const files = createFailingFiles();
    await using temporary = await createTemporaryStore({ files });
    files.writeFailure = 'ENOSPC';
    await temporary.store.append(SCOPE, printed('lost'));
    expect(await temporary.messages()).toEqual([]);
    files.writeFailure = undefined;
    await expect
      .poll(temporary.messages, { timeout: 3000 })
      .toEqual(['1 log entry was lost: the disk is full (ENOSPC)']);
  });

  test('a disk with room for small writes alone is not filled with notices', async () => {
    const files = createFailingFiles();
    const write = files.write;
    let isFull = true;
    files.write = async (path, position, bytes) => {
      if (isFull && bytes.length > 1000) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      await write(path, position, bytes);
    };
    await using temporary = await createTemporaryStore({ files });
    for (let index = 0; index < 20; index++) {
      await temporary.store.append(SCOPE, printed('x'.repeat(2000)));
      await temporary.messages();
    }
    expect(await temporary.messages()).toEqual([]);
    isFull = false;
    await temporary.store.append(SCOPE, printed('after'));
    expect(await temporary.messages()).toEqual(['20 log entries were lost: the disk is full (ENOSPC)', 'after']);
  });

  test('a tail goes on over it', async () => {
    const files = createFailingFiles();
    await using temporary = await createTemporaryStore({ files });
    const end = new AbortController();
    const tail = temporary.store.tail(SCOPE, { signal: end.signal })[Symbol.asyncIterator]();
    const next = tail.next();
    files.writeFailure = 'EIO';
    await temporary.store.append(SCOPE, printed('lost'));
    await expect(temporary.store.flush()).rejects.toMatchObject({ code: 'unavailable' });
    files.writeFailure = undefined;
    expect((await next).value.message).toMatch(/^1 log entry was lost/);
    end.abort();
  });

  test('a disk that does not confirm makes flush say so, and the next one is judged anew', async () => {
    const files = createFailingFiles();
    await using temporary = await createTemporaryStore({ files });
    files.syncFailure = 'EIO';
    await temporary.store.append(SCOPE, printed('one'));
    await expect(temporary.store.flush()).rejects.toMatchObject({ code: 'unavailable' });
    files.syncFailure = undefined;
    await temporary.store.append(SCOPE, printed('two'));
    await temporary.store.flush();
    expect(await temporary.messages()).toEqual(['one', 'two']);
  });

  test('what cannot be read is unavailable, not empty', async () => {
    const files = createFailingFiles();
    await using temporary = await createTemporaryStore({ files });
    await temporary.store.append(SCOPE, printed('one'));
    files.readFailure = 'EIO';
    await expect(temporary.messages()).rejects.toMatchObject({ code: 'unavailable', status: 503 });
    await expect(temporary.store.read(SCOPE, { limit: 1, since: '2026-01-01T00:00:00Z' })).rejects.toMatchObject({
      code: 'unavailable',
    });
    files.readFailure = undefined;
    expect(await temporary.messages()).toEqual(['one']);
  });
});

describe('a disk that is slow', () => {
  test('append answers a promise, and drops when nobody waits for it', async () => {
    const files = createFailingFiles();
    const gate = Promise.withResolvers<void>();
    files.writeGate = gate.promise;
    const limits = { writeCharacters: 100, backPressureCharacters: 1000, bufferCharacters: 5000 };
    await using temporary = await createTemporaryStore({ files, limits });
    const { store } = temporary;
    expect(store.append(SCOPE, printed('x'.repeat(200)))).toBeUndefined();
    let isReleased = false;
    const wait = Promise.resolve(store.append(SCOPE, printed('x'.repeat(1000)))).then(() => {
      isReleased = true;
    });
    for (let index = 0; index < 20; index++) void store.append(SCOPE, printed('x'.repeat(1000)));
    expect(isReleased).toBe(false);
    gate.resolve();
    await wait;
    const messages = await temporary.messages();
    const lost = Number(/^(\d+) log entries were lost: they arrived faster/.exec(messages.at(-1) ?? '')?.[1]);
    expect(lost).toBeGreaterThan(10);
    expect(messages.length - 1 + lost).toBe(22);
  });

  test('the memory of all deployments together is bounded', async () => {
    const files = createFailingFiles();
    const gate = Promise.withResolvers<void>();
    files.writeGate = gate.promise;
    await using temporary = await createTemporaryStore({ files, limits: { totalBufferCharacters: 10_000 } });
    const scopes = Array.from({ length: 30 }, (_, index) => ({ account: 'acme', deployment: `d${index}` }));
    for (const scope of scopes) void temporary.store.append(scope, printed('x'.repeat(1000)));
    gate.resolve();
    const answers = await Promise.all(scopes.map((scope) => temporary.store.read(scope, { limit: 10 })));
    const kept = answers.flat().filter((entry) => entry.message.startsWith('xxx')).length;
    expect(kept).toBeGreaterThan(5);
    expect(kept).toBeLessThan(12);
    // With the disk at its pace again, everything is taken.
    for (const scope of scopes) await temporary.store.append(scope, printed('after'));
    const after = await Promise.all(scopes.map((scope) => temporary.store.read(scope, { limit: 1 })));
    expect(after.flat().map((entry) => entry.message)).toEqual(scopes.map(() => 'after'));
  });
});
