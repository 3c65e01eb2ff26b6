import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { REPO } from '../harness/berth.ts';
import { lacksServers } from '../harness/servers.ts';

const lacking = lacksServers(true);
if (lacking !== undefined && process.env['CI'] === 'true')
  throw new Error(`CI must have everything, and this ${lacking}`);

// Fails when what a server acknowledged is lost with it, a deploy or a schedule is driven twice, or a server that wakes goes on.
it.skipIf(lacking !== undefined)(
  `three servers that are killed, cut off and paused in turn lose nothing, and do nothing twice${lacking ? `: ${lacking}` : ''}`,
  { timeout: 400_000 },
  async () => {
    const child = spawn(process.execPath, [path.join(REPO, 'bench/chaos/main.ts'), '--disturbances', '6'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/lost, done twice or out of order +0 runs/);
  },
);
