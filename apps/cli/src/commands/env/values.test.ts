import { answerJson, createScriptedServer, type ScriptedServer } from '@berth/client/testing';
import { beforeEach, expect, test } from 'vitest';
import { type InProcessOptions, runInProcess } from '../../testing/run-in-process.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../testing/temporary-folder.ts';

let server: ScriptedServer;
let home: TemporaryFolder;
let bodies: { set: Record<string, string>; unset: string[] }[];
const applied = { detail: 'Set.', status: 'applied', deploy_id: 'dep_1', revision: 'app-2' };
beforeEach(async () => {
  home = await createTemporaryFolder();
  server = await createScriptedServer();
  bodies = [];
  answer(applied);
  return async () => {
    await server.close();
    await home[Symbol.asyncDispose]();
  };
});

function answer(outcome: object): void {
  server.on('POST /v1/env/set', async (exchange) => {
    bodies.push((await exchange.json()) as (typeof bodies)[number]);
    await answerJson(200, outcome)(exchange);
  });
}
const run = (words: readonly string[], options: InProcessOptions = {}) =>
  runInProcess(server, ['env', ...words], { home: home.path, ...options });

test('a value that is asked for is sent, and shown nowhere', async () => {
  const asked: string[] = [];
  const secret = async (question: string) => {
    asked.push(question);
    return ' s3cret = value ';
  };
  const { code, stdout, stderr } = await run(['set', 'app', 'TOKEN', 'REGION=eu'], { prompts: { secret } });
  expect([code, asked]).toEqual([0, ['Value of TOKEN']]);
  // Fails when the value is trimmed: blanks may be part of a secret.
  expect(bodies).toEqual([{ deployment_name: 'app', set: { TOKEN: ' s3cret = value ', REGION: 'eu' }, unset: [] }]);
  expect(stdout + stderr).not.toContain('s3cret');
  expect(stderr).toContain('Updating TOKEN, REGION of app');
});

test('a file keeps what quotes and lines mean, with the ends and the mark of Windows', async () => {
  await home.write({
    '.env':
      '\uFEFFFIRST=1\r\n# TOKEN=no\r\n\r\nQUOTED="two\nlines"\r\nHASH=\'a#b\'\r\nEMPTY=\r\nURL=postgres://a:b@c/d?e=f\r\n',
  });
  await run(['set', 'app', '--from-file', '.env']);
  // Fails when the mark becomes part of the first name, which the server would refuse.
  expect(bodies[0]?.set).toEqual({
    ...{ FIRST: '1', QUOTED: 'two\nlines', HASH: 'a#b', EMPTY: '', URL: 'postgres://a:b@c/d?e=f' },
  });
});

// Fails when a name is checked after the request, or its text is repeated: it may be a secret without its name.
test.each(['1A=x', 'A-B=x', 'A B=x', '=x', 'ü=x', 's3cret!'])(
  '%j is no variable, and is not repeated',
  async (word) => {
    const { code, stderr } = await run(['set', 'app', 'GOOD=1', word]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('Write variables as KEY=VALUE')]);
    expect(stderr).not.toContain(word);
    expect(server.requests).toEqual([]);
  },
);

test('a file that is not there, or has nothing in it, changes nothing', async () => {
  await home.write({ empty: '# nothing\n' });
  expect((await run(['set', 'app', '--from-file', 'missing'])).code).toBe(1);
  const empty = await run(['set', 'app', '--from-file', 'empty']);
  expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining('Nothing to set.')]);
  expect(server.requests).toEqual([]);
});

test('a change that is still being applied says how to follow it', async () => {
  answer({ ...applied, status: 'applying', detail: 'It is still starting.' });
  const { code, stdout, stderr } = await run(['set', 'app', 'A=1']);
  expect([code, stdout]).toEqual([0, 'It is still starting.\n']);
  expect(stderr).toContain('`berth follow dep_1` follows it.');
});

test('a variable is removed after a yes alone', async () => {
  const remove = (yes: boolean) => run(['rm', 'app', 'A', 'B'], { prompts: { confirm: async () => yes } });
  const kept = await remove(false);
  expect([kept.code, kept.stderr, bodies]).toEqual([1, expect.stringContaining("can't be recovered"), []]);
  expect(await remove(true)).toMatchObject({ code: 0 });
  expect(bodies).toEqual([{ deployment_name: 'app', set: {}, unset: ['A', 'B'] }]);
});
