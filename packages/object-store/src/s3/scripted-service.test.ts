import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ObjectStore } from '../object-store.ts';
import { createS3ObjectStore } from './create-s3-object-store.ts';

const PLACE = { account: 'acc_1', storageId: 'vol_1' };

interface Kept {
  readonly etag: string;
  readonly content: string;
}

/** The bucket's objects by key, e.g. `acc_1/vol_1/a`. */
const objects = new Map<string, Kept>();
/** Requests that change something, e.g. `PUT acc_1/vol_1/a`. */
const changes: string[] = [];
/** Called before a request is answered; a status that it returns is the answer. */
let intercept: (request: string) => number | undefined = () => undefined;
/** Called after a request was carried out, before it is answered. */
let afterwards: (request: string) => void = () => {};

let store: ObjectStore;
const server = createServer((request, response) => {
  void answer(request, response).catch((error: unknown) => response.destroy(error as Error));
});

/** As much of S3 as the driver uses, without checking signatures. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '', 'http://s3');
  const key = decodeURIComponent(url.pathname.slice('/bucket/'.length));
  const { method = '' } = request;
  const what = `${method} ${key}`;
  const body = await buffer(request);
  const send = (status: number, xml = '', headers: Record<string, string> = {}) => {
    response.writeHead(status, { 'content-type': 'application/xml', ...headers }).end(xml);
  };
  const status = intercept(what);
  if (status !== undefined) return send(status, `<Error><Code>Code${status}</Code></Error>`);
  const done = (...given: Parameters<typeof send>) => {
    afterwards(what);
    send(...given);
  };
  const kept = objects.get(key);
  if (method === 'GET' && key === '') return done(200, listing(url.searchParams));
  if (method === 'POST') {
    changes.push(what);
    for (const [, gone = ''] of body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)) objects.delete(gone);
    return done(200, '<DeleteResult/>');
  }
  if (method === 'HEAD' || method === 'GET') {
    if (!kept) return send(404);
    if (request.headers['if-match'] && request.headers['if-match'] !== kept.etag) return send(412, '<Error/>');
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    const part = first === undefined ? kept.content : kept.content.slice(Number(first), Number(last) + 1);
    const headers = { etag: kept.etag, 'content-length': String(part.length), 'content-type': 'text/plain' };
    return done(first === undefined ? 200 : 206, method === 'GET' ? part : '', headers);
  }
  changes.push(what);
  if (method === 'DELETE') {
    objects.delete(key);
    return done(204);
  }
  if (request.headers['if-none-match'] === '*' && kept) return send(412, '<Error/>');
  const source = request.headers['x-amz-copy-source'];
  const copied = source === undefined ? undefined : objects.get(decodeURIComponent(String(source)).slice(7));
  if (source !== undefined && copied?.etag !== request.headers['x-amz-copy-source-if-match'])
    return send(412, '<Error/>');
  const made = copied ?? { etag: `"${changes.length}"`, content: body.toString() };
  objects.set(key, made);
  done(200, copied ? `<CopyObjectResult><ETag>${made.etag}</ETag></CopyObjectResult>` : '', { etag: made.etag });
}

function listing(query: URLSearchParams): string {
  const after = query.get('start-after') ?? '';
  const found = [...objects.keys()].sort().filter((key) => key.startsWith(query.get('prefix') ?? '') && key > after);
  const page = found.slice(0, Number(query.get('max-keys') ?? 1_000));
  const rows = page.map(
    (key) => `<Contents><Key>${key}</Key><Size>${objects.get(key)?.content.length}</Size></Contents>`,
  );
  return `<ListBucketResult><IsTruncated>${found.length > page.length}</IsTruncated>${rows.join('')}</ListBucketResult>`;
}

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  store = createS3ObjectStore({ bucket: 'bucket', region: 'us-east-1', endpoint, credentials });
});
afterAll(async () => {
  await store.close();
  server.close();
});
beforeEach(() => {
  objects.clear();
  changes.length = 0;
  intercept = () => undefined;
  afterwards = () => {};
});

const keyOf = (path: string) => `acc_1/vol_1/${path}`;
const keep = (path: string, content: string, etag = `"${content}"`) => void objects.set(keyOf(path), { etag, content });
const contents = () =>
  Object.fromEntries([...objects].map(([key, { content }]) => [key.slice('acc_1/vol_1/'.length), content]));

describe('a move, which this store makes of a copy and a deletion', () => {
  // Fails when the deletion doesn't look at what it deletes: an upload to the old path would be lost.
  test('keeps what is stored at the old path meanwhile', async () => {
    keep('from', 'old');
    afterwards = (request) => {
      if (request === `PUT ${keyOf('to')}`) keep('from', 'newer');
    };
    expect((await store.move(PLACE, 'from', 'to')).object).toMatchObject({ path: 'to', etag: '"old"' });
    expect(contents()).toEqual({ from: 'newer', to: 'old' });
  });

  // Fails when the copy is of whatever is there by then: half of one object and the tag of another.
  test('copies nothing when the object changes before the copy, and deletes nothing', async () => {
    keep('from', 'old');
    let heads = 0;
    afterwards = (request) => {
      if (request === `HEAD ${keyOf('from')}` && ++heads === 1) keep('from', 'newer');
    };
    await expect(store.move(PLACE, 'from', 'to')).rejects.toMatchObject({ code: 'precondition_failed' });
    expect(contents()).toEqual({ from: 'newer' });
  });

  // Fails when an interrupted move is taken for a collision, or is copied again.
  test('that was interrupted is completed by the same move', async () => {
    keep('from', 'same');
    keep('to', 'same');
    const moved = await store.move(PLACE, 'from', 'to', { isAbsent: true });
    expect([moved.replacedBytes, contents(), changes]).toEqual([
      undefined,
      { to: 'same' },
      [`DELETE ${keyOf('from')}`],
    ]);
  });

  // Fails when the condition is checked after the deletion, or not by the store itself.
  test('onto another object is refused where it must not replace one, also when that comes in between', async () => {
    keep('from', 'mine');
    keep('to', 'theirs');
    const refused = { code: 'precondition_failed' };
    await expect(store.move(PLACE, 'from', 'to', { isAbsent: true })).rejects.toMatchObject(refused);
    objects.delete(keyOf('to'));
    let heads = 0;
    afterwards = (request) => {
      // The driver looks twice before it copies.
      if (request === `HEAD ${keyOf('from')}`) heads++;
    };
    intercept = (request) => {
      if (request === `PUT ${keyOf('to')}`) keep('to', 'theirs');
      return undefined;
    };
    await expect(store.move(PLACE, 'from', 'to', { isAbsent: true })).rejects.toMatchObject(refused);
    expect([heads, contents()]).toEqual([1, { from: 'mine', to: 'theirs' }]);
  });

  test('that the service refuses leaves the object where it is', async () => {
    keep('from', 'old');
    intercept = (request) => (request.startsWith('PUT') ? 403 : undefined);
    await expect(store.move(PLACE, 'from', 'to')).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('answered 403'),
    });
    await expect(store.move(PLACE, 'nowhere', 'to')).rejects.toMatchObject({ code: 'not_found' });
    expect(contents()).toEqual({ from: 'old' });
  });
});

describe('a put', () => {
  // Fails when a body that breaks off is stored as far as it came.
  test('stores nothing of a body that breaks off or is not what was announced', async () => {
    keep('a', 'before');
    const broken = Readable.from(
      (async function* () {
        yield Buffer.from('half');
        throw new Error('the client went away');
      })(),
    );
    await expect(store.put(PLACE, 'a', broken)).rejects.toThrow('the client went away');
    for (const sizeBytes of [3, 5]) {
      const body = Readable.from([Buffer.from('four')]);
      await expect(store.put(PLACE, 'a', body, { sizeBytes })).rejects.toMatchObject({ code: 'bad_request' });
    }
    expect([contents(), changes]).toEqual([{ a: 'before' }, []]);
  });

  // Fails when a full or refusing service looks like a fault of the request.
  test.each([
    [507, 'insufficient_storage'],
    [412, 'precondition_failed'],
    [409, 'precondition_failed'],
    [403, 'unavailable'],
  ])('that is answered with %i is %s', async (status, code) => {
    intercept = (request) => (request.startsWith('PUT') ? status : undefined);
    await expect(store.put(PLACE, 'a', Readable.from([Buffer.from('x')]))).rejects.toMatchObject({ code });
    expect(contents()).toEqual({});
  });

  // Fails when a deletion right after the upload is reported as success with made-up values.
  test('whose object is gone when it is looked at says so', async () => {
    afterwards = (request) => {
      if (request.startsWith('PUT')) objects.clear();
    };
    await expect(store.put(PLACE, 'a', Readable.from([Buffer.from('x')]))).rejects.toMatchObject({
      code: 'unavailable',
    });
  });
});

// Fails when reads are not bound to the version that was opened: a download would be of two objects.
test('an open object is read in one version or not at all', async () => {
  keep('a', '0123456789');
  await using open = await store.open(PLACE, 'a');
  expect(open && (await text(open.read({ first: 2, last: 4 })))).toBe('234');
  keep('a', 'other');
  await expect(open && text(open.read())).rejects.toMatchObject({ code: 'precondition_failed' });
});

// Fails when only the first thousand are counted or removed, or a volume whose name begins alike is touched.
test('a volume is measured and removed whole, and no other', async () => {
  for (let n = 0; n < 2_001; n++) keep(`o-${n}`, 'xx');
  for (const other of ['acc_1/vol_10/a', 'acc_1/vol_2/a', 'acc_10/vol_1/a'])
    objects.set(other, { etag: '"o"', content: 'x' });
  expect(await store.measure(PLACE)).toEqual({ sizeBytes: 4_002, objectCount: 2_001 });
  await store.removeVolume(PLACE);
  expect([...objects.keys()]).toEqual(['acc_1/vol_10/a', 'acc_1/vol_2/a', 'acc_10/vol_1/a']);
  expect(await store.measure(PLACE)).toEqual({ sizeBytes: 0, objectCount: 0 });
  const signal = AbortSignal.abort(new Error('gone'));
  await expect(store.measure(PLACE, { signal })).rejects.toThrow('gone');
});
