import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { REPO } from '../harness/berth.ts';

describe('a benchmark at a tenth of its size', () => {
  it.each(['cold-start', 'redeploy'])('%s works, whatever its numbers are', async (name) => {
    const child = spawn(process.execPath, [path.join(REPO, 'bench/main.ts'), name, '--tenth'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toMatch(/× \d/);
  });
});
