import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createFakeClock, createRecordingLogger, waitUntil } from '@berth/testkit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openTestAgent, type TestAgent } from '../testing/open-test-agent.ts';
import { checkSpeechOptions, createTranscriber } from './create-transcriber.ts';
import { recordingSeconds } from './recording-seconds.ts';
import { type RecordingName, recordingOf, wavOf } from './testing/recordings.ts';

const KEY = 'sk-canary-of-speech';
const asked: { url: string; authorization: string | undefined; form: FormData }[] = [];
const said = (response: ServerResponse) => response.end('{"text":" What was said. "}');
let answer: (response: ServerResponse) => unknown = said;
const lines: string[] = [];
let agent: TestAgent;

const service = createServer(async (request, response) => {
  const { url = '', headers } = request;
  const encoded = new Response(await buffer(request), { headers: { 'content-type': headers['content-type'] ?? '' } });
  asked.push({ url, authorization: headers.authorization, form: await encoded.formData() });
  answer(response);
});
const serviceUrl = () => `http://127.0.0.1:${(service.address() as AddressInfo).port}/v1/`;

beforeAll(async () => {
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
  const speech = { baseUrl: serviceUrl(), apiKey: KEY, model: 'small', maxSeconds: 5 };
  agent = await openTestAgent({ hasAuth: false, speech, logger: createRecordingLogger(lines) });
});
afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  service.closeAllConnections();
  service.close();
});
beforeEach(() => {
  asked.length = 0;
  answer = said;
});

async function post(recording: Buffer<ArrayBuffer>, name = 'speech.webm', type = 'audio/webm') {
  const form = new FormData();
  form.set('note', 'not a file');
  form.set('file', new Blob([recording], { type }), name);
  const response = await fetch(`${agent.url}/transcribe`, { method: 'POST', body: form });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

// Holds the agent to the contract: verifies('transcribe.text')
test.each<[RecordingName, string, string]>([
  ['wav', 'recording.wav', 'audio/wav'],
  ['mp3', 'recording.mp3', 'audio/mpeg'],
  ['m4a', 'recording.m4a', 'audio/mp4'],
  ['fragments', 'recording.m4a', 'audio/mp4'],
  ['ogg', 'recording.ogg', 'audio/ogg'],
  ['webm', 'recording.webm', 'audio/webm'],
  ['live', 'recording.webm', 'audio/webm'],
  ['flac', 'recording.flac', 'audio/flac'],
])('%s is sent on as what it is, whatever it is called', async (kind, name, type) => {
  const recording = recordingOf(kind);
  expect(await post(recording, '../../evil".exe', 'text/html')).toMatchObject({
    status: 200,
    body: { text: 'What was said.' },
  });
  const [{ url, authorization, form }] = asked as [(typeof asked)[0]];
  const file = form.get('file') as File;
  expect([url, authorization]).toEqual(['/v1/audio/transcriptions', `Bearer ${KEY}`]);
  expect([form.get('model'), form.get('response_format'), file.name, file.type]).toEqual(['small', 'json', name, type]);
  expect(Buffer.from(await file.arrayBuffer()).equals(recording)).toBe(true);
});

test('how long a recording is, where it says so', async () => {
  const seconds = (name: RecordingName, type: string) => recordingSeconds(recordingOf(name), type);
  expect(await seconds('wav', 'audio/wav')).toBe(1);
  expect(await seconds('mp3', 'audio/mpeg')).toBeCloseTo(1, 0);
  expect(await seconds('m4a', 'audio/mp4')).toBeCloseTo(1, 0);
  expect(await seconds('ogg', 'audio/ogg')).toBeCloseTo(1, 0);
  expect(await seconds('webm', 'audio/webm')).toBeCloseTo(1, 0);
  expect(await seconds('flac', 'audio/flac')).toBe(1);
  expect(await seconds('live', 'audio/webm')).toBeUndefined();
});

test('what is no recording, or too long a one, goes to nobody', async () => {
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  for (const [what, bytes] of [
    ['a picture', png],
    ['a page', Buffer.from('<html><script>alert(1)</script>')],
    ['another RIFF', Buffer.from('RIFF\0\0\0\0AVI LIST')],
    ['one byte', Buffer.from([0xff])],
  ] as const) {
    const { status, body } = await post(bytes, 'speech.wav', 'audio/wav');
    expect([what, status, body.detail]).toEqual([what, 415, expect.stringContaining('WAV, MP3, M4A')]);
  }
  const long = await post(wavOf(6), 'short.wav');
  expect([long.status, long.body.detail]).toEqual([413, 'The recording has 6 s; at most 5 s are accepted.']);
  expect((await post(wavOf(5))).status).toBe(200);
  expect(asked).toHaveLength(1);
});

test('a file that is made to be read for minutes is given up in time, and the agent goes on', async () => {
  const boxes = Buffer.alloc(20_000_000, Buffer.from([0, 0, 0, 8, 0x66, 0x72, 0x65, 0x65]));
  const bomb = Buffer.concat([recordingOf('m4a'), boxes]);
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  await recordingSeconds(bomb, 'audio/mp4');
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(3);
});

const html = { 'content-type': 'text/html' };
test.each<[string, number, Record<string, string>, string, number, string]>([
  ['a key it refuses', 401, {}, '{"error":"bad key sk-canary-of-speech"}', 503, "rejected this agent's key"],
  ['no permission', 403, {}, 'x', 503, "rejected this agent's key"],
  ['a model it has not', 404, {}, '{"error":"no model /srv/small"}', 503, 'failed'],
  ['a recording it cannot read', 400, {}, '{"error":"/tmp/x.webm: ffmpeg said no"}', 400, 'cannot read this recording'],
  ['too long a one', 413, {}, 'x', 413, 'too long for the speech service'],
  ['too many at once', 429, { 'retry-after': '7' }, 'x', 503, 'busy'],
  ['a fault', 500, {}, 'Traceback: /home/x', 503, 'failed'],
  ['a page of a proxy', 502, html, '<h1>Bad gateway 10.0.0.7</h1>', 503, 'failed'],
  ['a page instead of JSON', 200, html, '<h1>Log in</h1>', 503, 'failed'],
  ['JSON without a text', 200, {}, '{"text":5}', 503, 'failed'],
  ['a redirect', 307, { location: 'http://127.0.0.1:1/' }, '', 503, 'failed'],
])(
  'of %s the caller is told what to do, and nothing the service said',
  async (_what, status, headers, body, shown, why) => {
    answer = (response) => response.writeHead(status, headers).end(body);
    const answered = await post(recordingOf('wav'));
    expect([answered.status, answered.body.detail]).toEqual([shown, expect.stringContaining(why)]);
    expect(asked).toHaveLength(1);
    if (status === 429) expect(answered.headers.get('retry-after')).toBe('7');
    const all = JSON.stringify(answered.body) + lines.join('');
    for (const word of [KEY, 'Traceback', 'ffmpeg', '/srv', '10.0.0.7']) expect(all).not.toContain(word);
  },
);

test('a service that is gone or breaks off is said to be', async () => {
  answer = (response) => response.socket?.destroy();
  expect(await post(recordingOf('wav'))).toMatchObject({
    status: 503,
    body: { detail: expect.stringContaining('reached') },
  });
  await using gone = await openTestAgent({ hasAuth: false, speech: { baseUrl: 'http://127.0.0.1:1/v1' } });
  const form = new FormData();
  form.set('file', new Blob([recordingOf('wav')]), 'x');
  expect((await fetch(`${gone.url}/transcribe`, { method: 'POST', body: form })).status).toBe(503);
});

test('a service that never answers is left after five minutes', async () => {
  answer = () => {};
  const clock = createFakeClock();
  const logger = createRecordingLogger(lines);
  const transcriber = createTranscriber({ baseUrl: serviceUrl() }, clock);
  const asking = transcriber.transcribe(recordingOf('wav'), { logger, signal: new AbortController().signal });
  const failed = expect(asking).rejects.toThrow('does not respond');
  await waitUntil('it is asked', () => asked.length === 1);
  clock.advance(300_000);
  await failed;
});

test('that there is a voice is in the configuration, and nothing else about it', async () => {
  const config = await (await fetch(`${agent.url}/config`)).text();
  expect(JSON.parse(config)).toMatchObject({ voice: true });
  expect(config).not.toContain('canary');
});

test.each([[{}], [{ baseUrl: 'api.openai.com' }], [{ baseUrl: 'ftp://x' }], [{ baseUrl: 'http://x', maxSeconds: 0 }]])(
  '%j is refused when the agent is defined',
  (speech) => {
    expect(() => checkSpeechOptions(speech as { baseUrl: string })).toThrow('speech.');
  },
);
