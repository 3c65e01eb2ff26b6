import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { answerJson, createScriptedClock, createScriptedServer, type ScriptedServer } from '@berth/client/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { berthCommands } from '../commands/index.ts';
import { runInProcess } from '../testing/run-in-process.ts';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { SCRIPTS } from './scripts.ts';
import { suggest } from './suggest.ts';

describe('what fits at the end of a line', () => {
  const words = (...line: string[]) => suggest(berthCommands, line).words;

  test('comes from the table of commands', () => {
    expect(words('')).toEqual(berthCommands.commands.map(({ name }) => name));
    expect(words('env', '')).toEqual(['set', 'ls', 'pull', 'refresh', 'rm']);
    expect(words('admin', 'account', '')).toEqual(['create', 'plan']);
    expect(words('completion', '')).toEqual(['suggest', 'bash', 'zsh', 'fish']);
    expect(words('deploy', '-')).toEqual(expect.arrayContaining(['--json', '--memory', '--no-volume', '--help']));
    expect(words('status', 'app', '')).toEqual([]);
  });

  // Fails when the value of an option counts as the name, or a volume as a deployment.
  test.each([
    [['logs', ''], true],
    [['logs', '--limit', '5', ''], true],
    [['logs', '--limit', ''], false],
    [['logs', 'app', ''], false],
    [['rm', 'app', ''], true],
    [['deploy', '--name', ''], true],
    [['deploy', ''], false],
    [['volume', 'get', ''], false],
    [['env', 'set', ''], true],
    [['nonsense', ''], false],
  ])('%j takes a deployment: %s', (line, expected) => {
    expect(suggest(berthCommands, line).wantsDeployment).toBe(expected);
  });
});

describe('berth completion', () => {
  let server: ScriptedServer;
  beforeEach(async () => {
    server = await createScriptedServer({
      'GET /v1/deployment/list': answerJson(200, [{ name: 'shop' }, { name: 'api' }, { name: 'x;rm -rf $(pwd)' }]),
    });
    return () => server.close();
  });
  const run = (line: readonly string[], options = {}) =>
    runInProcess(server, ['completion', 'suggest', '--', ...line], options);

  test('asks the server for names', async () => {
    expect((await run(['logs', 's'])).stdout).toBe('shop\n');
    // Fails when a text of the server gets into the line of a shell.
    expect((await run(['logs', ''])).stdout).toBe('shop\napi\n');
    expect((await run(['stat'])).stdout).toBe('status\n');
  });

  test('is silent without a server or a key, and when the server is slow', async () => {
    expect(await run(['logs', ''], { key: null })).toMatchObject({ code: 0, stderr: '' });
    server.on('GET /v1/deployment/list', () => new Promise(() => {}));
    const clock = createScriptedClock();
    expect(await run(['logs', ''], { clock })).toMatchObject({ code: 0, stdout: '', stderr: '' });
    const away = { url: 'http://127.0.0.1:1' };
    expect(await runInProcess(away, ['completion', 'suggest', '--', 'logs', ''])).toMatchObject({
      code: 0,
      stdout: '',
    });
  });

  test('prints a script for each shell, and names them for another', async () => {
    for (const [shell, script] of Object.entries(SCRIPTS)) {
      expect((await runInProcess(server, ['completion', shell])).stdout).toBe(script);
    }
    const other = await runInProcess(server, ['completion', 'tcsh']);
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('bash, zsh, fish') });
  });
});

/** A `berth` that prints the words it was asked about, and two candidates. */
async function createFakeBerth() {
  const folder = await createTemporaryFolder();
  mkdirSync(`${folder.path}/bin`);
  const file = `${folder.path}/bin/berth`;
  writeFileSync(file, '#!/bin/sh\nshift 3\nprintf "%s|" "$@" > "$ASKED"\nprintf "shop\\nship yard\\n"\n');
  chmodSync(file, 0o755);
  return folder;
}

// Fails when a shell doesn't load its script, passes other words, or splits a candidate.
test.for([
  [
    'bash',
    `${SCRIPTS.bash}\nCOMP_WORDS=(berth logs s); COMP_CWORD=2; _berth; printf '%s\\n' "\${COMPREPLY[@]}"; complete -p berth`,
    'shop\nship yard\ncomplete -o default -F _berth berth\n',
  ],
  [
    'zsh',
    `${SCRIPTS.zsh}\ncompadd() { shift; printf '%s\\n' "$@" }\nwords=(berth logs s); CURRENT=3; _berth`,
    'shop\nship yard\n',
  ],
  ['fish', `${SCRIPTS.fish}\ncomplete -C 'berth logs s' | sort`, 'ship yard\nshop\n'],
] as const)('%s completes with its script', async ([shell, script, expected], { skip }) => {
  skip(spawnSync(shell, ['--version']).error !== undefined, `needs ${shell}`);
  await using folder = await createFakeBerth();
  const asked = `${folder.path}/asked`;
  const env = { ...process.env, PATH: `${folder.path}/bin:${process.env['PATH']}`, ASKED: asked, HOME: folder.path };
  const output = execFileSync(shell, ['-c', script], { env, cwd: `${folder.path}/bin`, encoding: 'utf8' });
  expect(output).toBe(expected);
  expect(execFileSync('cat', [asked], { encoding: 'utf8' })).toBe('logs|s|');
});
