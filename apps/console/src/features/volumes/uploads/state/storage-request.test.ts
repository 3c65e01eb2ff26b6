import { expect, test, vi } from 'vitest';
import { createXhrStorage, type StorageCall } from './storage-request.ts';

/** A fake request that the test answers. */
function setup() {
  const sent: { method?: string; url?: string; headers: Record<string, string>; body?: unknown } = { headers: {} };
  const request = {
    upload: {} as { onprogress?: (event: { loaded: number }) => void },
    status: 0,
    responseText: '',
    onloadend: undefined as (() => void) | undefined,
    open(method: string, url: string) {
      Object.assign(sent, { method, url });
    },
    setRequestHeader(name: string, value: string) {
      sent.headers[name] = value;
    },
    getResponseHeader: (name: string) => (name === 'etag' ? '"1"' : null),
    send(body: unknown) {
      sent.body = body;
    },
    abort() {
      request.onloadend?.();
    },
  };
  const send = createXhrStorage(() => request as unknown as XMLHttpRequest);
  return {
    sent,
    request,
    call: (options: Partial<StorageCall> = {}) =>
      send({ method: 'PUT', url: 'https://s/x', signal: new AbortController().signal, ...options }),
    answer(status: number, body = '') {
      Object.assign(request, { status, responseText: body });
      request.onloadend?.();
    },
  };
}

test('sends the body with its headers and reports progress', async () => {
  const { call, request, sent, answer } = setup();
  const body = new Blob(['hello']);
  const onSent = vi.fn();
  const done = call({ headers: { 'Tus-Resumable': '1.0.0' }, body, onSent });
  request.upload.onprogress?.({ loaded: 3 });
  answer(200);
  expect((await done).header('etag')).toBe('"1"');
  expect(sent).toEqual({ method: 'PUT', url: 'https://s/x', headers: { 'Tus-Resumable': '1.0.0' }, body });
  expect(onSent.mock.calls).toEqual([[3]]);
});

// Fails when a full disk (507) counts as retryable: the upload would be retried in vain.
test.each([
  [0, '', 'unavailable', true, 'The connection to the storage broke off.'],
  [503, '', 'unavailable', true, 'The storage answered 503.'],
  [429, 'slow down', 'unavailable', true, 'slow down'],
  [507, '{"detail":"The disk is full."}', 'insufficient_storage', false, 'The disk is full.'],
  [412, '{"detail":"It is there."}', 'precondition_failed', false, 'It is there.'],
  [403, '<Error>', 'forbidden', false, '<Error>'],
  [418, '', 'bad_request', false, 'The storage answered 418.'],
])('a %i is an error with a code and a sentence', async (status, body, code, isRetryable, message) => {
  const { call, answer } = setup();
  const done = call();
  answer(status, body);
  await expect(done).rejects.toMatchObject({ code, isRetryable, message });
});

test('an aborted call rejects with the reason, and a call without progress times out after a minute', async () => {
  const ending = new AbortController();
  const ended = setup().call({ signal: ending.signal });
  ending.abort(new Error('left the page'));
  await expect(ended).rejects.toThrow('left the page');
  vi.useFakeTimers();
  try {
    const { call, request } = setup();
    const silent = expect(call()).rejects.toMatchObject({ code: 'unavailable' });
    vi.advanceTimersByTime(59_000);
    request.upload.onprogress?.({ loaded: 1 });
    vi.advanceTimersByTime(59_000);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(1_000);
    await silent;
  } finally {
    vi.useRealTimers();
  }
});
