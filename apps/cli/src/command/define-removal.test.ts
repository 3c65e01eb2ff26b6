import { answerJson, createScriptedServer, type Exchange, type ScriptedServer } from '@berth/client/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { runInProcess } from '../testing/run-in-process.ts';

let server: ScriptedServer;
let deleted: unknown[];
beforeEach(async () => {
  deleted = [];
  server = await createScriptedServer({
    'GET /v1/volume/list': answerJson(200, [
      { name: 'a', object_count: 1, size_bytes: 2_048 },
      { name: 'b\u001b[2J', object_count: 0, size_bytes: 0 },
    ]),
    'POST /v1/volume/delete': async (exchange: Exchange) => {
      const { name } = await exchange.json();
      if (name === 'stuck') return answerJson(409, { detail: 'A deployment has it mounted.' })(exchange);
      deleted.push(name);
      await answerJson(200, { detail: `Deleted ${name}.` })(exchange);
    },
  });
  return () => server.close();
});

const remove = (...words: string[]) => runInProcess(server, ['volume', 'delete', ...words]);

describe('a removal', () => {
  test('says all that goes before it asks, and asks once for all of it', async () => {
    const asked: string[] = [];
    const confirm = async (question: string) => asked.push(question) > 0;
    const { stdout, stderr } = await runInProcess(server, ['volume', 'delete', 'a', 'c', 'a'], {
      prompts: { confirm },
    });
    // Fails when each name is a question of its own: a yes out of habit would be given to the one that was meant to stay.
    expect(asked).toEqual(['Delete a, c?']);
    expect(stderr).toContain('▲ Deletes the volume a with 1 object, 2.0 KiB.');
    expect([stdout, deleted]).toEqual(['Deleted a.\nDeleted c.\n', ['a', 'c']]);
  });

  test('stops at the first that fails, and says what was done before', async () => {
    const { code, stdout, stderr } = await remove('a', 'stuck', 'c', '-y');
    // Fails when the rest is removed all the same, or what was removed isn't said.
    expect([code, stdout, deleted]).toEqual([1, 'Deleted a.\n', ['a']]);
    expect(stderr).toContain('A deployment has it mounted.');
  });

  test('with a key that may not read goes on with -y, because its effects are only a courtesy then', async () => {
    server.on('GET /v1/volume/list', answerJson(403, { detail: 'This key may not list.' }));
    expect(await remove('a', '-y')).toMatchObject({ code: 0, stdout: 'Deleted a.\n' });
    const confirm = async () => true;
    const asked = await runInProcess(server, ['volume', 'delete', 'c'], { prompts: { confirm } });
    // Fails when a person is asked to confirm what no one told them.
    expect([asked.code, asked.stderr]).toEqual([1, expect.stringContaining('This key may not list.')]);
    expect(deleted).toEqual(['a']);
  });

  test('whose effects can’t be had for another reason does nothing, -y or not', async () => {
    server.on('GET /v1/volume/list', answerJson(500, { detail: 'Something broke.' }));
    expect(await remove('a', '-y')).toMatchObject({ code: 1, stdout: '' });
    expect(deleted).toEqual([]);
  });
});
