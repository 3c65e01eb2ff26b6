import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const REPO = path.resolve(import.meta.dirname, '../../../..');
const GUIDE = readFileSync(path.join(REPO, 'docs/guides/agent-protocols.md'), 'utf8');
const run = promisify(execFile);

/** What the client program of each section prints. */
const CLIENTS: Readonly<Record<string, RegExp>> = {
  'Other agents, with A2A': /^You asked: Where is order 7\?\n$/,
  'Front ends with AG-UI': /^You asked: Where is order 7\?$/,
  'An MCP server':
    /^\{\s+chat_id: '[\w-]+',\s+status: 'done',\s+text: 'You asked: Where is order 7\?',\s+approvals: \[\]\s+\}\n$/,
};

let folder: string;
let url: string;
const agent = { stop: async () => {} };

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'guide-'));
  await symlink(path.join(REPO, 'node_modules'), path.join(folder, 'node_modules'));
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(path.join(folder, 'agent.ts'), /^```ts\n([\s\S]*?)^```$/m.exec(GUIDE)?.[1] ?? '');
  const env = { ...process.env, NODE_ENV: 'development', PORT: '0', HOST: '127.0.0.1', BERTH_AGENT_DATA: folder };
  const child = spawn(process.execPath, ['agent.ts'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  agent.stop = async () => {
    child.kill();
    if (child.exitCode === null) await once(child, 'exit');
  };
  for await (const line of createInterface(child.stdout)) {
    const found = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (found === undefined) continue;
    url = found;
    break;
  }
}, 60_000);
afterAll(async () => {
  await agent.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Fails when a program of the guide does not run as it stands, or prints something else. */
test.each(Object.entries(CLIENTS))(
  'the client of docs/guides/agent-protocols.md, "%s", runs',
  async (heading, prints) => {
    const section = GUIDE.split(/^## /m).find((one) => one.startsWith(`${heading}\n`)) ?? '';
    const file = `${heading.replaceAll(' ', '-')}.ts`;
    await writeFile(path.join(folder, file), /^```ts client\n([\s\S]*?)^```$/m.exec(section)?.[1] ?? '');
    const { stdout } = await run(process.execPath, [file], { cwd: folder, env: { ...process.env, AGENT_URL: url } });
    expect(stdout).toMatch(prints);
  },
);
