import { answerJson } from '@berth/client/testing';
import { beforeEach, expect, test } from 'vitest';
import { useBerth } from '../../testing/use-berth.ts';

const berth = useBerth();

const bodies: unknown[] = [];
const applied = {
  detail: 'The variables of "app" are set.',
  status: 'applied',
  deploy_id: 'dep_1',
  revision: 'app-2',
};
beforeEach(() => {
  bodies.length = 0;
  berth.server.on('POST /v1/env/set', async (exchange) => {
    bodies.push(await exchange.json());
    await answerJson(200, applied)(exchange);
  });
});

test('a change that the service does not start with is a failure', async () => {
  const failed = {
    detail: 'Not applied: it exited with code 1.',
    status: 'failed',
    deploy_id: 'dep_1',
    revision: null,
  };
  berth.server.on('POST /v1/env/set', answerJson(200, failed));
  expect(await berth.run(['env', 'set', 'app', 'A=1'])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('it exited'),
  });
  const json = await berth.run(['env', 'set', 'app', 'A=1', '--json']);
  expect(json).toMatchObject({ code: 1, stderr: '' });
  expect(JSON.parse(json.stdout)).toEqual(failed);
});

test('set takes pairs, a file, and standard input', async () => {
  await berth.home.write({ '.env': '# comment\nA=1\nexport B="two words"\nC=\'x#y\'\n' });
  await berth.run(['env', 'set', 'app', 'K=a=b', 'EMPTY=']);
  const { stdout } = await berth.run(['env', 'set', 'app', '--from-file', '.env', 'A=9']);
  await berth.run(['env', 'set', 'app', '--from-file', '-'], 'Z=last\n');
  expect(bodies).toEqual([
    { deployment_name: 'app', set: { K: 'a=b', EMPTY: '' }, unset: [] },
    { deployment_name: 'app', set: { A: '9', B: 'two words', C: 'x#y' }, unset: [] },
    { deployment_name: 'app', set: { Z: 'last' }, unset: [] },
  ]);
  expect(stdout).not.toContain('two words');
});

test('rm takes several', async () => {
  await berth.run(['env', 'rm', 'app', 'A', 'B', '-y']);
  expect(bodies).toEqual([{ deployment_name: 'app', set: {}, unset: ['A', 'B'] }]);
});
