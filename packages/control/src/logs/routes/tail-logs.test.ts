import { createSystemClock } from '@berth/kit';
import { createFakeClock, createFakeLogStore } from '@berth/testkit';
import { describe, expect, test } from 'vitest';
import { createLogRoutes, type LogRoutes, SHOP } from '../testing/log-routes-fixture.ts';

const PATH = '/v1/deployment/logs/tail';

/** Reads a stream of events block by block. */
function readBlocks(response: Response) {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = '';
  return {
    async next(): Promise<string | undefined> {
      for (;;) {
        const end = text.indexOf('\n\n');
        if (end !== -1) {
          const block = text.slice(0, end);
          text = text.slice(end + 2);
          return block;
        }
        const { done, value } = await reader.read();
        if (done) return undefined;
        text += decoder.decode(value, { stream: true });
      }
    },
    cancel: () => reader.cancel(),
  };
}

/** An event's id and entry. */
function parseEvent(block: string | undefined) {
  const [id = '', data = '', ...more] = (block ?? '').split('\n');
  expect(more).toEqual([]);
  return { id: id.replace(/^id: /, ''), entry: JSON.parse(data.replace(/^data: /, '')) };
}

async function openTail(routes: LogRoutes, query: string, headers: Record<string, string> = {}) {
  const response = await routes.call(`${PATH}?${query}`, { headers });
  expect(response.status).toBe(200);
  const blocks = readBlocks(response);
  expect(await blocks.next()).toBe(': open');
  return { response, blocks };
}

describe('GET /v1/deployment/logs/tail', () => {
  test('sends what is written from now on, an event an entry', async () => {
    await using routes = createLogRoutes();
    await routes.print(SHOP, 'before');
    const { response, blocks } = await openTail(routes, 'name=shop');
    expect(response.headers.get('Content-Type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    expect(response.headers.get('X-Accel-Buffering')).toBe('no');
    await routes.print(SHOP, 'line one\nline two', '\u2028 "quoted"');
    const first = parseEvent(await blocks.next());
    expect(first.entry).toEqual({ timestamp: first.id, severity: 'INFO', message: 'line one\nline two' });
    expect(parseEvent(await blocks.next()).entry.message).toBe('\u2028 "quoted"');
    await blocks.cancel();
  });

  test('sends only what fits a query', async () => {
    await using routes = createLogRoutes();
    const { blocks } = await openTail(routes, `name=shop&query=${encodeURIComponent('message=~"^b" OR z')}`);
    await routes.print(SHOP, 'abc', 'bcd', 'xyz');
    expect(parseEvent(await blocks.next()).entry.message).toBe('bcd');
    expect(parseEvent(await blocks.next()).entry.message).toBe('xyz');
    await blocks.cancel();
  });

  test('goes on after since, and after Last-Event-ID before that', async () => {
    await using routes = createLogRoutes();
    await routes.print(SHOP, 'a', 'b', 'c');
    const { blocks } = await openTail(routes, 'name=shop&since=1970-01-01T00:00:00Z', { 'Last-Event-ID': '' });
    const ids = [];
    for (const message of ['a', 'b', 'c']) {
      const event = parseEvent(await blocks.next());
      expect(event.entry.message).toBe(message);
      ids.push(event.id);
    }
    await blocks.cancel();
    const resumed = await openTail(routes, 'name=shop&since=1970-01-01T00:00:00Z', { 'Last-Event-ID': ids[1] ?? '' });
    expect(parseEvent(await resumed.blocks.next()).entry.message).toBe('c');
    await resumed.blocks.cancel();
  });

  test('says a comment in every 15 s of silence', async () => {
    const clock = createFakeClock();
    await using routes = createLogRoutes({ clock });
    const { blocks } = await openTail(routes, 'name=shop');
    for (let round = 0; round < 3; round++) {
      const next = blocks.next();
      await expect.poll(() => clock.pending).toBe(1);
      clock.advance(14_999);
      expect(clock.pending).toBe(1);
      clock.advance(1);
      expect(await next).toBe(': keep-alive');
    }
    await routes.print(SHOP, 'still here');
    expect(parseEvent(await blocks.next()).entry.message).toBe('still here');
    await blocks.cancel();
  });

  test('over a socket: entries come within 250 ms, and the tail ends when the client goes', async () => {
    const store = createFakeLogStore(Date.now);
    const signals: AbortSignal[] = [];
    const watched: typeof store = {
      ...store,
      tail(scope, options) {
        signals.push(options.signal);
        return store.tail(scope, options);
      },
    };
    await using routes = createLogRoutes({ store: watched });
    const origin = await routes.listen();
    const client = new AbortController();
    const headers = { 'X-API-Key': 'acme' };
    const response = await fetch(`${origin}${PATH}?name=shop`, { headers, signal: client.signal });
    const blocks = readBlocks(response);
    expect(await blocks.next()).toBe(': open');
    const delaysMs: number[] = [];
    for (let round = 0; round < 5; round++) {
      const writtenMs = performance.now();
      await routes.print(SHOP, `live ${round}`);
      expect(parseEvent(await blocks.next()).entry.message).toBe(`live ${round}`);
      delaysMs.push(performance.now() - writtenMs);
    }
    // The quickest: a busy machine may hold up any single one.
    expect(Math.min(...delaysMs)).toBeLessThan(250);
    expect(signals.map((signal) => signal.aborted)).toEqual([false]);
    client.abort();
    await expect.poll(() => signals[0]?.aborted).toBe(true);
  });

  test('a client that reads slowly holds the tail back, not the memory of the platform', async () => {
    const store = createFakeLogStore(Date.now);
    let taken = 0;
    const counted: typeof store = {
      ...store,
      async *tail(scope, options) {
        for await (const entry of store.tail(scope, options)) {
          taken++;
          yield entry;
        }
      },
    };
    await using routes = createLogRoutes({ store: counted });
    await routes.print(SHOP, ...Array.from({ length: 5000 }, (_, index) => String(index).padEnd(1000, '.')));
    const { blocks } = await openTail(routes, 'name=shop&since=1970-01-01T00:00:00Z');
    await createSystemClock().sleep(50);
    expect(taken).toBeLessThan(10);
    for (let index = 0; index < 5000; index++) {
      expect(Number.parseInt(parseEvent(await blocks.next()).entry.message, 10)).toBe(index);
    }
    await blocks.cancel();
  });

  test('a store that fails in the middle ends the stream, and nobody is told how', async () => {
    const store = createFakeLogStore(Date.now);
    const failing: typeof store = {
      ...store,
      async *tail(scope) {
        yield* await store.read(scope, { limit: 1 });
        throw new Error('canary');
      },
    };
    await using routes = createLogRoutes({ store: failing });
    const origin = await routes.listen();
    const ask = () => fetch(`${origin}${PATH}?name=shop`, { headers: { 'X-API-Key': 'acme' } });
    await routes.print(SHOP, 'the last');
    for (let round = 0; round < 2; round++) {
      const text = await (await ask()).text();
      expect(text).toContain('the last');
      expect(text).not.toContain('canary');
    }
  });

  test.each([
    ['', 422, 'query', 'name'],
    ['name=shop&since=yesterday', 422, 'query', 'since'],
    ['name=shop&query=(a', 422, 'query', 'query'],
    ['name=shop&query=severity%3ELOUD', 422, 'query', 'query'],
  ])('?%s is %i', async (query, status, place, field) => {
    await using routes = createLogRoutes();
    const response = await routes.call(`${PATH}?${query}`);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ detail: [{ loc: [place, field] }] });
  });

  test.each([
    ['name=theirs', 403, {}],
    ['name=nobody', 404, {}],
    ['name=shop', 401, { 'X-API-Key': 'x' }],
    ['name=shop', 403, { 'X-API-Key': 'deployer' }],
    ['name=shop', 422, { 'Last-Event-ID': '17' }],
  ])('?%s is %i', async (query, status, headers) => {
    await using routes = createLogRoutes();
    expect((await routes.call(`${PATH}?${query}`, { headers: { ...headers } })).status).toBe(status);
  });
});
