import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Deployment } from '@berth/contract';
import type { Chat } from '@berth/contract/agent';
import { expect, it } from 'vitest';
import { verifies } from '../conformance/verifies.ts';
import { agentToken, callerOf, readAgentExample } from '../harness/agents.ts';
import { REPO } from '../harness/berth.ts';
import { deployed } from '../harness/deploy.ts';
import { uniqueName } from '../harness/names.ts';
import { needs } from '../harness/needs.ts';
import { nodeProject, type ProjectFiles } from '../harness/project-files.ts';
import { readLogs } from '../harness/read-logs.ts';
import { request } from '../harness/request.ts';
import { useBerth } from '../harness/use-berth.ts';
import { waitFor } from '../harness/wait-for.ts';

const berth = useBerth({ env: { BERTH_IDLE_TIMEOUT: '2', BERTH_SUSPEND_AFTER: '1' } });

const GUIDE = readFileSync(path.join(REPO, 'docs/guides/autoscaling.md'), 'utf8');

/** Returns the guide's example in a language, with work of 8 s. */
function exampleOf(language: string): string {
  const [, example = ''] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(GUIDE) ?? [];
  const quick = example.replace('180_000', '8_000').replace('sleep(180)', 'sleep(8)');
  if (quick === example) throw new Error(`the guide has no example of 3 minutes in ${language}`);
  return quick;
}

const EXAMPLES: Readonly<Record<string, { readonly needs: 'python'[]; files(): ProjectFiles }>> = {
  js: { needs: [], files: () => nodeProject(exampleOf('js')) },
  python: { needs: ['python'], files: () => ({ 'main.py': exampleOf('python'), Procfile: 'web: python main.py' }) },
};

async function row(name: string): Promise<Deployment> {
  return (await (await berth.api(`/v1/deployment/${name}`)).json()) as Deployment;
}

async function messages(name: string): Promise<string[]> {
  return (await readLogs(berth, name, { query: 'log_name="system"' })).logs.map((entry) => entry.message);
}

// Fails when the gateway doesn't ask before it suspends or stops: the instance stops after 2 s, in the middle of its work.
it.for(Object.keys(EXAMPLES))('the guide’s service in %s is kept until its work is done', async (language, context) => {
  verifies('busy.kept', 'busy.billed');
  const { needs: lacks, files } = EXAMPLES[language]!;
  await needs(context, ...lacks);
  const name = uniqueName('works');
  await deployed(berth, name, { files: files() });
  expect((await request(berth, name, '/reports', { method: 'POST' })).status).toBe(202);
  const busy = await waitFor('it is busy', async () => (await row(name)).busy === 1 && row(name));
  expect(busy).toMatchObject({ instances: 1, busy: 1 });
  const said = await waitFor('its work is finished', async () => {
    const all = await messages(name);
    const end = all.findIndex((message) => message.startsWith('Instance was busy'));
    // What comes after its work may be there, too, when this is late.
    return end !== -1 && all.slice(0, end + 1);
  });
  expect(said.filter((message) => /^Instance (started|suspended|stopped|crashed)/.test(message))).toEqual([
    'Instance started: a deploy.',
  ]);
  expect(Number(/busy for (\d+) s: its work is finished\.$/.exec(said.at(-1) ?? '')?.[1])).toBeGreaterThanOrEqual(4);
  await waitFor('it is stopped after that', async () => (await row(name)).instances === 0);
});

const TURN = `
import { berth, defineAgent, defineTool, scripted, z } from '@berth/agent';

const wait = defineTool({
  name: 'wait',
  description: 'Waits.',
  risk: 'read',
  input: z.object({}),
  run: () => new Promise((resolve) => setTimeout(resolve, 1_200, 'waited')),
});
const call = { calls: [{ tool: 'wait', args: {} }] };
const agent = defineAgent({
  name: 'steady',
  auth: berth(),
  tools: [wait],
  model: scripted([call, call, call, call, 'All done.']),
});
await agent.listen();
`;

// Fails when the agent doesn't count its runs as work: its instance is frozen after a second and stopped after two.
it('a detached turn goes on after its connection broke, for longer than the idle timeout', async () => {
  verifies('agent.busy');
  const name = uniqueName('steady');
  await deployed(berth, name, {
    files: { ...(await readAgentExample('agent-model')), 'agent.ts': TURN },
    fields: { volumes: JSON.stringify({ '/data': name }) },
  });
  const ada = callerOf(berth, name, await agentToken(berth, name));
  {
    using turn = await ada.turn('long', 'Go', { detach: true });
    await turn.until(({ frame }) => frame !== '[DONE]' && frame.type === 'step');
  }
  await waitFor('the turn is over', async () =>
    (await messages(name)).some((message) => /^Instance was busy.*its work is finished/.test(message)),
  );
  const chat = (await ada.call('GET', '/chats/long')).json<Chat>();
  expect(chat.messages.at(-1)?.content).toContain('All done.');
  expect(JSON.stringify(chat.messages).match(/waited/g)).toHaveLength(4);
  expect((await messages(name)).filter((message) => message.startsWith('Instance started'))).toHaveLength(1);
});
