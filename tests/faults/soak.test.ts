import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { REPO } from '../harness/berth.ts';
import { needs } from '../harness/needs.ts';

it('20 s of mixed traffic with redeploys and kills lose nothing but what was on a killed instance, and leave nothing', {
  timeout: 240_000,
}, async (context) => {
  await needs(context, 'procfs');
  const child = spawn(process.execPath, [path.join(REPO, 'bench/soak/main.ts'), '--seconds', '20'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/failed, unexplained +0 requests/);
});
