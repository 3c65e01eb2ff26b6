import { Agent } from 'node:http';
import { describe, expect, it } from 'vitest';
import { verifies } from '../conformance/verifies.ts';
import { deployed } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { greeter, nodeProject, probe } from '../harness/project-files.ts';
import { openRawConnection } from '../harness/raw-connection.ts';
import { hostOf, request } from '../harness/request.ts';
import { useBerth } from '../harness/use-berth.ts';
import { waitFor } from '../harness/wait-for.ts';
import { openServiceSocket } from '../harness/web-socket.ts';

const berth = useBerth({ env: { BERTH_IDLE_TIMEOUT: '2' } });

async function probeService(fields: Record<string, string> = {}): Promise<string> {
  const name = uniqueName('probe');
  await deployed(berth, name, { files: probe(), fields });
  return name;
}

describe('an address', () => {
  it('that nobody has is 404 with a plain page', async () => {
    verifies('address.unknown-host');
    for (const name of ['nobody', 'a.b', 'www']) {
      const answer = await request(berth, name);
      expect(answer.status).toBe(404);
      expect(answer.headers['content-type']).toMatch(/^text\//);
    }
  });

  it('takes the host in any case, with a dot at its end, and with any port', async () => {
    const name = uniqueName('host');
    await deployed(berth, name, { files: greeter('found') });
    for (const host of [`${name.toUpperCase()}.LocalHost`, `${name}.localhost.`, `${name}.localhost:1`]) {
      expect((await request(berth, name, '/', { headers: { host } })).text).toBe('found');
    }
  });

  it('of a cold service starts it, and the request waits', async () => {
    verifies('address.cold');
    const name = await probeService();
    const first = (await request(berth, name)).json<{ startedAt: string }>();
    await waitFor('it has stopped', async () => {
      const row = await (await berth.api(`/v1/deployment/${name}`)).json();
      expect(row).toMatchObject({ status: 'ready' });
      return (row as { instances: number }).instances === 0;
    });
    const answers = await Promise.all(Array.from({ length: 20 }, () => request(berth, name)));
    expect(answers.map((answer) => answer.status)).toEqual(Array(20).fill(200));
    expect(answers[0]?.json<{ startedAt: string }>().startedAt).not.toBe(first.startedAt);
  });
});

describe('a request', () => {
  it('arrives as it was sent, with the forwarding headers set', async () => {
    const name = await probeService();
    const answer = await request(berth, name, '/echo?a=1&b=%2F%20', {
      method: 'PUT',
      headers: { 'X-Custom': 'kept', 'X-Forwarded-For': '10.9.8.7', Connection: 'X-Hop', 'X-Hop': 'dropped' },
      body: 'the body',
    });
    const seen = answer.json<{ method: string; url: string; headers: string[]; body: string }>();
    expect(seen).toMatchObject({ method: 'PUT', url: '/echo?a=1&b=%2F%20', body: 'the body' });
    const headers = new Map(
      seen.headers.flatMap((value, index, all) => (index % 2 ? [] : [[value.toLowerCase(), all[index + 1] ?? '']])),
    );
    expect(headers.get('x-custom')).toBe('kept');
    expect(headers.has('x-hop')).toBe(false);
    expect(headers.get('host')).toBe(hostOf(berth, name));
    expect(headers.get('x-forwarded-for')).toMatch(/127\.0\.0\.1$/);
    expect(headers.get('x-forwarded-proto')).toBe('http');
    expect(headers.get('traceparent')).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/);
  });

  it('streams both ways at once', async () => {
    const name = await probeService();
    using connection = await openRawConnection(berth.port);
    await connection.send(
      `POST /mirror HTTP/1.1\r\nHost: ${hostOf(berth, name)}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    for (const word of ['first', 'second', 'third']) {
      await connection.send(`${word.length.toString(16)}\r\n${word}\r\n`);
      await connection.receive(new RegExp(word));
    }
    await connection.send('0\r\n\r\n');
    expect(await connection.receive(/\r\n0\r\n\r\n$/)).toMatch(/^HTTP\/1\.1 200/);
  });

  it('over its timeout is 504, and the service lives', async () => {
    verifies('form.timeout');
    const name = await probeService({ timeout: '1' });
    const { instance } = (await request(berth, name)).json<{ instance: string }>();
    const before = performance.now();
    const late = await request(berth, name, '/sleep?ms=8000');
    expect(late.status).toBe(504);
    expect(performance.now() - before).toBeLessThan(4_000);
    expect((await request(berth, name)).json<{ instance: string }>().instance).toBe(instance);
  });

  it('over its timeout after the answer began is cut off', async () => {
    const name = await probeService({ timeout: '1' });
    await expect(request(berth, name, '/headers-then-hang')).rejects.toThrow(/aborted|hang up|reset/i);
  });

  it('with an ambiguous length reaches no service', async () => {
    const name = await probeService();
    const before = (await request(berth, name)).json<{ served: number }>().served;
    const attacks = [
      `POST / HTTP/1.1\r\nHost: ${hostOf(berth, name)}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      `POST / HTTP/1.1\r\nHost: ${hostOf(berth, name)}\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcde`,
      `GET / HTTP/1.1\r\nHost: ${hostOf(berth, name)}\r\nX-A: b\r\n folded\r\n\r\n`,
      `GET / HTTP/1.1\nHost: ${hostOf(berth, name)}\n\n`,
      `GET / HTTP/1.1\r\nHost: ${hostOf(berth, name)}\r\nHost: other.localhost\r\n\r\n`,
      'GET / HTTP/1.1\r\n\r\n',
    ];
    for (const attack of attacks) {
      using connection = await openRawConnection(berth.port);
      await connection.send(attack);
      expect([attack, await connection.receive(/\r\n\r\n/)]).toEqual([
        attack,
        expect.stringMatching(/^HTTP\/1\.1 4\d\d/),
      ]);
    }
    expect((await request(berth, name)).json<{ served: number }>().served).toBe(before + 1);
  });

  it('with headers or an address too large is 431 or 414', async () => {
    const name = await probeService();
    const large = await request(berth, name, '/', { headers: { 'X-Large': 'x'.repeat(300_000) } }).catch(
      () => undefined,
    );
    if (large) expect(large.status).toBe(431);
    expect((await request(berth, name)).status).toBe(200);
  });
});

describe('a stream', () => {
  it('of server-sent events comes unbuffered', async () => {
    const name = await probeService();
    using connection = await openRawConnection(berth.port);
    await connection.send(`GET /events?count=5&ms=400 HTTP/1.1\r\nHost: ${hostOf(berth, name)}\r\n\r\n`);
    await connection.receive(/id: 1\n/);
    const before = performance.now();
    await connection.receive(/id: 4\n/);
    expect(performance.now() - before).toBeGreaterThan(700);
  });

  it('over a WebSocket goes both ways, and is not idle while it is open', async () => {
    const name = await probeService();
    const { startedAt } = (await request(berth, name)).json<{ startedAt: string }>();
    using socket = await openServiceSocket(berth, name);
    for (const word of ['one', 'two']) {
      await socket.send(word);
      expect(await socket.next()).toEqual({ text: word });
    }
    // Twice the idle timeout: with the socket counted as a request, the instance is still the same one.
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    await socket.send('three');
    expect(await socket.next()).toEqual({ text: 'three' });
    expect((await request(berth, name)).json<{ startedAt: string }>().startedAt).toBe(startedAt);
  });

  it('to a service without WebSockets is answered as the service answers', async () => {
    const name = uniqueName('plain');
    await deployed(berth, name, { files: greeter('no sockets here') });
    await expect(openServiceSocket(berth, name)).rejects.toThrow(/HTTP\/1\.1 [2-5]\d\d/);
  });
});

describe('concurrency', () => {
  it('bounds what one instance serves at once', async () => {
    verifies('form.concurrency', 'form.max-instances');
    const name = await probeService({ concurrency: '3', max_instances: '1' });
    const answers = await Promise.all(Array.from({ length: 12 }, () => request(berth, name, '/sleep?ms=200')));
    expect(answers.map((answer) => answer.status)).toEqual(Array(12).fill(200));
    expect((await request(berth, name, '/peak')).json<{ peakInFlight: number }>().peakInFlight).toBe(3);
  });

  it('of one gives each call an instance of its own, up to max_instances', async () => {
    verifies('form.max-instances');
    const name = await probeService({ concurrency: '1', max_instances: '2' });
    const agent = new Agent({ maxSockets: 10 });
    await Promise.all(Array.from({ length: 8 }, () => request(berth, name, '/sleep?ms=700', { agent })));
    const row = (await (await berth.api(`/v1/deployment/${name}`)).json()) as { instances: number };
    expect(row.instances).toBe(2);
  });

  it('beyond the queue is 429 with Retry-After', async () => {
    verifies('error.retry-after');
    const name = await probeService({ concurrency: '1', max_instances: '1' });
    const answers = await Promise.all(Array.from({ length: 40 }, () => request(berth, name, '/sleep?ms=250')));
    const refused = answers.filter((answer) => answer.status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(answers.filter((answer) => answer.status === 200).length).toBeGreaterThanOrEqual(10);
    expect(answers.filter((answer) => ![200, 429].includes(answer.status))).toEqual([]);
    for (const answer of refused) expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('is freed by a client that goes away', async () => {
    const name = await probeService({ concurrency: '1', max_instances: '1' });
    const abort = new AbortController();
    const gone = request(berth, name, '/sleep?ms=1500', { signal: abort.signal });
    setTimeout(() => abort.abort(), 200);
    await expect(gone).rejects.toThrow();
    expect((await request(berth, name)).status).toBe(200);
  });
});

describe('session affinity', () => {
  it('brings a client back to its instance', async () => {
    verifies('form.booleans');
    // Two: over several gateway processes the slot of an answer may be free a moment after its client has it.
    const name = await probeService({ concurrency: '2', max_instances: '3', session_affinity: 'true' });
    const load = Promise.all(Array.from({ length: 6 }, () => request(berth, name, '/sleep?ms=1200')));
    await load;
    const first = await request(berth, name);
    const cookie = String(first.headers['set-cookie']?.[0]).split(';')[0] as string;
    expect(first.headers['set-cookie']?.[0]).toMatch(/HttpOnly/i);
    const { instance } = first.json<{ instance: string }>();
    for (let i = 0; i < 5; i++) {
      const answer = await request(berth, name, '/', { headers: { cookie } });
      expect(answer.json<{ instance: string }>().instance).toBe(instance);
    }
  });
});

describe('use_http2', () => {
  it('speaks h2c to the service', async () => {
    verifies('form.http2');
    const name = uniqueName('h2c');
    const source = `import { createServer } from 'node:http2';
      createServer((request, response) => response.end('HTTP/' + request.httpVersion)).listen(process.env.PORT, '0.0.0.0');`;
    await deployed(berth, name, { files: nodeProject(source), fields: { use_http2: 'true' } });
    expect((await request(berth, name)).text).toBe('HTTP/2.0');
  });
});
