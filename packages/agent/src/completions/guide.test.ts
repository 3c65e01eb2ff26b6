import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openTestAgent } from '../testing/open-test-agent.ts';
import { CLIENT_ENV, LANGCHAIN, LITELLM, type PublishedClient } from './testing/published-clients.ts';

const REPO = path.resolve(import.meta.dirname, '../../../..');
const GUIDE = readFileSync(path.join(REPO, 'docs/guides/agent-chat.md'), 'utf8');
const run = promisify(execFile);

/** By heading: the installed client, unless it is a dependency of the repo, and the file that pins its version. */
const CLIENTS: Readonly<Record<string, { readonly client?: PublishedClient; readonly pinned: string }>> = {
  openai: { pinned: 'package.json' },
  'AI SDK': { pinned: 'package.json' },
  'LangChain.js': { client: LANGCHAIN, pinned: 'tools/agent-clients/langchain/package.json' },
  litellm: { client: LITELLM, pinned: 'tools/agent-clients/litellm/requirements.txt' },
};

// Fails when a program of the guide does not run as it stands, or prints something else than the answer.
test.for(Object.entries(CLIENTS))(
  'the program of docs/guides/agent-chat.md, "%s", runs',
  async ([heading, { client }], context) => {
    if (client?.lacking !== undefined) return context.skip(client.lacking);
    const section = GUIDE.split(/^### /m).find((one) => one.startsWith(`${heading}\n`)) ?? '';
    const [, language, program = ''] = /^```(ts|python)\n([\s\S]*?)^```$/m.exec(section) ?? [];
    const folder = await mkdtemp(path.join(tmpdir(), 'guide-'));
    try {
      await using agent = await openTestAgent();
      await symlink(path.join(client?.folder ?? REPO, 'node_modules'), path.join(folder, 'node_modules'));
      await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
      await writeFile(path.join(folder, `program.${language}`), program);
      const env = { ...CLIENT_ENV, A: agent.url, T: 'alice' };
      const command = client?.command ?? process.execPath;
      const { stdout } = await run(command, [`program.${language}`], { cwd: folder, env });
      expect(stdout).toBe('You said: Hello');
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);

// Fails when a client is updated and the guide names the former version.
test.for(Object.entries(CLIENTS))('the guide names the tested version of %s', ([heading, { pinned }]) => {
  const [, versions = ''] = new RegExp(`^\\| \\[${heading}\\]\\(.*?\\) \\| (.*) \\|$`, 'm').exec(GUIDE) ?? [];
  const named = [...versions.matchAll(/`(.+?)` ([\d.]+)/g)];
  const text = readFileSync(path.join(REPO, pinned), 'utf8');
  expect(named.length).toBeGreaterThan(0);
  for (const [, name, version] of named) {
    expect(
      [`"${name}": "${version}"`, `\n${name}==${version}\n`].some((line) => text.includes(line)),
      name,
    ).toBe(true);
  }
});
