import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ConnectionLost, createPutFile, FileTooLarge, type PutFileOptions } from './put-file.ts';

type Outcome = { readonly status: number; readonly text?: string } | 'error' | 'pending';

/** The requests that were made, newest last. */
let requests: FakeRequest[] = [];
let outcomes: Outcome[] = [];

class FakeRequest {
  readonly headers: Record<string, string> = {};
  readonly upload: { onprogress?: (event: { loaded: number; total: number }) => void } = {};
  opened = '';
  sent: unknown;
  status = 0;
  responseText = '';
  onload?: () => void;
  onerror?: () => void;
  onabort?: () => void;
  open(method: string, url: string) {
    this.opened = `${method} ${url}`;
    requests.push(this);
  }
  setRequestHeader(name: string, value: string) {
    this.headers[name] = value;
  }
  send(body: unknown) {
    this.sent = body;
    const outcome = outcomes.shift() ?? 'pending';
    if (outcome === 'pending') return;
    queueMicrotask(() => {
      if (outcome === 'error') return this.onerror?.();
      this.status = outcome.status;
      this.responseText = outcome.text ?? '';
      this.onload?.();
    });
  }
  abort() {
    queueMicrotask(() => this.onabort?.());
  }
}

beforeEach(() => {
  requests = [];
  outcomes = [];
  vi.stubGlobal('XMLHttpRequest', FakeRequest);
});
afterEach(() => void vi.unstubAllGlobals());

function put(given: readonly Outcome[], options: Partial<PutFileOptions> = {}, file = new Blob(['hello'])) {
  outcomes = [...given];
  const leave = new AbortController();
  const progress: number[] = [];
  let token = 't1';
  const putFile = createPutFile({
    session: {
      token: async () => token,
      async renew() {
        token = 't2';
        return true;
      },
    },
    teamId: undefined,
    maxBytes: 5,
    ...options,
  });
  const done = putFile({
    ...{ url: '/files/a.txt', file, signal: leave.signal },
    onProgress: (value) => void progress.push(value),
  });
  return { done, leave, progress };
}

it('sends the file with the token and the workspace', async () => {
  const file = new Blob(['hello']);
  await put([{ status: 201 }], { teamId: 't-1' }, file).done;
  expect(requests).toMatchObject([
    {
      opened: 'PUT /files/a.txt',
      headers: { 'Content-Type': 'application/octet-stream', Authorization: 'Bearer t1', 'X-Workspace': 't-1' },
    },
  ]);
  expect(requests[0]?.sent).toBe(file);
});

it('names neither where there is none', async () => {
  await put([{ status: 201 }], { session: { token: async () => undefined, renew: async () => false } }).done;
  expect(Object.keys(requests[0]?.headers ?? {})).toEqual(['Content-Type']);
});

it('reports how far it is, also for an empty file', async () => {
  const { leave, progress, done } = put(['pending']);
  await vi.waitFor(() => expect(requests[0]?.sent).toBeDefined());
  requests[0]?.upload.onprogress?.({ loaded: 1, total: 4 });
  requests[0]?.upload.onprogress?.({ loaded: 0, total: 0 });
  expect(progress).toEqual([0.25, 0]);
  leave.abort();
  await expect(done).rejects.toThrow();
});

// Fails when a file that the agent would refuse is sent all the way first.
it('sends nothing that is too large', async () => {
  await expect(put([], {}, new Blob(['123456'])).done).rejects.toBeInstanceOf(FileTooLarge);
  expect(requests).toEqual([]);
});

it('sends a file of exactly the limit', async () => {
  await put([{ status: 201 }], {}, new Blob(['12345'])).done;
  expect(requests).toHaveLength(1);
});

it('sends once more with a new token where the first has run out', async () => {
  await put([{ status: 401 }, { status: 201 }]).done;
  expect(requests.map(({ headers }) => headers['Authorization'])).toEqual(['Bearer t1', 'Bearer t2']);
});

it('fails with the refusal where the token can’t be renewed', async () => {
  const session = { token: async () => 't1', renew: async () => false };
  const refusal = { status: 401, text: '{"detail":"Sign in."}' };
  await expect(put([refusal], { session }).done).rejects.toMatchObject({ status: 401, message: 'Sign in.' });
  expect(requests).toHaveLength(1);
});

it.each([
  ['the sentence of the agent', '{"detail":"The disk is full."}', 'The disk is full.'],
  ['the status, where a gateway answers', '<h1>', 'The agent answered with status 507.'],
])('says %s', async (_, text, message) => {
  await expect(put([{ status: 507, text }]).done).rejects.toMatchObject({ status: 507, message });
});

it('tells a broken connection from a refusal', async () => {
  await expect(put(['error']).done).rejects.toBeInstanceOf(ConnectionLost);
});

it('stops sending when it is canceled', async () => {
  const { leave, done } = put(['pending']);
  await vi.waitFor(() => expect(requests[0]?.sent).toBeDefined());
  leave.abort();
  await expect(done).rejects.toThrow('Called off.');
});
