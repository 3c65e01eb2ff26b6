import type { FormUpload } from '@berth/client';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { createXhrSendForm } from './xhr-send-form.ts';

const HEADERS_RECEIVED = 2;

/** A request of the browser that the test answers. */
class FakeRequest extends EventTarget {
  static readonly HEADERS_RECEIVED = HEADERS_RECEIVED;
  readonly upload: { onloadstart?: () => void; onprogress?: (event: { loaded: number; total: number }) => void } = {};
  readonly sent: { method?: string; url?: string; form?: FormData; headers: Record<string, string> } = { headers: {} };
  readyState = 0;
  status = 0;
  responseText = '';
  onerror?: () => void;
  onabort?: () => void;
  onreadystatechange?: () => void;
  open(method: string, url: string) {
    Object.assign(this.sent, { method, url });
  }
  setRequestHeader(name: string, value: string) {
    this.sent.headers[name] = value;
  }
  getAllResponseHeaders() {
    return 'content-type: text/event-stream\r\nx-request-id: req_1: a\r\n\r\n';
  }
  send(form: FormData) {
    this.sent.form = form;
  }
  abort() {
    this.onabort?.();
    this.dispatchEvent(new Event('abort'));
  }
  /** The headers of the answer are there. */
  begin(status = 200) {
    Object.assign(this, { status, readyState: HEADERS_RECEIVED });
    this.onreadystatechange?.();
  }
  write(text: string) {
    this.responseText += text;
    this.dispatchEvent(new Event('progress'));
  }
}

function setup(changes: Partial<FormUpload> = {}) {
  const request = new FakeRequest();
  const send = createXhrSendForm(() => request as unknown as XMLHttpRequest);
  const upload: FormUpload = {
    url: 'http://berth.test/v1/deploy',
    headers: { 'X-Berth-Browser': '1' },
    fields: { function_name: 'shop', memory: '256Mi' },
    ...changes,
  };
  return { request, answer: send(upload) };
}

beforeAll(() => {
  vi.stubGlobal('XMLHttpRequest', FakeRequest);
  return () => vi.unstubAllGlobals();
});

describe('a form', () => {
  // Fails when a field or a header is left out, or the archive has another part name.
  test('is sent with its fields, its headers and the archive', async () => {
    const { request, answer } = setup({ archive: new Blob(['archive']) });
    request.begin();
    await answer;
    const { method, url, headers, form } = request.sent;
    expect([method, url, headers]).toEqual(['POST', 'http://berth.test/v1/deploy', { 'X-Berth-Browser': '1' }]);
    expect([...(form?.keys() ?? [])]).toEqual(['function_name', 'memory', 'source_archive.0']);
    expect(form?.get('source_archive.0')).toMatchObject({ name: 'source.tar.gz' });
  });

  // Fails when the bytes of the whole form are reported: more would be sent than the archive has.
  test('reports progress in bytes of the archive', () => {
    const told: unknown[] = [];
    const { request } = setup({ archive: new Blob(['x'.repeat(1_000)]), onProgress: (sent) => told.push(sent) });
    request.upload.onloadstart?.();
    request.upload.onprogress?.({ loaded: 600, total: 1_200 });
    request.upload.onprogress?.({ loaded: 1_200, total: 1_200 });
    expect(told).toEqual([0, 500, 1_000].map((sentBytes) => ({ sentBytes, totalBytes: 1_000 })));
  });

  test('without an archive has no progress', () => {
    const { request } = setup();
    expect(request.upload.onprogress).toBeUndefined();
  });
});

describe('the answer', () => {
  // Fails when it waits for the end of the body, or a header is cut at its second colon.
  test('is there with its headers', async () => {
    const { request, answer } = setup();
    request.begin(202);
    const { status, headers } = await answer;
    expect([status, headers.get('content-type'), headers.get('x-request-id')]).toEqual([
      202,
      'text/event-stream',
      'req_1: a',
    ]);
  });

  // Fails when each piece repeats the text before it, or the rest at the end is lost.
  test('comes piece by piece', async () => {
    const { request, answer } = setup();
    request.begin();
    const { body } = await answer;
    const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
    request.write('data: 1\n');
    expect((await reader.read()).value).toBe('data: 1\n');
    request.write('دات');
    expect((await reader.read()).value).toBe('دات');
    request.responseText += 'end';
    request.dispatchEvent(new Event('load'));
    expect((await reader.read()).value).toBe('end');
    expect((await reader.read()).done).toBe(true);
  });

  // Fails when the failure is no TypeError, by which the client knows that there was no answer.
  test('that never came is a TypeError, as with fetch', async () => {
    const { request, answer } = setup();
    request.onerror?.();
    await expect(answer).rejects.toBeInstanceOf(TypeError);
  });

  test('that breaks off is an error of its body', async () => {
    const { request, answer } = setup();
    request.begin();
    const reader = (await answer).body.getReader();
    request.dispatchEvent(new Event('error'));
    await expect(reader.read()).rejects.toThrow('The connection was lost.');
  });

  // Fails when the status 0 of a request that failed counts as an answer.
  test('isn’t taken from a request that failed', async () => {
    const { request, answer } = setup();
    request.begin(0);
    request.onerror?.();
    await expect(answer).rejects.toThrow('The connection failed.');
  });
});

describe('a signal', () => {
  // Fails when the request is sent before the signal is looked at.
  test('that was aborted before sends nothing', async () => {
    const { request, answer } = setup({ signal: AbortSignal.abort(new Error('closed')) });
    await expect(answer).rejects.toThrow('closed');
    expect(request.sent.form).toBeUndefined();
  });

  test('ends the upload with its reason', async () => {
    const ending = new AbortController();
    const { answer } = setup({ signal: ending.signal });
    ending.abort(new Error('canceled'));
    await expect(answer).rejects.toThrow('canceled');
  });

  // Fails when a reader that goes away leaves the request open.
  test('isn’t needed to end an answer that nobody reads', async () => {
    const { request, answer } = setup();
    request.begin();
    const abort = vi.spyOn(request, 'abort').mockImplementation(() => {});
    await (await answer).body.cancel();
    expect(abort).toHaveBeenCalledOnce();
  });
});
