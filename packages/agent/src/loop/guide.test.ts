import { readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openScriptedUpstream, sse } from '../models/testing/open-scripted-upstream.ts';

const REPO = path.resolve(import.meta.dirname, '../../../..');
const GUIDE = readFileSync(path.join(REPO, 'docs/guides/agent-runs.md'), 'utf8');

/** What the model of each program says, and what the program prints. */
const PROGRAMS: Readonly<Record<string, { readonly says: readonly object[]; readonly prints: string }>> = {
  'Start a turn': { says: [{ content: 'Nothing.' }], prints: 'Nothing.\ndone, 5 tokens, $0\n' },
  'Get a value': {
    says: [{ content: '{"customer":"Brix Ltd","total":120,"isPaid":false}' }],
    prints: 'Brix Ltd: 120\n',
  },
  'Delegate from a handler': {
    says: [{ content: '{"topic":"orders"}' }, { content: 'On its way.' }],
    prints: 'On its way.\n',
  },
  'Sub-agents': {
    says: [
      call('warehouse', { task: 'lamps?' }),
      call('stock', { article: 'lamp' }),
      { content: '7.' },
      { content: 'Yes.' },
    ],
    prints: '- warehouse: lamps?\n  - stock\nYes.\n',
  },
  'Control the steps': { says: [{ content: 'Hello.' }], prints: 'Hello.\n' },
  'Set budgets': { says: [{ content: 'Hello.' }], prints: '0.000015\n' },
};

function call(name: string, args: object): object {
  return { tool_calls: [{ index: 0, id: `call_${name}`, function: { name, arguments: JSON.stringify(args) } }] };
}

const usage = { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 };
const answer = (delta: object) =>
  sse([{ choices: [{ index: 0, delta, finish_reason: 'stop' }] }, { choices: [], usage }, '[DONE]']);

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'guide-'));
  await symlink(path.join(REPO, 'node_modules'), path.join(folder, 'node_modules'));
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Fails when a program of the guide does not run as it stands, or prints something else. */
test.each(Object.entries(PROGRAMS))(
  'the program of docs/guides/agent-runs.md, "%s", runs',
  async (heading, { says, prints }) => {
    const section = GUIDE.split(/^## /m).find((one) => one.startsWith(`${heading}\n`)) ?? '';
    const program = /^```ts\n([\s\S]*?)^```$/m.exec(section)?.[1] ?? '';
    const file = path.join(folder, `${heading.replaceAll(' ', '-')}.ts`);
    await writeFile(file, program);
    await using upstream = await openScriptedUpstream(...says.map(answer));
    vi.stubEnv('MODEL_URL', upstream.url);
    vi.stubEnv('BERTH_AGENT_DATA', path.join(folder, heading));
    let printed = '';
    vi.spyOn(console, 'log').mockImplementation((...words) => {
      printed += `${words.join(' ')}\n`;
    });
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      // Log lines go there too.
      if (!String(text).startsWith('{')) printed += String(text);
      return true;
    });
    try {
      await import(/* @vite-ignore */ pathToFileURL(file).href);
    } finally {
      vi.restoreAllMocks();
      vi.unstubAllEnvs();
    }
    expect(printed).toBe(prints);
  },
);
