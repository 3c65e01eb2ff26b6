import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:http2';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { deployed } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { needs } from '../harness/needs.ts';
import { probe } from '../harness/project-files.ts';
import { openRawConnection } from '../harness/raw-connection.ts';
import { hostOf, request } from '../harness/request.ts';
import { useBerth } from '../harness/use-berth.ts';

const berth = useBerth();

async function probeService(): Promise<string> {
  const name = uniqueName('probe');
  await deployed(berth, name, { files: probe() });
  return name;
}

/** Resident memory of the server, in bytes. Source: proc_pid_status(5). */
function residentBytes(): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${berth.pid}/status`, 'utf8'))?.[1]) * 1_024;
}

describe('a client', () => {
  it('may speak HTTP/2 without TLS, many requests over one connection', async () => {
    const name = await probeService();
    const session = connect(`http://127.0.0.1:${berth.port}`);
    const ask = async (path: string, body = '') => {
      const stream = session.request({
        ':method': body ? 'POST' : 'GET',
        ':path': path,
        ':authority': hostOf(berth, name),
      });
      stream.end(body);
      const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
      return { status: headers[':status'], text: await text(stream) };
    };
    const answers = await Promise.all(Array.from({ length: 20 }, (_value, index) => ask('/echo', `body ${index}`)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(JSON.parse(answers[7]?.text ?? '')).toMatchObject({ method: 'POST', body: 'body 7' });
    session.close();
    await once(session, 'close');
  });

  it('may reach the API over HTTP/2, too', async () => {
    const session = connect(`http://127.0.0.1:${berth.port}`);
    const stream = session.request({ ':path': '/v1/deployment/list', 'x-api-key': berth.key });
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
    expect(headers[':status']).toBe(200);
    expect(JSON.parse(await text(stream))).toBeInstanceOf(Array);
    session.close();
    await once(session, 'close');
  });

  it('that waits for leave to send its body gets it', async () => {
    const name = await probeService();
    using connection = await openRawConnection(berth.port);
    const host = hostOf(berth, name);
    await connection.send(`PUT /echo HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n`);
    await connection.receive(/^HTTP\/1\.1 100 /);
    await connection.send('hello');
    expect(await connection.receive(/"body":"hello"/)).toContain('HTTP/1.1 200');
  });

  it('that asks for HEAD gets no body, and may go on over the same connection', async () => {
    const name = await probeService();
    using connection = await openRawConnection(berth.port);
    await connection.send(`HEAD / HTTP/1.1\r\nHost: ${hostOf(berth, name)}\r\n\r\n`);
    const head = await connection.receive(/\r\n\r\n/);
    expect(head).toMatch(/^HTTP\/1\.1 200/);
    expect(head.endsWith('\r\n\r\n')).toBe(true);
    await connection.send(`GET /status?code=204 HTTP/1.1\r\nHost: ${hostOf(berth, name)}\r\n\r\n`);
    await connection.receive(/HTTP\/1\.1 204/);
  });
});

describe('a large body', () => {
  it('goes both ways whole, and through the server rather than into it', async (context) => {
    await needs(context, 'procfs');
    const name = await probeService();
    await request(berth, name);
    const before = residentBytes();
    const chunk = randomBytes(1_048_576);
    const [sent, received] = [createHash('sha256'), createHash('sha256')];
    const outgoing = httpRequest({
      host: '127.0.0.1',
      port: berth.port,
      path: '/mirror',
      method: 'POST',
      headers: { host: hostOf(berth, name) },
    });
    const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
    const sending = (async () => {
      for (let sentMebibytes = 0; sentMebibytes < 256; sentMebibytes++) {
        sent.update(chunk);
        if (!outgoing.write(chunk)) await once(outgoing, 'drain');
      }
      outgoing.end();
    })();
    const [incoming] = await answered;
    let highest = before;
    for await (const part of incoming) {
      received.update(part as Buffer);
      highest = Math.max(highest, residentBytes());
    }
    await sending;
    expect(received.digest('hex')).toBe(sent.digest('hex'));
    expect(highest - before).toBeLessThan(128 * 2 ** 20);
  });
});
