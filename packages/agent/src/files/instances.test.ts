import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestAgent, type TestAgent } from '../testing/open-test-agent.ts';

const ROUNDS = 8;
const FILES = 12;

let dataFolder: string;
let first: TestAgent;
let second: TestAgent;
beforeAll(async () => {
  dataFolder = await mkdtemp(path.join(tmpdir(), 'agent-instances-'));
  first = await openTestAgent({ dataFolder });
  second = await openTestAgent({ dataFolder });
});
afterAll(async () => {
  await Promise.all([first, second].map((agent) => agent?.[Symbol.asyncDispose]()));
  await rm(dataFolder, { recursive: true, force: true });
});

const read = async (file: string) => {
  const answer = await first.call('alice', 'GET', `/files/${file}`);
  return answer.status === 200 ? await answer.text() : undefined;
};
const names = async (folder: string) =>
  ((await (await first.call('alice', 'GET', `/files?path=${folder}`)).json()) as { name: string }[]).length;

function batch(content: string): FormData {
  const form = new FormData();
  for (let index = 0; index < FILES; index++) form.append('file', new File([content], `${index}.txt`));
  return form;
}

it('gives back a folder whole or not at all while another instance deletes it for good', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const folder = `folder-${round}`;
    await first.call('alice', 'POST', `/files-batch/${folder}`, batch('kept'));
    const { trash_id } = (await (await first.call('alice', 'DELETE', `/files/${folder}`)).json()) as {
      trash_id: string;
    };
    const [removed, restored] = await Promise.all([
      first.call('alice', 'DELETE', `/trash/${trash_id}`),
      second.call('alice', 'POST', `/trash/${trash_id}/restore`),
    ]);
    expect([removed.status, restored.status].sort()).toEqual([200, 404]);
    expect(await names(folder)).toBe(restored.status === 200 ? FILES : 0);
  }
});

it('stores two batches of the same names one after the other', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const answers = await Promise.all(
      [first, second].map((agent, index) =>
        agent.call('alice', 'POST', '/files-batch/both', batch(`${round}-${index}`)),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const contents = await Promise.all(Array.from({ length: FILES }, (_, index) => read(`both/${index}.txt`)));
    expect(new Set(contents).size).toBe(1);
  }
});
