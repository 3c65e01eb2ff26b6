import { expect, test } from 'vitest';
import type { Handler } from '../testing/index.ts';
import { answerJson, collect, createScriptedClock, createScriptedServer, deployEvent } from '../testing/index.ts';
import { createClient } from './client.ts';

const credential = { apiKey: 'key-0123456789' };
const request = { fields: { function_name: 'app', volumes: {} }, archive: new Blob(['archive']) };

/** Says `lines`, then breaks the connection. */
const breakAfter =
  (...lines: string[]): Handler =>
  async ({ request, response }) => {
    for await (const _ of request);
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.write(lines.join(''), () => response.destroy());
  };

/** Says `lines` and ends. */
const say =
  (...lines: string[]): Handler =>
  async ({ request, response }) => {
    for await (const _ of request);
    response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(lines.join(''));
  };

const connect = (baseUrl: string) => createClient({ baseUrl, credential, clock: createScriptedClock() });

test('the form and the archive arrive as they were given, and the events come back', async () => {
  await using server = await createScriptedServer();
  let form: FormData | undefined;
  server.on('POST /v1/deploy', async (exchange) => {
    form = await exchange.form();
    exchange.response.end(deployEvent(1, 'BUILDING', 'a') + deployEvent(2, 'DONE', '', { url: 'http://app' }));
  });
  const events = await collect(
    connect(server.url).deploy({
      fields: {
        function_name: 'app',
        port: 3000,
        session_affinity: true,
        volumes: { '/data': { name: 'v', read_only: true } },
        schedule: { cron: '* * * * *', timezone: 'UTC' },
      },
      archive: new Blob(['archive']),
    }),
  );
  expect(events.map((event) => event.status)).toEqual(['BUILDING', 'DONE']);
  const archive = form?.get('source_archive.0');
  expect(archive instanceof Blob && (await archive.text())).toBe('archive');
  form?.delete('source_archive.0');
  expect(Object.fromEntries(form ?? [])).toEqual({
    function_name: 'app',
    port: '3000',
    session_affinity: 'true',
    volumes: '{"/data":{"name":"v","read_only":true}}',
    schedule: '{"cron":"* * * * *","timezone":"UTC"}',
  });
});

test('heartbeats are not events; empty lines of a build are', async () => {
  const heartbeat = `${JSON.stringify({ status: 'BUILDING', message: '', time: '', deploy_id: 'dep_1' })}\n\n`;
  await using server = await createScriptedServer({
    'POST /v1/deploy': say(
      heartbeat,
      deployEvent(1, 'BUILDING', '', { log: true }),
      heartbeat,
      deployEvent(2, 'DONE', ''),
    ),
  });
  const events = await collect(connect(server.url).deploy(request));
  expect(events.map((event) => event.seq)).toEqual([1, 2]);
});

test('a stream that breaks is taken up where it stopped, with nothing twice and nothing lost', async () => {
  await using server = await createScriptedServer({
    'POST /v1/deploy': breakAfter(deployEvent(1, 'BUILDING', 'a'), deployEvent(2, 'BUILDING', 'b'), '{"status":"BUI'),
  });
  const answers = [
    say(),
    breakAfter(deployEvent(2, 'BUILDING', 'b'), deployEvent(3, 'DEPLOYING', 'c')),
    answerJson(503, { detail: 'Starting.' }),
    say(deployEvent(4, 'ERROR', 'it fails', { code: 'start_failed', logs: ['boom'] })),
  ];
  server.on('GET /v1/deploys/dep_1/events', (exchange) => answers.shift()?.(exchange));
  let reconnects = 0;
  const events = await collect(connect(server.url).deploy(request, { onReconnect: () => reconnects++ }));
  expect(events.map((event) => event.seq)).toEqual([1, 2, 3, 4]);
  expect(events.at(-1)).toMatchObject({ status: 'ERROR', code: 'start_failed', logs: ['boom'] });
  expect(server.requests.slice(1).map((line) => line.split('?')[1])).toEqual([
    'after=2',
    'after=2',
    'after=3',
    'after=3',
  ]);
  expect(reconnects).toBe(4);
});

test('a server that is gone for good is given up, naming the deploy', async () => {
  const server = await createScriptedServer({ 'POST /v1/deploy': breakAfter(deployEvent(1, 'BUILDING', 'a')) });
  const events = connect(server.url).deploy(request);
  expect((await events.next()).value?.seq).toBe(1);
  await server.close();
  await expect(events.next()).rejects.toThrow(/dep_1 may still be running/);
});

test('a stream that breaks before its first event is never sent again', async () => {
  await using server = await createScriptedServer({ 'POST /v1/deploy': breakAfter() });
  await expect(collect(connect(server.url).deploy(request))).rejects.toThrow(/may have started/);
  expect(server.requests).toHaveLength(1);
});

test('a deploy that is refused throws the server’s reasons and is not tried again', async () => {
  await using server = await createScriptedServer({
    'POST /v1/deploy': async ({ body, ...rest }) => {
      await body();
      await answerJson(422, { detail: [{ loc: ['body', 'port'], msg: 'too big', type: 'too_big' }] })({
        body,
        ...rest,
      });
    },
  });
  const failure = collect(connect(server.url).deploy(request));
  await expect(failure).rejects.toMatchObject({ code: 'invalid', message: 'port: too big' });
  expect(server.requests).toHaveLength(1);
});

test('an unknown deploy is an error at once, not something to wait for', async () => {
  await using server = await createScriptedServer({
    'GET /v1/deploys/*/events': answerJson(404, { detail: 'No such deploy.' }),
  });
  await expect(collect(connect(server.url).followDeploy('dep_9', { after: 5 }))).rejects.toThrow('No such deploy.');
  expect(server.requests).toEqual(['GET /v1/deploys/dep_9/events?after=5']);
});

test('what is not an event ends the stream with an error', async () => {
  await using server = await createScriptedServer({ 'POST /v1/deploy': say('{"status":"HELLO"}\n') });
  await expect(collect(connect(server.url).deploy(request))).rejects.toThrow(/not a deploy event/);
});

test('leaving the loop closes the connection', async () => {
  const { promise: isClosed, resolve } = Promise.withResolvers<void>();
  await using server = await createScriptedServer({
    'POST /v1/deploy': async ({ request, response }) => {
      for await (const _ of request);
      response.on('close', resolve);
      response.write(deployEvent(1, 'BUILDING', 'a'));
    },
  });
  for await (const event of connect(server.url).deploy(request)) {
    expect(event.seq).toBe(1);
    break;
  }
  await isClosed;
});

test('a rollback streams, and names the revision only when there is one', async () => {
  await using server = await createScriptedServer();
  const bodies: unknown[] = [];
  server.on('POST /v1/deployment/rollback', async (exchange) => {
    bodies.push(await exchange.json());
    exchange.response.end(deployEvent(1, 'DEPLOYING', 'x') + deployEvent(2, 'DONE', '', { revision: 'app-1' }));
  });
  const client = connect(server.url);
  expect((await collect(client.rollback('app'))).at(-1)?.revision).toBe('app-1');
  await collect(client.rollback('app', { revision: 'app-1' }));
  expect(bodies).toEqual([{ name: 'app' }, { name: 'app', revision: 'app-1' }]);
});

test('cancel asks for the deploy by its id', async () => {
  await using server = await createScriptedServer({ 'POST /v1/deploys/*/cancel': answerJson(200, { detail: 'ok' }) });
  await connect(server.url).post('/v1/deploys/{deploy_id}/cancel', { params: { path: { deploy_id: 'dep_1' } } });
  expect(server.requests).toEqual(['POST /v1/deploys/dep_1/cancel']);
});
