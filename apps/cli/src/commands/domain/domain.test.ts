import { answerJson } from '@berth/client/testing';
import type { Domain } from '@berth/contract';
import { expect, test } from 'vitest';
import { useBerth } from '../../testing/use-berth.ts';

const berth = useBerth();

const pending: Domain = {
  domain: 'shop.example.com',
  deployment_name: 'app',
  status: 'pending',
  target: 'app.apps.example',
  proof: {
    txt: { name: '_berth.shop.example.com', value: 'berth-domain-proof=abc' },
    http: { url: 'http://shop.example.com/.well-known/berth-domain/t0k3n', body: 'berth-domain-proof=abc' },
  },
  created_at: '2026-01-01T00:00:00.000Z',
  verified_at: null,
};
const active: Domain = { ...pending, status: 'active', verified_at: '2026-01-02T00:00:00.000Z' };
const problems = [
  { method: 'txt', message: '_berth.shop.example.com has no TXT record.' },
  { method: 'http', message: 'shop.example.com has no address.' },
];

test('add prints what has to be set, and the command that comes after', async () => {
  const bodies: unknown[] = [];
  berth.server.on('POST /v1/domain/add', async (exchange) => {
    bodies.push(await exchange.json());
    await answerJson(200, pending)(exchange);
  });
  const { code, stdout, stderr } = await berth.run(['domain', 'add', 'app', 'Shop.Example.com']);
  expect([code, bodies]).toEqual([0, [{ deployment_name: 'app', domain: 'Shop.Example.com' }]]);
  expect(stdout).toMatch(/_berth\.shop\.example\.com\n.*berth-domain-proof=abc/);
  expect(stdout).toContain('shop.example.com to app.apps.example');
  expect(stdout).toContain(pending.proof.http.url);
  expect(stderr).toContain('berth domain verify shop.example.com');
  expect(JSON.parse((await berth.run(['domain', 'add', 'app', 'x', '--json'])).stdout)).toEqual(pending);
});

test('add of a proven one says that it leads there', async () => {
  berth.server.on('POST /v1/domain/add', answerJson(200, active));
  expect((await berth.run(['domain', 'add', 'app', 'shop.example.com'])).stdout).toBe(
    'shop.example.com leads to app.\n',
  );
});

test('verify is a failure while the proof is not there, and says what was found', async () => {
  berth.server.on('POST /v1/domain/verify', answerJson(200, { ...pending, problems }));
  const waiting = await berth.run(['domain', 'verify', 'shop.example.com']);
  expect(waiting).toMatchObject({ code: 1, stdout: '' });
  for (const { message } of problems) expect(waiting.stderr).toContain(message);
  const json = await berth.run(['domain', 'verify', 'shop.example.com', '--json']);
  expect(json).toMatchObject({ code: 1, stderr: '' });
  expect(JSON.parse(json.stdout)).toEqual({ ...pending, problems });

  berth.server.on('POST /v1/domain/verify', answerJson(200, { ...active, problems: [] }));
  expect(await berth.run(['domain', 'verify', 'shop.example.com'])).toMatchObject({
    code: 0,
    stdout: 'shop.example.com leads to app.\n',
  });
});

test('ls lists all, or those of a deployment', async () => {
  berth.server.on('GET /v1/domain/list', answerJson(200, [active, { ...pending, domain: 'b.example.com' }]));
  const { stdout } = await berth.run(['domain', 'ls']);
  expect(stdout.split('\n').map((line) => line.split(/ {2,}/).slice(0, 3))).toEqual([
    ['DOMAIN', 'STATUS', 'DEPLOYMENT'],
    ['shop.example.com', 'active', 'app'],
    ['b.example.com', 'pending', 'app'],
    [''],
  ]);
  await berth.run(['domain', 'ls', 'my app']);
  expect(berth.server.requests.at(-1)).toBe('GET /v1/domain/list?name=my%20app');
  berth.server.on('GET /v1/domain/list', answerJson(200, []));
  expect((await berth.run(['domain', 'ls'])).stderr).toContain('berth domain add');
});

test('rm gives one up; one that belongs to another account says so', async () => {
  const bodies: unknown[] = [];
  berth.server.on('POST /v1/domain/remove', async (exchange) => {
    bodies.push(await exchange.json());
    await answerJson(200, { detail: 'shop.example.com is removed.' })(exchange);
  });
  expect((await berth.run(['domain', 'rm', 'shop.example.com', '-y'])).stdout).toBe('shop.example.com is removed.\n');
  expect(bodies).toEqual([{ domain: 'shop.example.com' }]);
  berth.server.on('POST /v1/domain/remove', answerJson(403, { detail: 'It belongs to another account.' }));
  expect(await berth.run(['domain', 'rm', 'x.example.com', '-y'])).toMatchObject({
    code: expect.any(Number),
    stderr: expect.stringContaining('another account'),
  });
});
